package editor

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"
)

// What a history keeps at most: entries, bytes of them together, bytes of one.
const (
	MaxEntries = 1000
	MaxHistory = 1 << 20
	maxEntry   = 64 << 10
)

// History is what was sent, the oldest first. It is safe for concurrent use; the zero
// value is empty.
type History struct {
	mu      sync.Mutex
	entries []string
	size    int
}

// ReadHistory reads lines as Line writes them. What is not one is left out: a line may
// have been cut.
func ReadHistory(data []byte) *History {
	h := &History{}
	for line := range bytes.Lines(data) {
		var entry string
		if json.Unmarshal(bytes.TrimSpace(line), &entry) == nil {
			h.Add(entry)
		}
	}
	return h
}

// Line is an entry as a line of a file.
func Line(entry string) []byte {
	data, err := json.Marshal(entry)
	if err != nil { // a string can always be marshalled
		return nil
	}
	return append(data, '\n')
}

// Add adds what was sent, and reports whether it did: not what is blank, too long, or
// the same as the entry before.
func (h *History) Add(entry string) bool {
	entry = strings.TrimSpace(clean(entry))
	h.mu.Lock()
	defer h.mu.Unlock()
	n := len(h.entries)
	if entry == "" || len(entry) > maxEntry || n > 0 && h.entries[n-1] == entry {
		return false
	}
	h.entries = append(h.entries, entry)
	h.size += len(entry)
	for len(h.entries) > MaxEntries || h.size > MaxHistory {
		h.size -= len(h.entries[0])
		h.entries = h.entries[1:]
	}
	return true
}

// Text is the whole history as lines.
func (h *History) Text() []byte {
	h.mu.Lock()
	defer h.mu.Unlock()
	var b bytes.Buffer
	for _, entry := range h.entries {
		b.Write(Line(entry))
	}
	return b.Bytes()
}

// back is the n-th entry from the newest, from 1.
func (h *History) back(n int) (entry string, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if i := len(h.entries) - n; n > 0 && i >= 0 {
		return h.entries[i], true
	}
	return "", false
}

// find looks for an entry that contains a text, without regard to case, from the n-th
// newest on to older ones; 0: there is none.
func (h *History) find(text string, n int) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	text = strings.ToLower(text)
	for n = max(n, 1); n <= len(h.entries); n++ {
		if strings.Contains(strings.ToLower(h.entries[len(h.entries)-n]), text) {
			return n
		}
	}
	return 0
}

// recall shows the n-th newest entry in place of the text; 0 brings back what was
// written.
func (e *Editor) recall(n int) bool {
	if e.past == 0 {
		e.draft = e.text
	}
	entry, ok := e.o.History.back(n)
	switch {
	case n == 0 && e.past > 0:
		entry = e.draft
	case !ok:
		return false
	}
	e.text, e.at, e.past, e.undo, e.typing, e.offer = entry, len(entry), n, nil, false, offer{}
	return true
}

// up goes to the line above, or from the first one to the entry before in the history.
func (e *Editor) up() bool {
	start := e.lineStart()
	if start == 0 {
		return e.recall(e.past+1) || e.past > 0
	}
	e.toColumn(strings.LastIndexByte(e.text[:start-1], '\n')+1, start)
	return true
}

// down is up the other way.
func (e *Editor) down() bool {
	end, start := e.lineEnd(), e.lineStart()
	if end == len(e.text) {
		return e.past > 0 && e.recall(e.past-1)
	}
	e.toColumn(end+1, start)
	return true
}

// toColumn puts the cursor into the line that begins at to, in the column that it has in
// the one that begins at from.
func (e *Editor) toColumn(to, from int) {
	if e.goal < 0 {
		e.goal = widthOf(e.text[from:e.at])
	}
	col := 0
	for to < len(e.text) && e.text[to] != '\n' && col < e.goal {
		n, w := shownCluster(e.text[to:])
		to, col = to+n, col+w
	}
	e.at, e.typing, e.offer = to, false, offer{}
}

// search is Ctrl+R under way.
type search struct {
	query  string
	found  int // 0: nothing yet
	before state
}

// searchKey takes a key while the history is searched; done is false if the key ends the
// search and means what it always does.
func (e *Editor) searchKey(name, text string) (done bool) {
	s := e.search
	switch {
	case name == "ctrl+r":
		e.find(max(s.found, 0) + 1)
	case name == "backspace" || name == "ctrl+h":
		r := []rune(s.query)
		s.query = string(r[:max(len(r)-1, 0)])
		e.find(1)
	case name == "esc" || name == "ctrl+g":
		e.text, e.at, e.search = s.before.text, s.before.at, nil
	case name == "enter" || name == "tab":
		e.leaveSearch()
	case clean(text) != "":
		s.query += strings.ReplaceAll(clean(text), "\n", " ")
		e.find(max(s.found, 1))
	default:
		e.leaveSearch()
		return false
	}
	return true
}

// find shows the next entry that fits the search; where none does, the one that was
// found stays.
func (e *Editor) find(from int) {
	if e.search.query == "" {
		return
	}
	if n := e.o.History.find(e.search.query, from); n > 0 {
		e.search.found = n
		entry, _ := e.o.History.back(n)
		e.text, e.at = entry, len(entry)
	}
}

// leaveSearch keeps what the search has found.
func (e *Editor) leaveSearch() {
	if e.search == nil {
		return
	}
	if e.search.found > 0 {
		e.past, e.draft, e.undo = e.search.found, e.search.before.text, nil
	}
	e.search = nil
}
