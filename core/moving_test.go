package core_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"testing"

	"golem/core"
	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/options"
	"golem/core/run"
)

const movedID = "20260101-000000-aaaaaa"

// exported returns a project in which a run has ended, and its conversation as a file.
func exported(t *testing.T, files map[string]string) (*yard, []byte) {
	t.Helper()
	y := newYard(t, moment{files: files})
	y.open(t).Run(t.Context(), run.Input{Text: "go"}, always(), core.RunOptions{ID: movedID})
	data, err := core.ExportConversation(y.open(t), movedID)
	if err != nil {
		t.Fatal(err)
	}
	return y, data
}

// imported imports a file into a project.
func imported(t *testing.T, y *yard, data []byte) (string, error) {
	t.Helper()
	plan, err := core.PlanImport(y.open(t), data)
	if err != nil {
		return "", err
	}
	return plan.Import(t.Context())
}

// A run that is killed at any moment goes on elsewhere, from its exported conversation, with
// the files of a run that was not killed.
func TestARunGoesOnElsewhere(t *testing.T) {
	whole := newYard(t, moment{files: volatileFiles()})
	whole.open(t).Run(t.Context(), run.Input{Text: "go"}, always(), core.RunOptions{ID: movedID})
	want := contents(whole.tree)
	moved := 0
	for i, m := range whole.moments {
		if inputsIn(m) == 0 || !strings.HasPrefix(m.what, "0 of ") {
			continue
		}
		moved++
		here := newYard(t, m)
		data, err := core.ExportConversation(here.open(t), movedID)
		if err != nil {
			t.Fatalf("moment %d, %s: %v", i, m.what, err)
		}
		there := newYard(t, moment{files: volatileFiles()})
		id, err := imported(t, there, data)
		if err != nil || id != movedID {
			t.Fatalf("moment %d, %s: imported %q, %v", i, m.what, id, err)
		}
		res := there.open(t).Run(t.Context(), run.Input{}, always(), core.RunOptions{Running: options.Running{Resume: new(""), Doubt: options.DoubtRepeat}})
		if got := contents(there.tree); res.Output.Text != "done" || !maps.Equal(got, want) {
			t.Fatalf("moment %d, %s: %v %q, files %v", i, m.what, res.Error, res.Output.Text, got)
		}
		undoAll(t, there.open(t))
		if got := contents(there.tree); !maps.Equal(got, volatileFiles()) {
			t.Fatalf("moment %d, %s: undone, the files are %v", i, m.what, got)
		}
	}
	if moved < 8 {
		t.Errorf("moved at %d moments", moved)
	}
}

