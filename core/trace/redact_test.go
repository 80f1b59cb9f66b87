package trace

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"golem/core/fault"
)

const key = `sk-"quoted"/+key=1`

// Scenario 35, SECURITY 16: known keys are removed from every body, in every form.
func TestKnownSecrets(t *testing.T) {
	r := NewRedactor([]string{key, "short", "  ", "98765432"})
	inJSON, _ := json.Marshal(map[string]string{"deep": "x" + key + "y"})
	inString, _ := json.Marshal(string(inJSON))
	for _, b := range []Body{
		RunStart{Input: inJSON}, Message{Files: []FileRef{{key, 1}}}, RunEnd{Output: inString, Error: fault.New(fault.Model, "401 for %s", key).Hinting("not %s", key)},
		WorkerStart{Source: key, Tools: []string{key}}, WorkerEnd{Output: inJSON}, ModelEnd{Text: key, Calls: []CallRef{{"1", key}}},
		Retry{Message: key}, ToolStart{Args: inJSON}, ToolEnd{Result: inString}, Approval{Reason: key}, Message{Text: key},
		Warning{Message: key}, Error{Message: key, Where: &fault.Where{File: key}}, Delta{Text: key}, Status{Text: key},
		Progress{Description: key, Task: key}, Diff{Patch: "+" + key}, Ask{inJSON}, Clearance{Message: key}, Unknown{Type: "x", Line: inJSON},
		ToolStart{Args: raw(`not json ` + key)}, ToolStart{Args: raw(`{"n":98765432,"a":"\u0073k-\u0022quoted\u0022\u002f+key=1"}`)},
		ToolEnd{Result: raw(`"` + url.QueryEscape(key) + `"`)},
		ToolEnd{Result: raw(`"Basic ` + base64.StdEncoding.EncodeToString([]byte("user:"+key+":tail")) + `"`)},
		ToolEnd{Result: raw(`"` + base64.URLEncoding.EncodeToString([]byte("a"+key)) + `"`)},
	} {
		before := fmt.Sprintf("%+v", b)
		line, err := Encode(r.Event(Event{ID: "0", Body: b}))
		if err != nil {
			t.Fatal(err)
		}
		if !json.Valid(line) {
			t.Errorf("%T: no JSON: %s", b, line)
		}
		if strings.Contains(string(line), "quoted") || strings.Contains(string(line), "98765432") || !strings.Contains(string(line), Redacted) {
			t.Errorf("%T: %s", b, line)
		}
		if fmt.Sprintf("%+v", b) != before {
			t.Errorf("%T: the event itself was changed", b)
		}
	}
	if got := r.String("a " + key + " b short"); got != "a "+Redacted+" b short" {
		t.Errorf("%s", got)
	}
	if got := string(r.Bytes([]byte("plain " + key))); got != "plain "+Redacted {
		t.Errorf("%s", got)
	}
	var none *Redactor
	if none.String("x") != "x" || string(none.Bytes([]byte("x"))) != "x" {
		t.Error("a nil redactor changes nothing")
	}
}

// Scenario 35: the values of fields with secret-looking names are removed, whatever
// their type is.
func TestSecretNames(t *testing.T) {
	r := NewRedactor(nil)
	for in, want := range map[string]string{
		`{"password":"a","user":"b"}`:                  `{"password":"[redacted]","user":"b"}`,
		`{"z":1, "API-Key" : {"a":[1,"]}"]} ,"a":[]}`:  `{"z":1, "API-Key" : "[redacted]" ,"a":[]}`,
		`[{"x":{"accessToken":12}}]`:                   `[{"x":{"accessToken":"[redacted]"}}]`,
		`{"Authorization":"Bearer x","ok":true}`:       `{"Authorization":"[redacted]","ok":true}`,
		`{"password":null,"secret":"","token":false}`:  `{"password":null,"secret":"","token":false}`,
		`{"tokens":5,"max_tokens":7,"tokenizer":"x"}`:  `{"tokens":5,"max_tokens":7,"tokenizer":"x"}`,
		`"{\"password\":\"a\"}"`:                       `"{\"password\":\"[redacted]\"}"`,
		`{"pass\u0077ord":"a"}`:                        `{"pass\u0077ord":"[redacted]"}`,
		`{"key":"a","path":"/password","monkey":"b"}`:  `{"key":"a","path":"/password","monkey":"b"}`,
		`{"client_secret":["a","b"],"credentials":{}}`: `{"client_secret":"[redacted]","credentials":"[redacted]"}`,
	} {
		if got := string(r.JSON(raw(in))); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", in, got, want)
		}
	}
}

