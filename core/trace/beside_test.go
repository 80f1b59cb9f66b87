package trace

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	"golem/core/fault"
)

// shelf keeps long texts in memory.
type shelf map[string][]byte

func (s shelf) Put(name string, data []byte) error {
	s[name] = bytes.Clone(data)
	return nil
}

func (s shelf) Text(name string, _ int64) ([]byte, error) {
	if data, ok := s[name]; ok {
		return data, nil
	}
	return nil, fs.ErrNotExist
}

type putFunc func(name string, data []byte) error

func (f putFunc) Put(name string, data []byte) error { return f(name, data) }

type textFunc func(name string, size int64) ([]byte, error)

func (f textFunc) Text(name string, size int64) ([]byte, error) { return f(name, size) }

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// beside returns the trace file of the events and the long texts that are stored beside
// it.
func beside(t testing.TB, events ...Event) (file []byte, texts shelf) {
	t.Helper()
	var b bytes.Buffer
	texts = shelf{}
	w := NewWriter(&b, sampleHeader, clock())
	w.Texts = texts
	for _, e := range events {
		w.Emit(e)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), texts
}

// Scenario 46: an event of any size is written, and so is the next one, whether or not
// long texts can be stored beside the trace.
func TestLargeEvents(t *testing.T) {
	long, err := json.Marshal(strings.Repeat("ab\n", keepBuffer/3))
	if err != nil {
		t.Fatal(err)
	}
	events := []Event{
		{ID: "0", Body: RunStart{Input: long}}, {ID: "0", Body: ModelEnd{Text: unquote(long)}}, {ID: "0.1", Body: ToolStart{Tool: "write_file", Args: raw(`{"content":` + string(long) + `}`)}},
		{ID: "0.1", Body: Delta{Text: unquote(long)}}, {ID: "0", Body: ModelStart{Turn: 2}},
	}
	whole := write(t, sampleHeader, events)
	file, texts := beside(t, events...)
	if len(texts) != 1 || len(file) > 10_000 {
		t.Errorf("%d texts beside %d bytes", len(texts), len(file))
	}
	_, read, err := Read(bytes.NewReader(file), texts)
	if err != nil || len(read) != 4 {
		t.Fatalf("%d events, %v", len(read), err)
	}
	if again := write(t, sampleHeader, read); !bytes.Equal(again, whole) {
		t.Error("what was kept beside the trace does not make it whole")
	}
}

// A string over 4096 bytes is stored beside the trace under its digest, wherever it
// occurs in the event. The line has its size and its beginning (SPEC §14, §16).
func TestLongTextsLieBeside(t *testing.T) {
	long := strings.Repeat("é", 2500) // 5000 bytes
	quoted, err := json.Marshal(long)
	if err != nil {
		t.Fatal(err)
	}
	args := raw(`{"deep":[{"text":` + string(quoted) + `}],"` + long + `":1,"short":"` + strings.Repeat("x", 4096) + `"}`)
	call := Event{ID: "0.1", Body: ToolStart{Tool: "t", Kind: "builtin", Args: args}}
	file, texts := beside(t, call, Event{ID: "0", Body: ModelEnd{Text: long, Calls: []CallRef{{ID: "1", Name: long}}}})
	var got struct {
		Args map[string]any `json:"args"`
	}
	if err := json.Unmarshal([]byte(lines(file)[1]), &got); err != nil {
		t.Fatalf("%v: %s", err, file)
	}
	cut := got.Args["deep"].([]any)[0].(map[string]any)["text"].(map[string]any)
	if cut["cut"] != 5000.0 || cut["sha256"] != digest(long) || !strings.HasPrefix(long, cut["head"].(string)) || len(cut["head"].(string)) != 1024 {
		t.Errorf("cut %v", cut)
	}
	if len(got.Args["short"].(string)) != 4096 {
		t.Error("4096 bytes are not over 4096 bytes")
	}
	for k := range got.Args {
		if len(k) > 4096 {
			t.Error("a key was left long")
		}
	}
	if len(texts) != 1 || string(texts[digest(long)+".txt"]) != long {
		t.Errorf("%d texts", len(texts))
	}
	_, events, err := Read(bytes.NewReader(file), texts)
	if err != nil {
		t.Fatal(err)
	}
	if back := events[0].Body.(ToolStart); string(back.Args) != string(args) {
		t.Errorf("%.200s", back.Args)
	}
	if m := events[1].Body.(ModelEnd); m.Text != long || m.Calls[0].Name != long {
		t.Error("a text was not found again")
	}
	// Without the stored texts, a long text appears as its beginning with a note about
	// what is missing.
	_, events, err = Read(bytes.NewReader(file), nil)
	if err != nil {
		t.Fatal(err)
	}
	if m := events[1].Body.(ModelEnd); !strings.Contains(m.Text, "5000 bytes") || !strings.Contains(m.Text, digest(long)) || !strings.HasPrefix(m.Text, "éé") {
		t.Errorf("%+v", m)
	}
}

