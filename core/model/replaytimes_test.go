package model

import (
	"strings"
	"testing"
)

// A recording for a test keeps how long each request took, or had taken if it was answered before;
// no key depends on it. Other recordings keep no times.
func TestRecordingsOfTestsKeepTimes(t *testing.T) {
	const slow = "script: 1\nworkers: {main: [{say: one, delay: 5ms}, {say: two, delay: 5ms}]}"
	record := func(rec *Recorder, w *writes, m Model) string {
		for turn := range 2 {
			if _, err := rec.Wrap(m).Generate(t.Context(), Request{Worker: "main", Conversation: "c", ID: "0", Turn: turn + 1, Messages: []Message{user("x")}}, nil); err != nil {
				t.Fatal(err)
			}
		}
		return strings.Join(w.lines, "")
	}
	w := &writes{}
	if got := record(NewRecorder(w, "", nil), w, scriptOf(t, slow)); strings.Contains(got, `"ms"`) {
		t.Errorf("a recording that is not for a test has times: %s", got)
	}
	w = &writes{}
	timed := record(NewRecorder(w, "", nil).ForTests(), w, scriptOf(t, slow))
	if ms := playedMS(t, timed); ms < 10 {
		t.Errorf("two requests of 5 ms took %d ms: %s", ms, timed)
	}
	w = &writes{}
	played := record(NewRecorder(w, "", nil).ForTests(), w, answeredBefore{scriptOf(t, slow)})
	if ms := playedMS(t, played); ms != 2000 {
		t.Errorf("answers that had taken 2 s: %d ms", ms)
	}
	if ms := playedMS(t, strings.ReplaceAll(played, `"ms":1000`, `"ms":-9223372036854775808`)); ms != 0 {
		t.Errorf("negative times: %d ms", ms)
	}
	if ms := playedMS(t, strings.ReplaceAll(played, `,"ms":1000`, "")); ms != 0 {
		t.Errorf("a recording without times: %d ms", ms)
	}
}

// answeredBefore is a model whose answers took a second each.
type answeredBefore struct{ Model }

// Took returns a second.
func (answeredBefore) Took(Request) int64 { return 1000 }

// playedMS plays both requests of a recording, and returns how long they had taken.
func playedMS(t *testing.T, recording string) int64 {
	t.Helper()
	m, err := Open("replay:r.jsonl", Config{ReadFile: func(string) ([]byte, error) { return []byte(recording), nil }})
	if err != nil {
		t.Fatal(err)
	}
	for turn := range 2 {
		if _, err := m.Generate(t.Context(), Request{Worker: "main", Conversation: "c", ID: "0", Turn: turn + 1, Messages: []Message{user("x")}}, nil); err != nil {
			t.Fatal(err)
		}
	}
	return RecordedMS(m)
}
