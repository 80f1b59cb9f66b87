package editor

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"
)

// Limits of a history: the number of entries, their bytes together, and the bytes of
// one entry.
const (
	MaxEntries = 1000
	MaxHistory = 1 << 20
	maxEntry   = 64 << 10
)

// History is the list of messages that were sent, the oldest first. It is safe for
// concurrent use; the zero value is empty and ready to use.
type History struct {
	mu      sync.Mutex
	entries []string
	size    int
}

// ReadHistory reads a history from lines that Line wrote. It skips lines that it cannot
// parse, because a line may have been cut off when it was written.
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

// Line returns an entry as one line of the history file: a JSON string and a line
// break.
func Line(entry string) []byte {
	data, err := json.Marshal(entry)
	if err != nil { // a string can always be marshalled
		return nil
	}
	return append(data, '\n')
}

// Add adds a message that was sent, and reports whether it did. It does not add a blank
// message, one that is too long, or one that equals the newest entry. The oldest
// entries are dropped when the limits are reached.
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

// Keep adds the text to the history, so that Up brings it back, and empties the editor.
func (e *Editor) Keep() {
	e.o.History.Add(e.text)
	e.SetText("")
}

// Text returns the whole history as the lines that ReadHistory reads.
func (h *History) Text() []byte {
	h.mu.Lock()
	defer h.mu.Unlock()
	var b bytes.Buffer
	for _, entry := range h.entries {
		b.Write(Line(entry))
	}
	return b.Bytes()
}

// fromNewest returns the n-th newest entry, counted from 1.
func (h *History) fromNewest(n int) (entry string, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if i := len(h.entries) - n; n > 0 && i >= 0 {
		return h.entries[i], true
	}
	return "", false
}

// find searches for an entry that contains text, ignoring case. It begins at the n-th
// newest entry and goes on to older ones, and returns the entry's number, or 0 if there
// is none.
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

// recall replaces the text by the n-th newest entry of the history. With n = 0 it
// restores the draft that was written before.
func (e *Editor) recall(n int) bool {
	if e.past == 0 {
		e.draft = e.text
	}
	entry, ok := e.o.History.fromNewest(n)
	switch {
	case n == 0 && e.past > 0:
		entry = e.draft
	case !ok:
		return false
	}
	e.text, e.at, e.past, e.undo, e.typing, e.offer = entry, len(entry), n, nil, false, offer{}
	return true
}

// up moves the cursor to the line above. On the first line it shows the previous entry
// of the history instead.
func (e *Editor) up() bool {
	start := e.lineStart()
	if start == 0 {
		return e.recall(e.past+1) || e.past > 0
	}
	e.toColumn(strings.LastIndexByte(e.text[:start-1], '\n')+1, start)
	return true
}

// down moves the cursor to the line below. On the last line it shows the next entry of
// the history, or the draft after the newest one.
func (e *Editor) down() bool {
	end, start := e.lineEnd(), e.lineStart()
	if end == len(e.text) {
		return e.past > 0 && e.recall(e.past-1)
	}
	e.toColumn(end+1, start)
	return true
}

// toColumn moves the cursor to the line that begins at to. It keeps the column that the
// cursor had in the line that begins at from.
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

// search is the state of a history search (Ctrl+R).
type search struct {
	query  string
	found  int // the entry's number, from the newest; 0: none found
	before state
}

// searchKey handles a key during a search. done is false if the key ended the search
// and still has to be handled in the usual way.
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

// find shows the first entry that matches the query, from the given number on. If none
// matches, the entry found before stays.
func (e *Editor) find(from int) {
	if e.search.query == "" {
		return
	}
	if n := e.o.History.find(e.search.query, from); n > 0 {
		e.search.found = n
		entry, _ := e.o.History.fromNewest(n)
		e.text, e.at = entry, len(entry)
	}
}

// leaveSearch ends the search and keeps the entry that it found as the text.
func (e *Editor) leaveSearch() {
	if e.search == nil {
		return
	}
	if e.search.found > 0 {
		e.past, e.draft, e.undo = e.search.found, e.search.before.text, nil
	}
	e.search = nil
}