// A long value without a long string is stored beside the trace as JSON, so that the
// length of a line is bounded.
func TestLongValuesLieBeside(t *testing.T) {
	list := raw("[" + strings.Repeat(`"0123456789",`, 40_000) + "0]")
	file, texts := beside(t, Event{ID: "0.1", Body: ToolEnd{Tool: "t", Status: "ok", Result: list}}, Event{ID: "0", Body: ModelStart{}})
	if len(file) > 8192 || len(texts) != 1 || texts[digest(string(list))+".json"] == nil {
		t.Fatalf("%d bytes, %d texts", len(file), len(texts))
	}
	_, events, err := Read(bytes.NewReader(file), texts)
	if err != nil || len(events) != 2 {
		t.Fatal(err)
	}
	if got := events[0].Body.(ToolEnd).Result; string(got) != string(list) {
		t.Errorf("%.100s", got)
	}
}

// The reader does not use a stored text that does not match its digest, because the text
// is incomplete or was changed.
func TestTextsAreChecked(t *testing.T) {
	long := strings.Repeat("x", 5000)
	file, texts := beside(t, Event{ID: "0", Body: ModelEnd{Text: long}})
	name := digest(long) + ".txt"
	for what, data := range map[string][]byte{"torn": []byte(long[:4999]), "changed": []byte("y" + long[1:]), "gone": nil} {
		texts[name] = data
		if data == nil {
			delete(texts, name)
		}
		_, events, err := Read(bytes.NewReader(file), texts)
		if err != nil || len(events) != 1 || !strings.Contains(events[0].Body.(ModelEnd).Text, "5000 bytes") {
			t.Errorf("%s: %v %v", what, events, err)
		}
	}
	for _, cut := range []string{
		`{"cut":3,"sha256":"../../etc/passwd","head":"x"}`, `{"cut":-1,"sha256":"` + digest("") + `","head":""}`, `{"cut":1e99,"sha256":"","head":""}`,
		`{"cut":3,"sha256":"` + strings.ToUpper(digest("abc")) + `","head":"x"}`, `{"cut":9223372036854775807,"sha256":"` + digest("abc") + `","head":"x"}`,
	} {
		asked := ""
		_, events, err := Read(strings.NewReader(`{"golem":"trace","v":1}`+"\n"+`{"type":"tool.start","id":"0.1","args":`+cut+"}\n"), textFunc(func(name string, _ int64) ([]byte, error) {
			asked += name
			return []byte("abc"), nil
		}))
		if err != nil || len(events) != 1 || string(events[0].Body.(ToolStart).Args) != cut || strings.ContainsAny(asked, "/") {
			t.Errorf("%s: %v %v, asked for %q", cut, events, err, asked)
		}
	}
}

// If long texts cannot be stored, only they are lost, and the error is reported once.
func TestTextsThatCannotBeKept(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b, sampleHeader, clock())
	full, told := errors.New("no space left"), 0
	w.Texts = putFunc(func(string, []byte) error { return full })
	w.OnError = func(err error) {
		told++
		if !errors.Is(err, full) {
			t.Error(err)
		}
	}
	for i := range 3 {
		w.Emit(Event{ID: "0", Body: ModelEnd{Turn: i, Text: fmt.Sprint(i, strings.Repeat("x", 5000))}})
	}
	if err := w.Close(); !errors.Is(err, full) || told != 1 {
		t.Errorf("told %d times, %v", told, err)
	}
	if got := lines(b.Bytes()); len(got) != 4 || !strings.Contains(got[3], `"seq":3`) || !strings.Contains(got[3], `"cut":5001`) {
		t.Errorf("%.300q", got)
	}
}

// A run stores at most maxBeside bytes beside its trace.
func TestTextsAreBounded(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b, sampleHeader, clock())
	kept, told := 0, error(nil)
	w.Texts = putFunc(func(_ string, data []byte) error { kept += len(data); return nil })
	w.OnError = func(err error) { told = err }
	w.texts.max = 100_000
	text := strings.Repeat("x", 9_000)
	for i := range 20 {
		w.Emit(Event{ID: "0", Body: ModelEnd{Text: fmt.Sprint(i) + text}})
	}
	if kept > 100_000 || kept < 90_000 || !errors.Is(told, fault.Limit) {
		t.Errorf("%d bytes, %v", kept, told)
	}
}

// Scenario 46, --json and the page: the lines that they get have complete texts, and the
// same sequence numbers as the file.
func TestWholeLines(t *testing.T) {
	var file, stream bytes.Buffer
	w := NewWriter(&file, sampleHeader, clock())
	w.Texts = shelf{}
	w.Whole(&stream)
	long := strings.Repeat("x", 5000)
	w.Emit(Event{ID: "0", Body: ModelEnd{Text: long}})
	w.Emit(Event{ID: "0", Body: ModelStart{}})
	got, short := lines(stream.Bytes()), lines(file.Bytes())
	if len(got) != 3 || !strings.Contains(got[1], long) || strings.Contains(short[1], long) || got[2] != short[2] || got[0] != short[0] {
		t.Errorf("stream %.300q\nfile %.300q", got, short)
	}
}

