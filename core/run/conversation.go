package run

import (
	"sync"

	"golem/core/model"
	"golem/core/project"
	"golem/core/prompt"
	"golem/core/tool"
)

// conversation is what a worker run has said and heard: the messages of its
// next request, and the results of its calls. /new replaces it whole (S0-59).
type conversation struct {
	name     string // for the sequences of a script
	messages []model.Message
	turns    int // model requests so far
	repeat   repeats
	open     *openQuestion // of a child, unanswered; nil: none
	shown    int           // bytes that the model is shown of each result of this turn; 0: all

	mu      sync.Mutex        // guards what follows; calls of one turn end beside each other
	callees map[string]callee // by the call's id, until its result is kept
	results []kept            // oldest first
	size    int               // bytes of their texts
}

// callee is who an allowed name has reached.
type callee struct {
	id     string
	worker *project.Worker // nil: a tool in a worker's place
}

// kept is one result, for prior and, if it was cut, for read_result.
type kept struct {
	id     string // of the call, in the trace
	name   string // of the tool, as it was called
	callee callee // zero: a tool
	text   string
	cut    bool // the model has seen only the beginning
}

// maxKept bounds the results that one conversation keeps, in bytes. Beyond it
// the oldest go, but never the latest.
const maxKept = 32 << 20

func newConversation(name string, messages ...model.Message) *conversation {
	return &conversation{name: name, messages: messages, callees: map[string]callee{}}
}

// reached notes whom a call has reached, under whatever name.
func (c *conversation) reached(call string, who callee) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.callees[call] = who
}

// callee is whom a call of this turn has reached; zero: nobody.
func (c *conversation) callee(call string) callee {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.callees[call]
}

// settled forgets whom the calls of a turn reached, once their results are kept.
func (c *conversation) settled() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.callees)
}

// keep keeps a result.
func (c *conversation) keep(id, name string, out tool.Output, cut bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := kept{id: id, name: name, callee: c.callees[id], text: out.String(), cut: cut}
	c.results = append(c.results, k)
	c.size += len(k.text)
	for c.size > maxKept && len(c.results) > 1 {
		c.size -= len(c.results[0].text)
		c.results[0] = kept{}
		c.results = c.results[1:]
	}
}

// prior finds the results that names and references stand for, name by name, in
// call order and each once. missing is a name that stands for none.
func (c *conversation) prior(names []string) (found []prompt.Labelled, missing string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	taken := map[string]bool{} // by call id
	for _, name := range names {
		known := false
		for _, k := range c.results {
			if !k.goesBy(name) {
				continue
			}
			known = true
			if !taken[k.id] {
				taken[k.id] = true
				found = append(found, prompt.Labelled{Name: k.label(), Text: k.text})
			}
		}
		if !known {
			return nil, name
		}
	}
	return found, ""
}

// goesBy tells whether a name in prior stands for the result: the call's id, the
// tool's name, or a reference to the worker, however it was called (SPEC §5).
func (k kept) goesBy(name string) bool {
	switch {
	case name == k.id, name == k.name, tool.ToolName(name) == k.name:
		return true
	case k.callee.id == "":
		return false
	}
	return name == k.callee.id || name == tool.ToolName(k.callee.id) || k.callee.worker != nil && k.callee.worker.Named(name)
}

// label is what the result is called where it is passed on.
func (k kept) label() string {
	if k.callee.id != "" {
		return k.callee.id
	}
	return k.name
}

// rest is the whole text of a result that was cut.
func (c *conversation) rest(id string) (string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, k := range c.results {
		if k.id == id && k.cut {
			return k.text, true
		}
	}
	return "", false
}