// A secret that is split over several deltas is removed in every form, and no other text
// is lost: the output is the same as for the whole text at once.
func TestSplitSecret(t *testing.T) {
	long, short := "abcdefgh/ijklmn\"op", "defabc"
	spelled := []string{"hello ", long, short, "abcdefgh", "/ijk", "def", "abc", " ", "ü", "_", "\\n", "%20", "x"}
	for _, s := range secretForms(long) {
		spelled = append(spelled, s.text, s.text[:len(s.text)/2])
	}
	spelled = append(spelled, base64.StdEncoding.EncodeToString([]byte("user:"+long)), base64.StdEncoding.EncodeToString([]byte("user12:"+short+long+"!")))
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(spelled), 0, 8).Draw(t, "parts"), "")
		r := NewRedactor([]string{long, short, "abcdefgh/ijklmnopqrstu"})
		var got, thought strings.Builder
		over := false
		sink := r.Sink(sinkFunc(func(e Event) {
			switch b := e.Body.(type) {
			case Delta:
				if e.ID == "0" {
					got.WriteString(b.Text)
				}
			case Reasoning:
				thought.WriteString(b.Text)
				over = over || b.Over != nil
				if over && b.Over == nil {
					t.Errorf("%q came after the end of the reasoning", b.Text)
				}
			}
		}))
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "n")
			sink.Emit(Event{ID: "0", Body: Reasoning{Text: rest[:n]}})
			sink.Emit(Event{ID: "0", Body: Delta{Text: rest[:n]}})
			sink.Emit(Event{ID: "0.1", Body: Delta{Text: "other call"}})
			sink.Emit(Event{ID: "0", Body: Status{Text: "meanwhile"}})
			rest = rest[n:]
		}
		if rapid.Bool().Draw(t, "stopped") { // what was held back never comes, and is no part of the next answer
			want := r.Beginning(text)
			sink.Emit(Event{ID: "0", Body: Reasoning{Over: &Reasoned{}, Broken: true}})
			sink.Emit(Event{ID: "0", Body: Delta{Broken: true}})
			over = false
			sink.Emit(Event{ID: "0", Body: Warning{}})
			sink.Emit(Event{ID: "0", Body: rapid.SampledFrom([]Body{ModelStart{}, WorkerEnd{}, RunEnd{}}).Draw(t, "end")})
			sink.Emit(Event{ID: "0", Body: Delta{Text: "!"}})
			sink.Emit(Event{ID: "0", Body: Reasoning{Text: "!"}})
			if got.String() != want+"!" || thought.String() != want+"!" {
				t.Fatalf("%q, stopped, came as %q, as reasoning %q, want %q", text, got.String(), thought.String(), want)
			}
			return
		}
		sink.Emit(Event{ID: "0", Body: Reasoning{Over: &Reasoned{}}})
		sink.Emit(Event{ID: "0", Body: ModelEnd{}})
		if want := r.String(text); got.String() != want || thought.String() != want {
			t.Fatalf("%q came as %q, as reasoning %q, whole it is %q", text, got.String(), thought.String(), want)
		}
		cut := rapid.IntRange(0, len(text)).Draw(t, "cut")
		if beginning := r.Beginning(text[:cut]); !strings.HasPrefix(got.String(), beginning[:max(0, len(beginning)-minBeginning+1)]) {
			t.Fatalf("the beginning %q came as %q, whole it is %q", text[:cut], beginning, got.String())
		}
		if strings.Contains(got.String(), long) {
			t.Fatalf("%q slipped through as %q", text, got.String())
		}
	})
}

// A secret in any form, also as it is in JSON (such as a private key in one line with \n), is
// removed from a JSON string that has it, as from the text.
func TestSecretFormsInsideJSONStrings(t *testing.T) {
	for _, secret := range []string{"-----BEGIN\nline SeCrEt00\nline SeCrEt01\n-----END", "abcdefgh/ijklmn\"op", "back\\slash\\SeCrEt00", "tab\tSeCrEt0123456", "<SeCrEt>&0123456789"} {
		r := NewRedactor([]string{secret})
		for _, f := range secretForms(secret) {
			text := "the key is " + f.text + " here"
			quoted, err := json.Marshal(text)
			if err != nil {
				t.Fatal(err)
			}
			var got string
			if err := json.Unmarshal(r.Line(quoted), &got); err != nil || got != r.String(text) || strings.Contains(got, f.text) {
				t.Errorf("%s became %q, %v", quoted, got, err)
			}
		}
	}
}

