package batch_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	"golem/core/batch"
	"golem/core/fault"
)

// inputs reads all inputs, for tests.
func inputs(read func(func(batch.Input) error) error) (out []batch.Input, err error) {
	err = read(func(in batch.Input) error {
		out = append(out, in)
		return nil
	})
	return out, err
}

func lines(text string) ([]batch.Input, error) {
	return inputs(func(y func(batch.Input) error) error { return batch.ReadLines(strings.NewReader(text), y) })
}

func table(text string) ([]batch.Input, error) {
	return inputs(func(y func(batch.Input) error) error { return batch.ReadTable(strings.NewReader(text), y) })
}

// JSON Lines and tables give texts and objects with their lines.
func TestReads(t *testing.T) {
	for _, c := range []struct {
		what string
		got  []batch.Input
		err  error
		want string
	}{
		{what: "lines", want: `[1 "one" 3 {"b":2,"a":"<"} 4 "last"]`},
		{what: "table", want: `[2 {"id":"1","text":"a, \"b\"\nc"} 4 {"id":"2","text":""}]`},
	} {
		if c.what == "lines" {
			c.got, c.err = lines("\ufeff\"one\"\r\n\n {\"b\": 2, \"a\": \"<\"} \n\"last\"")
		} else {
			c.got, c.err = table("\ufeffid,text\r\n1,\"a, \"\"b\"\"\nc\"\n2,\n")
		}
		var got []string
		for _, in := range c.got {
			if in.JSON != nil {
				got = append(got, fmt.Sprintf("%d %s", in.Line, in.JSON))
			} else {
				got = append(got, fmt.Sprintf("%d %q", in.Line, in.Text))
			}
		}
		if c.err != nil || "["+strings.Join(got, " ")+"]" != c.want {
			t.Errorf("%s: %v %v", c.what, got, c.err)
		}
	}
}

// Inputs that are wrong are refused with their line.
func TestRefusesInputs(t *testing.T) {
	long := `"` + strings.Repeat("x", batch.MostBytes) + `"`
	for _, c := range []struct {
		what   string
		csv    bool
		text   string
		code   fault.Code
		within string
	}{
		{"a number", false, "\"a\"\n7\n", fault.Usage, "line 2 of the inputs: it is neither a text nor an object: 7"},
		{"an array", false, "[1]", fault.Usage, "line 1"},
		{"null", false, "null", fault.Usage, "line 1"},
		{"half a line", false, "\"a\"\n{\"b\":", fault.Usage, "line 2 of the inputs: it is not JSON"},
		{"two values", false, `"a" "b"`, fault.Usage, "it is not JSON"},
		{"bytes", false, "\"\xff\"", fault.Usage, "UTF-8"},
		{"an empty text", false, `"  "`, fault.Usage, "empty"},
		{"a line that is too long", false, "\"a\"\n" + long, fault.Limit, "line 2 of the inputs: it has more than"},
		{"an empty table", true, "", fault.Usage, "empty"},
		{"fields without names", true, "a,,c\n", fault.Usage, "field 2 has no name"},
		{"fields with one name", true, "a,a\n", fault.Usage, `"a"`},
		{"a short row", true, "a,b\n1,2\n3\n", fault.Usage, "line 3 of the inputs: it has 1 field, and the first line names 2"},
		{"a torn table", true, "a,b\n1,\"2\n", fault.Usage, "line 2 of the inputs"},
		{"a quote in the middle", true, "a\nx\"y\n", fault.Usage, "line 2"},
		{"bytes in a table", true, "a\n\xff\n", fault.Usage, "UTF-8"},
	} {
		read := lines
		if c.csv {
			read = table
		}
		_, err := read(c.text)
		if !errors.Is(err, c.code) || !strings.Contains(err.Error(), c.within) {
			t.Errorf("%s: %v", c.what, err)
		}
	}
}

// A line of 10 MB is read.
func TestLongLine(t *testing.T) {
	got, err := lines(`"` + strings.Repeat("x", 10<<20) + `"` + "\n\"b\"")
	if err != nil || len(got) != 2 || len(got[0].Text) != 10<<20 {
		t.Errorf("%d inputs, %v", len(got), err)
	}
}

// The files of a directory are inputs, sorted; hidden ones are not. One that changed since is
// refused when it is read.
func TestFiles(t *testing.T) {
	dir := fstest.MapFS{"b.txt": {Data: []byte("b")}, "a/c.txt": {Data: []byte("c")}, ".env": {Data: []byte("x")}, ".git/x": {Data: []byte("x")}}
	got, err := inputs(func(y func(batch.Input) error) error { return batch.ReadFiles(dir, y) })
	if err != nil || len(got) != 2 || got[0].File != "a/c.txt" || got[1].File != "b.txt" {
		t.Fatalf("%v %v", got, err)
	}
	odd := fstest.MapFS{"a.txt": {}, "b\n.txt": {}}
	if _, err := inputs(func(y func(batch.Input) error) error { return batch.ReadFiles(odd, y) }); !errors.Is(err, fault.Path) || !strings.Contains(err.Error(), `b\n.txt`) {
		t.Errorf("a name with a line break: %v", err)
	}
	if data, err := got[1].Content(dir); err != nil || string(data) != "b" {
		t.Errorf("%q %v", data, err)
	}
	dir["b.txt"] = &fstest.MapFile{Data: []byte("other")}
	if _, err := got[1].Content(dir); !errors.Is(err, fault.Conflict) {
		t.Errorf("a changed file: %v", err)
	}
	delete(dir, "b.txt")
	if _, err := got[1].Content(dir); !errors.Is(err, fault.NotFound) {
		t.Errorf("a file that is gone: %v", err)
	}
}

