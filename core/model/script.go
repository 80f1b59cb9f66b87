package model

import (
	"bytes"
	"container/list"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"
	"time"

	"golem/core/fault"
)

// maxConversations bounds the conversations whose position a script remembers. Beyond
// it, the one that was not used for the longest time starts over.
const maxConversations = 16384

// script is the embedded model: it answers by the rules of a file (SPEC §16).
// It is not a language model.
type script struct {
	name    string
	workers map[string][]rule

	mu     sync.Mutex
	places map[string]*list.Element // by conversation and worker; of *place
	recent *list.List               // of *place, the last used first
}

// place is the position of one conversation in a worker's rules.
type place struct {
	key, conversation string
	step              int          // sequence steps taken
	spent             map[int]bool // once rules taken
}

var _ Model = (*script)(nil)

func openScript(name, rest string, c Config) (Model, error) {
	data, err := c.scriptFile(name, rest)
	if err != nil {
		return nil, err
	}
	workers, err := c.Scripts.parsed(rest, data)
	if err != nil {
		return nil, err
	}
	return newScript(name, workers), nil
}

// Scripts remembers what scripts say, for many runs with the same ones. Its zero value is ready.
type Scripts struct {
	mu sync.Mutex
	of map[string]parsedScript // by name: the newest content of each
}

type parsedScript struct {
	data    []byte
	workers map[string][]rule // nobody changes it
}