// A short key is removed where it is a word of its own. A longer word that contains the
// key stays.
func TestShortSecrets(t *testing.T) {
	r := NewRedactor([]string{"ollama", "gr_ok1"})
	for in, want := range map[string]string{
		"ollama":                         "[redacted]",
		"Bearer ollama, ollama.":         "Bearer [redacted], [redacted].",
		"ollamas and a collama":          "ollamas and a collama",
		"ollama:qwen3":                   "[redacted]:qwen3",
		"key=ollama&x":                   "key=[redacted]&x",
		`{"key":"ollama","k":"xollama"}`: `{"key":"[redacted]","k":"xollama"}`,
		`broken {"a\nollama`:             `broken {"a\n[redacted]`,
		"%20ollama":                      "%20[redacted]",
		`\u000aollama é`:                 `\u000a[redacted] é`,
		"éollama ollamaé ollama_":        "éollama ollamaé ollama_",
		"agr_ok1 gr_ok1":                 "agr_ok1 [redacted]",
	} {
		if got := string(r.Bytes([]byte(in))); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
	if got := string(r.JSON(raw(`{"a":"` + base64.StdEncoding.EncodeToString([]byte("users:ollama:x")) + `"}`))); !strings.Contains(got, Redacted) {
		t.Errorf("in base64: %s", got)
	}
}

// Variables that hold keys are recognised by their names, in the same way on every
// platform.
func TestKeyVariable(t *testing.T) {
	for name, want := range map[string]bool{
		"OPENAI_API_KEY": true, "ACME_KEY": true, "GITHUB_TOKEN": true, "openai_api_key": true, "AWS_SECRET": true, "Acme_Token": true,
		"OPENAI_BASE_URL": false, "GOLEM_MODEL": false, "PATH": false, "KEYBOARD": false, "GOLEM_TOKEN": false, "LLM_DO_KEY": false,
	} {
		if KeyVariable(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}

// When a stream starts over, the text that was held back is dropped.
func TestResetDropsHeldText(t *testing.T) {
	var got []string
	sink := NewRedactor([]string{"abcdefgh"}).Sink(sinkFunc(func(e Event) {
		if d, ok := e.Body.(Delta); ok {
			got = append(got, fmt.Sprintf("%s %v", d.Text, d.Reset))
		}
	}))
	sink.Emit(Event{ID: "0", Body: Delta{Text: "abc"}})
	sink.Emit(Event{ID: "0", Body: Delta{Reset: true}})
	sink.Emit(Event{ID: "0", Body: Delta{Text: "defg."}})
	if strings.Join(got, ",") != " true,defg. false" {
		t.Errorf("%q", got)
	}
}

type sinkFunc func(Event)

func (f sinkFunc) Emit(e Event) { f(e) }

// Artifacts are complete and redacted, and only files with the right names are written.
func TestArtifacts(t *testing.T) {
	files := map[string]string{}
	a := &Artifacts{
		Files:    putFunc(func(name string, data []byte) error { files[name] = string(data); return nil }),
		Redactor: new(atomic.Pointer[Redactor]),
	}
	a.Redactor.Store(NewRedactor([]string{key}))
	long := strings.Repeat("x", 10000)
	for _, err := range []error{
		a.Keep("0.prompt.json", []string{"system", key}), a.Keep("0.1.in.json", raw(`{"password":"p","text":"`+long+`"}`)), a.Keep("0.1.out.json", "ok\u2028"), a.Keep("0.12.out.json", nil),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	if got := files["0.prompt.json"]; got != `["system","[redacted]"]`+"\n" {
		t.Errorf("%s", got)
	}
	if got := files["0.1.in.json"]; !strings.Contains(got, long) || strings.Contains(got, `"p"`) {
		t.Errorf("%s", got)
	}
	if got := files["0.1.out.json"]; got != `"ok\u2028"`+"\n" {
		t.Errorf("%q", got)
	}
	n := len(files)
	for _, id := range []string{"", "../x", "0/1", "a", "0..1", strings.Repeat("0", 600)} {
		if err := a.Keep(id+".in.json", 1); !errors.Is(err, fault.Path) {
			t.Errorf("%q: %v", id, err)
		}
	}
	if err := a.Keep("0.secrets.json", 1); !errors.Is(err, fault.Path) || len(files) != n {
		t.Errorf("%v", err)
	}
	a.Files = putFunc(func(string, []byte) error { return errors.New("disk full") })
	if err := a.Keep("0.in.json", 1); !errors.Is(err, fault.Quota) {
		t.Error(err)
	}
	var none *Artifacts
	if none.Keep("0.in.json", 1) != nil {
		t.Error("nil keeps nothing")
	}
}

// No form of a secret stays in valid JSON, and the output is still valid JSON.
func FuzzRedactJSON(f *testing.F) {
	for _, s := range []string{`{"a":"secret-value-0123"}`, `"\u0073ecret-value-0123"`, `[1,{"password":[{"x":"}"}]}]`, `{"a":"{\"token\":\"x\"}"}`, `{"secret-value-0123":1}`, `x secret-value-0123`} {
		f.Add([]byte(s))
	}
	r := NewRedactor([]string{"secret-value-0123"})
	f.Fuzz(func(t *testing.T, data []byte) {
		out := r.JSON(data)
		if json.Valid(data) && !json.Valid(out) {
			t.Fatalf("%s became %s", data, out)
		}
		var v any
		if json.Unmarshal(out, &v) != nil {
			return
		}
		if strings.Contains(fmt.Sprint(v), "secret-value-0123") {
			t.Fatalf("%s leaves %s", data, out)
		}
		if again := r.JSON(out); string(again) != string(out) {
			t.Fatalf("%s, then %s", out, again)
		}
	})
}