// A conversation that went on elsewhere comes back in its old place; what is here already is
// E_CONFLICT; if both went on, it is another conversation.
func TestAConversationComesBack(t *testing.T) {
	files := yardFiles()
	files["s.yaml"] = "script: 1\nworkers:\n  main:\n    - when: {match: \"(.+)\"}\n      say: \"heard $1\"\n"
	say := func(y *yard, text string, resume *string) {
		u := always()
		u.Inputs = []run.Input{{Text: text}}
		y.open(t).Chat(t.Context(), nil, u, core.RunOptions{ID: movedID, Running: options.Running{Resume: resume}})
	}
	take := func(y *yard) []byte {
		data, err := core.ExportConversation(y.open(t), movedID)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	here, there := newYard(t, moment{files: files}), newYard(t, moment{files: files})
	say(here, "one", nil)
	if id, err := imported(t, there, take(here)); id != movedID || err != nil {
		t.Fatalf("%q %v", id, err)
	}
	say(there, "two", new(movedID))
	back := take(there)
	if id, err := imported(t, here, back); id != movedID || err != nil {
		t.Fatalf("back: %q %v", id, err)
	}
	if got := strings.Join(talk(t, here), "|"); got != "you : one|golem : heard one|you : two|golem : heard two" {
		t.Errorf("back, it is %q", got)
	}
	if _, err := imported(t, here, back); !errors.Is(err, fault.Conflict) {
		t.Errorf("once more: %v", err)
	}
	say(here, "three", new(movedID))
	say(there, "four", new(movedID))
	if id, err := imported(t, here, take(there)); id == movedID || err != nil {
		t.Errorf("both went on: %q %v", id, err)
	}
	if got := strings.Join(talk(t, here), "|"); !strings.HasSuffix(got, "heard two|you : four|golem : heard four") {
		t.Errorf("the other one is %q", got)
	}
}

// An export has no secret that golem knows, neither in its texts nor in its files.
func TestExportsHaveNoSecret(t *testing.T) {
	y, _ := exported(t, volatileFiles())
	if err := y.tree.WriteFile("out/helper.txt", []byte("key sk-secret-0123456789")); err != nil {
		t.Fatal(err)
	}
	data, err := core.ExportConversation(y.open(t), movedID)
	if err != nil || bytes.Contains(data, []byte("sk-secret")) || bytes.Contains(data, []byte("c2stc2VjcmV0")) {
		t.Fatalf("%v %s", err, data)
	}
	plan, err := core.PlanImport(newYard(t, moment{files: volatileFiles()}).open(t), data)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range plan.Files {
		if f.Path == "out/helper.txt" && (f.Action != core.ImportLeave || f.Why != conversation.LeftSecret) {
			t.Errorf("the file with the secret: %+v", f)
		}
	}
}

// forged returns an export with a change, and a digest that fits.
func forged(t *testing.T, data []byte, change func(x map[string]any)) []byte {
	t.Helper()
	var x map[string]any
	if err := json.Unmarshal(data, &x); err != nil {
		t.Fatal(err)
	}
	change(x)
	out, err := json.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	var parts struct {
		ID      string            `json:"id"`
		Entries []json.RawMessage `json:"entries"`
		Files   json.RawMessage   `json:"files"`
	}
	if err := json.Unmarshal(out, &parts); err != nil {
		return out // it is no export any more
	}
	digested, err := json.Marshal(struct {
		ID      string
		Entries []json.RawMessage
		Files   json.RawMessage
	}(parts))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(digested)
	x["digest"] = "sha256:" + hex.EncodeToString(sum[:])
	if out, err = json.Marshal(x); err != nil {
		t.Fatal(err)
	}
	return out
}

// What no golem exports is refused before anything is shown or written.
func TestHostileImports(t *testing.T) {
	_, good := exported(t, volatileFiles())
	file := func(x map[string]any, change func(f map[string]any)) {
		files := x["files"].([]any)
		change(files[len(files)-1].(map[string]any))
	}
	named := func(name string) func(map[string]any) {
		return func(x map[string]any) { file(x, func(f map[string]any) { f["path"] = name }) }
	}
	entry := func(text string) func(map[string]any) {
		return func(x map[string]any) {
			x["entries"] = append(x["entries"].([]any), json.RawMessage(text))
		}
	}
	cases := map[string]struct {
		data []byte
		want error
	}{
		"nothing":            {nil, fault.Config},
		"another JSON":       {[]byte(`{"golem":"trace","v":1}`), fault.Config},
		"an array":           {[]byte(`[]`), fault.Config},
		"changed":            {bytes.Replace(good, []byte(`"text":"done"`), []byte(`"text":"gone"`), 1), fault.Config},
		"a newer version":    {forged(t, good, func(x map[string]any) { x["v"] = 2 }), fault.Config},
		"another project":    {forged(t, good, func(x map[string]any) { x["entries"].([]any)[0].(map[string]any)["worker"] = "other" }), fault.Conflict},
		"an ID with a slash": {forged(t, good, func(x map[string]any) { x["id"] = "../x" }), fault.Config},
		"no head":            {forged(t, good, func(x map[string]any) { x["entries"] = x["entries"].([]any)[1:] }), fault.Config},
		"a second head":      {forged(t, good, entry(`{"t":"head","run":"x","worker":"main"}`)), fault.Config},
		"no entries":         {forged(t, good, func(x map[string]any) { x["entries"] = []any{} }), fault.Config},
		"a file twice": {forged(t, good, func(x map[string]any) {
			files := x["files"].([]any)
			twin := maps.Clone(files[len(files)-1].(map[string]any))
			twin["path"] = strings.ToUpper(twin["path"].(string))
			x["files"] = append(files, twin)
		}), fault.Path},
		"another content": {forged(t, good, func(x map[string]any) { file(x, func(f map[string]any) { f["data"] = "YWJj" }) }), fault.Config},
		"a negative size": {forged(t, good, func(x map[string]any) { file(x, func(f map[string]any) { f["size"] = -1 }) }), fault.Config},
		"too large":       {bytes.Repeat([]byte(" "), conversation.MaxExport+1), fault.Limit},
	}
	for _, name := range []string{"../x", "/etc/x", "a/../../x", "", ".", "a//b", "C:x", "a\\b", "nul", "a\u202eb", strings.Repeat("a", 300)} {
		cases["the path "+name] = struct {
			data []byte
			want error
		}{forged(t, good, named(name)), fault.Path}
	}
	for _, text := range []string{
		`{"t":"answer","id":"0","name":"0#1","turn":-1,"answer":{}}`,
		`{"t":"answer","id":"0","name":"0#1","turn":9,"answer":{"calls":[]},"redacted":[3]}`,
		`{"t":"answer","id":"0","name":"0#1","turn":9,"answer":{"calls":[]},"redacted":[-3]}`,
		`{"t":"compact","name":"0#1","turn":1,"dropped":{"exchanges":999999999}}`,
		`{"t":"steer","name":"0#1","turn":1}`,
		`{"t":"lost","name":"0#1","usage":{"in":-5}}`,
		`{"t":7}`, `7`,
	} {
		cases["the entry "+text] = struct {
			data []byte
			want error
		}{forged(t, good, entry(text)), fault.Config}
	}
	for n := range 40 {
		cases["cut after "+strings.Repeat("i", n)] = struct {
			data []byte
			want error
		}{good[:len(good)*n/40], fault.Config}
	}
	for what, c := range cases {
		y := newYard(t, moment{files: volatileFiles()})
		_, err := imported(t, y, c.data)
		if !errors.Is(err, c.want) || len(contents(y.state)) > 0 || !maps.Equal(contents(y.tree), volatileFiles()) {
			t.Errorf("%s: %v, want %v", what, err, c.want)
		}
	}
}

// An import leaves out what defines the project or is golem's own, and what is changed after it
// was shown is not written.
func TestImportsLeaveOut(t *testing.T) {
	_, good := exported(t, volatileFiles())
	for _, name := range []string{"main.worker", "workers/helper.worker", ".golem/trust", ".git/hooks/x", ".env", "project.yaml"} {
		data := forged(t, good, func(x map[string]any) {
			for _, f := range x["files"].([]any) {
				if f.(map[string]any)["path"] == "out/helper.txt" {
					f.(map[string]any)["path"] = name
				}
			}
		})
		y := newYard(t, moment{files: volatileFiles()})
		before := contents(y.tree)[name]
		plan, err := core.PlanImport(y.open(t), data)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		left := false
		for _, f := range plan.Files {
			left = left || f.Path == name && f.Action == core.ImportLeave && f.Why == conversation.LeftProtected
		}
		if _, err := plan.Import(t.Context()); err != nil || !left || contents(y.tree)[name] != before {
			t.Errorf("%s: left out %v, %v, content %q", name, left, err, contents(y.tree)[name])
		}
	}
	removed := forged(t, good, func(x map[string]any) {
		x["files"] = append([]any{map[string]any{"path": "workers", "gone": true}}, x["files"].([]any)...)
	})
	y := newYard(t, moment{files: volatileFiles()})
	if _, err := imported(t, y, removed); err != nil || contents(y.tree)["workers/helper.worker"] == "" {
		t.Errorf("a directory with a worker: %v, files %v", err, contents(y.tree))
	}
	y = newYard(t, moment{files: volatileFiles()})
	plan, err := core.PlanImport(y.open(t), good)
	if err != nil {
		t.Fatal(err)
	}
	if err := y.tree.WriteFile("sum.txt", []byte("mine")); err != nil {
		t.Fatal(err)
	}
	if _, err := plan.Import(t.Context()); !errors.Is(err, fault.Conflict) || contents(y.tree)["sum.txt"] != "mine" || len(contents(y.state)) > 0 {
		t.Errorf("changed after it was shown: %v", err)
	}
}