// Keys are the values of a field or digests; equal ones, and those with one directory, are
// refused with both lines.
func TestKeys(t *testing.T) {
	key := func(field string, texts ...string) (keys []string, err error) {
		k := batch.Keys{Field: field}
		all, err := lines(strings.Join(texts, "\n"))
		for n, in := range all {
			item, ierr := k.Item(n, in)
			if ierr != nil {
				return keys, ierr
			}
			keys = append(keys, item.Key)
		}
		return keys, err
	}
	got, err := key("", `"a"`, `"b"`, `"a"`, `"a"`)
	if err != nil || got[0]+"-2" != got[2] || got[0]+"-3" != got[3] || len(got[0]) != 64 || got[0] == got[1] {
		t.Errorf("%v %v", got, err)
	}
	if got, err = key("id", `{"id":"x/../y"}`, `{"id":7}`, `{"id":true}`); err != nil || strings.Join(got, " ") != "x/../y 7 true" {
		t.Errorf("%v %v", got, err)
	}
	for _, c := range []struct {
		texts  []string
		within string
	}{
		{[]string{`{"id":1}`, `{"id":2}`, `{"id":1}`}, "line 1 and line 3 have the same key"},
		{[]string{`{"id":1}`, `{"id":"1"}`}, "line 1 and line 2"},
		{[]string{`{"id":"A"}`, `{"id":"-559aead08264d579"}`}, "line 1 and line 2"},
		{[]string{`"text"`}, "line 1 is not an object"},
		{[]string{`{"ID":1}`}, `no field "id"`},
		{[]string{`{"id":{}}`}, "neither a text nor a number"},
		{[]string{`{"id":null}`}, "neither a text nor a number"},
		{[]string{`{"id":" "}`}, "empty"},
		{[]string{`{"id":"` + strings.Repeat("k", 2000) + `"}`}, "2000 bytes"},
	} {
		if _, err := key("id", c.texts...); !errors.Is(err, fault.Usage) || !strings.Contains(err.Error(), c.within) {
			t.Errorf("%v: %v", c.texts, err)
		}
	}
}

// The directory of any key is one safe name, and is the key itself only where it is such a name.
func TestDirNames(t *testing.T) {
	for key, want := range map[string]string{
		"a_b-1": "a_b-1", "..": "-" + "", "A": "-559aead08264d579",
	} {
		if got := batch.DirName(key); want != "-" && got != want {
			t.Errorf("%q has the directory %q, want %q", key, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.String().Draw(t, "key")
		dir := batch.DirName(key)
		if !batch.IsName(dir) || batch.IsName(key) != (dir == key) {
			t.Fatalf("%q has the directory %q", key, dir)
		}
	})
}

// What is read from any bytes ends, without a panic.
func FuzzInputs(f *testing.F) {
	for _, seed := range []string{"\"a\"\n{\"b\":1}", "a,b\n1,2\n", "\"\n", "{\"a\":\"\xff\"}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, read := range []func(io.Reader, func(batch.Input) error) error{batch.ReadLines, batch.ReadTable} {
			keys := batch.Keys{}
			_ = read(strings.NewReader(text), func(in batch.Input) error {
				_, err := keys.Item(0, in)
				return err
			})
		}
	})
}

// A row gets the types that a schema names, where its texts are such values.
func TestRowsFitASchema(t *testing.T) {
	rows, err := table("n,x,yes,text,list,empty\n7,1.5,true,12,3,\nseven,,no,,,\n")
	if err != nil {
		t.Fatal(err)
	}
	schema := []byte(`{"type":"object","properties":{"n":{"type":"integer"},"x":{"type":["number","null"]},"yes":{"type":"boolean"},"text":{"type":"string"},"list":{"type":["string","integer"]},"empty":{"type":"number"}}}`)
	for n, want := range []string{
		`{"list":"3","n":7,"text":"12","x":1.5,"yes":true}`,
		`{"list":"","n":"seven","text":"","yes":"no"}`,
	} {
		if got := rows[n].Fit(schema); string(got) != want {
			t.Errorf("row %d: %s, want %s", n, got, want)
		}
		if got := rows[n].Fit(nil); string(got) != string(rows[n].JSON) {
			t.Errorf("row %d without a schema: %s", n, got)
		}
	}
	if in, _ := lines(`{"n":"7"}`); string(in[0].Fit(schema)) != `{"n":"7"}` {
		t.Errorf("an object of JSON is changed: %s", in[0].Fit(schema))
	}
}