// parsed returns the rules of a script.
func (s *Scripts) parsed(file string, data []byte) (map[string][]rule, error) {
	if s == nil {
		return parseScript(file, data)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if known, ok := s.of[file]; ok && bytes.Equal(known.data, data) {
		return known.workers, nil
	}
	workers, err := parseScript(file, data)
	if err != nil {
		return nil, err
	}
	if s.of == nil {
		s.of = map[string]parsedScript{}
	}
	s.of[file] = parsedScript{data, workers}
	return workers, nil
}

func newScript(name string, workers map[string][]rule) *script {
	return &script{name: name, workers: workers, places: map[string]*list.Element{}, recent: list.New()}
}

// scriptFile reads script:FILE, a name that ends in .yaml or .yml, or the
// embedded script:NAME.
func (c Config) scriptFile(name, rest string) ([]byte, error) {
	if ext := path.Ext(rest); ext == ".yaml" || ext == ".yml" {
		return c.readFile(name, rest, maxScript)
	}
	names := []string{}
	if c.Embedded != nil {
		for _, ext := range []string{".yaml", ".yml"} {
			if !fs.ValidPath(rest + ext) {
				break
			}
			data, err := fs.ReadFile(c.Embedded, rest+ext)
			if err == nil {
				return data, nil
			}
			if !errors.Is(err, fs.ErrNotExist) {
				return nil, cannotRead(name, err)
			}
		}
		entries, err := fs.ReadDir(c.Embedded, ".")
		for _, e := range entries { // what could be read helps the hint, the rest does not matter
			if n, yaml := strings.CutSuffix(e.Name(), ".yaml"); yaml && err == nil {
				names = append(names, n)
			}
		}
	}
	return nil, fault.New(fault.Model, "there is no embedded script %q", rest).
		Hinting("%s; a file ends in .yaml", fault.DidYouMean(rest, names))
}

// Name returns "script:" and the name of the file or of the embedded script.
func (s *script) Name() string { return s.name }

// Generate answers by the first rule that holds.
func (s *script) Generate(ctx context.Context, r Request, show func(Delta)) (Turn, error) {
	if ctx.Err() != nil {
		return Turn{}, ended(ctx, s.name)
	}
	rl, g, err := s.choose(r)
	if err != nil {
		return Turn{}, err
	}
	if err := s.wait(ctx, rl); err != nil {
		return Turn{}, err
	}
	if rl.fail != nil {
		f := *rl.fail
		return Turn{}, f.fault(fault.Model, remedy{})
	}
	text := g.expand(rl.say)
	if rl.cut >= 0 {
		_ = stream(fault.Head(text, rl.cut), show)
		return Turn{}, broken(fmt.Sprintf("the answer of %s ended early, after %d bytes", s.name, rl.cut), nil)
	}
	t := Turn{Finish: "stop", Model: s.name, Attempts: 1}
	for _, c := range rl.calls {
		call, err := c.call(g)
		if err != nil {
			return Turn{}, fault.New(fault.Model, "%s: %w", s.name, err)
		}
		t.Calls = append(t.Calls, call)
	}
	if len(t.Calls) > 0 {
		t.Finish = "tool_calls"
		ownIDs(r.Messages, t.Calls)
	}
	t.Usage = estimate(r, text, t.Calls)
	if rl.usage != nil {
		t.Usage = *rl.usage
	}
	t.Text = stream(text, show)
	return t, nil
}

// wait waits for delay, and with hang until the context ends.
func (s *script) wait(ctx context.Context, rl *rule) error {
	if rl.delay > 0 {
		timer := time.NewTimer(rl.delay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return ended(ctx, s.name)
		}
	}
	if rl.hang {
		<-ctx.Done()
		return ended(ctx, s.name)
	}
	return nil
}

// stream shows text in a few pieces of whole characters, each about a quarter of it and
// at least about 16 bytes. Reasoning in tags before the text is shown as reasoning, as that
// of models behind endpoints is. It returns the text without it.
func stream(text string, show func(Delta)) string {
	var visible strings.Builder
	var reading tags
	say := func(text, thought string) {
		if thought != "" && show != nil {
			show(Delta{Reasoning: thought})
		}
		if text != "" && show != nil {
			show(Delta{Text: text})
		}
		visible.WriteString(text)
	}
	size := max(16, (len(text)+3)/4)
	for len(text) > 0 {
		n := len(fault.Head(text, size))
		if n == 0 {
			n = len(text)
		}
		say(reading.read(text[:n]))
		text = text[n:]
	}
	say(reading.end())
	return visible.String()
}

// choose returns the rule that answers the request, and the groups of its match, and
// moves the conversation on.
func (s *script) choose(r Request) (*rule, groups, error) {
	id, rules := r.Worker, s.workers[r.Worker]
	if _, ok := s.workers[r.Worker]; !ok {
		if _, ok = s.workers["*"]; !ok {
			return nil, groups{}, fault.New(fault.Model, "%s has no rules for worker %s", s.name, r.Worker).
				Hinting("add it under workers:, or \"*\" for all others; a script follows its rules, it is not a language model")
		}
		id, rules = "*", s.workers["*"]
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	at, view := s.positionOf(r.Conversation, id, r.Worker), look(r)
	steps := 0
	var next *rule
	for i := range rules {
		rl := &rules[i]
		if rl.when == nil {
			if steps == at.step {
				next = rl
			}
			steps++
			continue
		}
		if rl.once && at.spent[i] {
			continue
		}
		if g, ok := rl.when.holds(view); ok {
			if rl.once {
				at.spent[i] = true
				s.storePosition(at)
			}
			return rl, g, nil
		}
	}
	if next == nil {
		used := fmt.Sprintf("all its %d steps are used", steps)
		if steps < 2 {
			used = []string{"it has no steps", "its only step is used"}[steps]
		}
		return nil, groups{}, fault.New(fault.Model, "%s has no answer for worker %s, turn %d: no rule matches, and %s", s.name, r.Worker, r.Turn, used).
			Hinting("add a rule or a step; a script follows its rules, it is not a language model")
	}
	at.step++
	s.storePosition(at)
	return next, groups{}, nil
}

// positionOf returns the position of a conversation. A new one is stored only when it moves,
// by storePosition.
func (s *script) positionOf(conversation, rules, worker string) *place {
	key := rules + "\x00" + worker + "\x00" + conversation
	if e, ok := s.places[key]; ok {
		return e.Value.(*place)
	}
	return &place{key: key, conversation: conversation, spent: map[int]bool{}}
}

func (s *script) storePosition(p *place) {
	if e, ok := s.places[p.key]; ok {
		s.recent.MoveToFront(e)
		return
	}
	s.places[p.key] = s.recent.PushFront(p)
	if s.recent.Len() > maxConversations {
		last := s.recent.Back()
		delete(s.places, last.Value.(*place).key)
		s.recent.Remove(last)
	}
}

// forget removes the positions of a conversation.
func (s *script) forget(conversation string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for e := s.recent.Front(); e != nil; {
		next := e.Next()
		if p := e.Value.(*place); p.conversation == conversation {
			delete(s.places, p.key)
			s.recent.Remove(e)
		}
		e = next
	}
}