// Reading a trace with its stored texts returns the same events, whatever they contain.
func TestBesideRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.Custom(func(t *rapid.T) string {
			return strings.Repeat(rapid.SampledFrom([]string{"a", "\n", "é", `"`, "\u2028", `{"cut":1}`, "\x01"}).Draw(t, "unit"), rapid.SampledFrom([]int{0, 1, 500, 4096, 4097, 9000}).Draw(t, "n"))
		})
		v := map[string]any{text.Draw(t, "key"): []any{text.Draw(t, "one"), map[string]any{"deep": text.Draw(t, "two")}}}
		args, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		e := Event{ID: "0", Body: ToolEnd{Tool: text.Draw(t, "tool"), Result: args}}
		var whole, file bytes.Buffer
		texts := shelf{}
		w := NewWriter(&file, sampleHeader, clock())
		w.Texts = texts
		w.Whole(&whole)
		w.Emit(e)
		var made bytes.Buffer
		if err := Inline(&made, &file, texts); err != nil {
			t.Fatal(err)
		}
		if made.String() != whole.String() {
			t.Fatalf("made   %.400q\nwanted %.400q", made.String(), whole.String())
		}
	})
}

// tree is a folder of traces in memory.
type tree struct{ fstest.MapFS }

func (f tree) Remove(name string) error {
	for other := range f.MapFS {
		if strings.HasPrefix(other, name+"/") {
			return errors.New("not empty")
		}
	}
	delete(f.MapFS, name)
	return nil
}

// The newest traces stay with their texts, and files that do not belong to golem stay.
func TestPrune(t *testing.T) {
	f := tree{fstest.MapFS{"mine.jsonl": {}, "mine.d/a.txt": {}, "20200101-000000-aaaaaa.d/" + digest("orphan") + ".txt": {}}}
	for i := range 5 {
		run := fmt.Sprintf("2026010%d-000000-aaaaaa", i+1)
		f.MapFS[run+".jsonl"] = &fstest.MapFile{}
		f.MapFS[run+".d/"+digest(run)+".txt"] = &fstest.MapFile{}
	}
	f.MapFS["20260101-000000-aaaaaa.d/notes.txt"] = &fstest.MapFile{}
	f.MapFS["20260102-000000-aaaaaa.d/0.1.prompt.json"] = &fstest.MapFile{} // removed with its trace
	f.MapFS["99990101-000000-aaaaaa.jsonl"] = &fstest.MapFile{}             // came with a cloned project
	Prune(f, "20260106-000000-aaaaaa.jsonl", 3, nil, nil)
	var left []string
	if err := fs.WalkDir(f, ".", func(name string, d fs.DirEntry, err error) error {
		if !d.IsDir() {
			left = append(left, strings.ReplaceAll(name, digest(strings.TrimSuffix(strings.Split(name, "/")[0], ".d")), "…"))
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	want := "20260101-000000-aaaaaa.d/notes.txt 20260103-000000-aaaaaa.d/….txt 20260103-000000-aaaaaa.jsonl 20260104-000000-aaaaaa.d/….txt 20260104-000000-aaaaaa.jsonl 20260105-000000-aaaaaa.d/….txt 20260105-000000-aaaaaa.jsonl mine.d/a.txt mine.jsonl"
	if got := strings.Join(left, " "); got != want {
		t.Errorf("left %s\nwant %s", got, want)
	}
}

// X6: traces that a clone brings along, however many and whatever their times, do not
// displace the person's own, and stay.
func TestPruneCountsOwnOnes(t *testing.T) {
	f := tree{fstest.MapFS{}}
	var own []string
	for i := range 4 {
		own = append(own, fmt.Sprintf("20200101-00000%d-aaaaaa.jsonl", i))
		f.MapFS[own[i]] = &fstest.MapFile{}
	}
	for i := range 9 {
		f.MapFS[fmt.Sprintf("2026010%d-000000-bbbbbb.jsonl", i+1)] = &fstest.MapFile{}
	}
	Prune(f, "20260201-000000-aaaaaa.jsonl", 3, append(own, "20200109-000000-aaaaaa.jsonl"), nil)
	for i, name := range own {
		if _, there := f.MapFS[name]; there != (i > 0) {
			t.Errorf("%s: there %v", name, there)
		}
	}
	if len(f.MapFS) != 3+9 {
		t.Errorf("%d files are left", len(f.MapFS))
	}
}

// The name of the folder for long texts is made from the name of the trace file.
func TestTextsDir(t *testing.T) {
	for name, want := range map[string]string{"t.jsonl": "t.d", "a/b.jsonl": "a/b.d", "t": "t.d", "t.log": "t.log.d", ".jsonl": ".jsonl.d"} {
		if got := TextsDir(name); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
}
