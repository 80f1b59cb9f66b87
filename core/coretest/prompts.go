package coretest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"golem/core/trace"
)

// prompts keeps the messages of each worker run at its end, from the artifacts.
type prompts struct {
	mu   sync.Mutex
	byID map[string][]byte
}

func (p *prompts) Put(name string, data []byte) error {
	id, ok := strings.CutSuffix(name, ".prompt.json")
	if !ok {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.byID[id] = bytes.Clone(data)
	return nil
}

// message has the parts of a message that String shows.
type message struct {
	Role  string
	Text  string
	Parts []struct{ Kind, Name, MIME string }
	Calls []struct{ Name, Args string }
	Tool  string
	Error string
}

// String returns one message per line, with the worker runs in the order of the calls.
func (p *prompts) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var b strings.Builder
	for _, id := range slices.SortedFunc(maps.Keys(p.byID), trace.CompareID) {
		var list []message
		if err := json.Unmarshal(p.byID[id], &list); err != nil {
			fmt.Fprintf(&b, "%s %s\n", id, bytes.TrimSpace(p.byID[id]))
			continue
		}
		for _, m := range list {
			b.WriteString(id + " " + m.String() + "\n")
		}
	}
	return b.String()
}

func (m message) String() string {
	words := []string{m.Role}
	if m.Tool != "" {
		words = append(words, m.Tool)
	}
	if m.Error != "" {
		words = append(words, m.Error)
	}
	if m.Text != "" || len(m.Calls) == 0 {
		words = append(words, plainJSON(m.Text))
	}
	for _, p := range m.Parts {
		words = append(words, fmt.Sprintf("[%s %s %s]", p.Kind, p.Name, p.MIME))
	}
	for _, c := range m.Calls {
		words = append(words, c.Name+c.Args)
	}
	return strings.Join(words, " ")
}
