//go:build unix

package faults

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"time"
)

// model answers chat completions in the place of a provider: in each turn but the last it
// replaces a line of log.txt by two, so that a call that ran twice leaves another file, writes a
// file of its own, and renames a directory of the project or removes a file.
type model struct {
	url    string
	turns  int
	large  int // bytes of the file of the first turn
	in     int // tokens of a request
	out    int
	delay  time.Duration
	server *httptest.Server

	mu      sync.Mutex
	asked   map[string]int  // by item and turn
	waiting map[string]bool // items that this golem asked for; false: for a second turn too
	barren  map[string]int  // by item: how many golems in a row died while it waited
	seen    seeing          // nil: nobody sees requests
}

// seeing gets the item of each request before it is answered. It returns false if the request
// gets no answer.
type seeing func(w http.ResponseWriter, item string) bool

func newModel(p Plan) *model {
	m := &model{turns: p.Turns, large: p.Large, in: cmp.Or(p.In, 10), out: cmp.Or(p.Out, 2), delay: p.Delay, asked: map[string]int{}, waiting: map[string]bool{}, barren: map[string]int{}}
	m.server = httptest.NewServer(m)
	m.url = m.server.URL + "/v1"
	return m
}

func (m *model) close() { m.server.Close() }

// watch calls seen with each request from now on.
func (m *model) watch(seen seeing) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.seen = seen
}

// forget begins to count anew.
func (m *model) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.asked)
	clear(m.waiting)
	clear(m.barren)
}

// died notes that golem was killed.
func (m *model) died() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for item, waits := range m.waiting {
		if waits {
			m.barren[item]++
		}
	}
	clear(m.waiting)
}

// progresses reports whether golem may be killed: no item waits for its first answer that two
// golems in a row have died on. golem ends an item that three die on as one that kills it
// (SPEC §19), and cannot know that it was somebody else.
func (m *model) progresses() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for item, waits := range m.waiting {
		if waits && m.barren[item] >= 2 {
			return false
		}
	}
	return true
}

// counts returns how many requests came, and how many of them had come before.
func (m *model) counts() (all, twice int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, times := range m.asked {
		all += times
		twice += times - 1
	}
	return all, twice
}

var itemName = regexp.MustCompile(`item-\d+`)

// ServeHTTP answers one request.
func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var req struct {
		Stream   bool `json:"stream"`
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	item, results := "", 0
	for _, one := range req.Messages {
		if found := itemName.Find(one.Content); one.Role == "user" && item == "" {
			item = string(found)
		}
		if one.Role == "tool" {
			results++
		}
	}
	m.mu.Lock()
	m.asked[fmt.Sprintf("%s/%d", item, results)]++
	if _, again := m.waiting[item]; again {
		m.waiting[item] = false
		m.barren[item] = 0
	} else {
		m.waiting[item] = true
	}
	seen := m.seen
	m.mu.Unlock()
	if seen != nil && !seen(w, item) {
		return
	}
	time.Sleep(m.delay)
	m.answer(w, item, results/callsOfTurn, req.Stream)
	if results/callsOfTurn == m.turns-1 { // it asks no more
		m.mu.Lock()
		m.waiting[item] = false
		m.mu.Unlock()
	}
}

// callsOfTurn is how many calls each answer has.
const callsOfTurn = 3

// third returns the last call of a turn: it moves a directory of the project, puts a file in its
// place, removes that file, and so on.
func third(turn int, item string) (name string, args map[string]any) {
	switch turn % 3 {
	case 0:
		return "move_file", map[string]any{"from": fmt.Sprintf("dir%d", turn/3), "to": fmt.Sprintf("dir%d", turn/3+1)}
	case 1:
		return "write_file", map[string]any{"path": fmt.Sprintf("dir%d", turn/3), "content": "a file of " + item}
	}
	return "delete_file", map[string]any{"path": fmt.Sprintf("dir%d", turn/3)}
}

// answer answers the request of a turn.
func (m *model) answer(w http.ResponseWriter, item string, turn int, stream bool) {
	message := map[string]any{"role": "assistant", "content": item + " is done"}
	finish := "stop"
	if turn < m.turns-1 {
		call := func(n int, name string, args map[string]any) map[string]any {
			data, _ := json.Marshal(args) // texts always encode
			return map[string]any{"index": n, "id": fmt.Sprintf("call_%d_%d", turn, n), "type": "function", "function": map[string]any{"name": name, "arguments": string(data)}}
		}
		finish = "tool_calls"
		message["content"] = ""
		content := item
		if turn == 0 {
			content = strings.Repeat(item+"\n", m.large/(len(item)+1)+1)
		}
		name, args := third(turn, item)
		message["tool_calls"] = []any{
			call(0, "edit_file", map[string]any{"path": "log.txt", "old": "begin\n", "new": fmt.Sprintf("begin\nturn %d of %s\n", turn, item)}),
			call(1, "write_file", map[string]any{"path": fmt.Sprintf("out/%d.txt", turn), "content": content}),
			call(2, name, args),
		}
	}
	usage := map[string]any{"prompt_tokens": m.in, "completion_tokens": m.out, "total_tokens": m.in + m.out}
	choice := map[string]any{"index": 0, "finish_reason": finish}
	if !stream {
		choice["message"] = message
		_ = json.NewEncoder(w).Encode(map[string]any{"id": "x", "object": "chat.completion", "model": "mock", "choices": []any{choice}, "usage": usage}) // golem may be dead
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	choice["delta"] = message
	data, _ := json.Marshal(map[string]any{"id": "x", "object": "chat.completion.chunk", "model": "mock", "choices": []any{choice}, "usage": usage})
	fmt.Fprintf(w, "data: %s\n\ndata: [DONE]\n\n", data)
}
