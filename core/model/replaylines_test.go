package model

import (
	"strings"
	"testing"
)

// A recording for a test tells which line of a message is the first that differs. Other
// recordings, and those of an older golem, tell the message.
func TestReplayMissNamesTheFirstLine(t *testing.T) {
	const script = "script: 1\nworkers: {main: [{say: one}]}"
	request := func(text string) Request {
		return Request{Worker: "main", Conversation: "c", ID: "0", Turn: 1, Messages: []Message{{Role: System, Text: text}, user("x")}}
	}
	const was = "Answer with the capital.\nUse one word.\nBe polite."
	w := &writes{}
	if _, err := NewRecorder(w, "", nil).ForTests().Wrap(scriptOf(t, script)).Generate(t.Context(), request(was), nil); err != nil {
		t.Fatal(err)
	}
	recording := strings.Join(w.lines, "")
	lines := recording[strings.Index(recording, `,"lines":`):strings.LastIndex(recording, "}")]
	missed := func(recording, now string) string {
		m, err := Open("replay:r.jsonl", Config{ReadFile: func(string) ([]byte, error) { return []byte(recording), nil }})
		if err != nil {
			t.Fatal(err)
		}
		_, err = m.Generate(t.Context(), request(now), nil)
		if err == nil {
			return ""
		}
		return err.Error()
	}
	for now, want := range map[string]string{
		was: "",
		strings.Replace(was, "one word", "two words", 1): `message 1 (system) differs from the recording in line 2: "Use two words."`,
		was + "\nAnd short.":                             `message 1 (system) differs from the recording in line 4: "And short."`,
		"Answer with the capital.\nUse one word.":        `message 1 (system) differs from the recording, which has more lines after line 2`,
		"Answer.":               `message 1 (system) differs from the recording in line 1: "Answer."`,
		was + "\n" + was + "\n": `in line 4: "Answer with`,
	} {
		if got := missed(recording, now); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%q: %s", now, got)
		}
	}
	for _, damaged := range []string{"", `,"lines":[]`, `,"lines":["1"]`, `,"lines":["zz"]`} {
		got := missed(strings.Replace(recording, lines, damaged, 1), "Answer with the capital.\nUse two.")
		if !strings.Contains(got, `message 1 (system) differs from the recording`) {
			t.Errorf("lines %q: %s", damaged, got)
		}
	}
	w = &writes{}
	if _, err := NewRecorder(w, "", nil).Wrap(scriptOf(t, script)).Generate(t.Context(), request(was), nil); err != nil || strings.Contains(strings.Join(w.lines, ""), `"lines"`) {
		t.Errorf("a recording that is not for a test: %v %s", err, w.lines)
	}
}
