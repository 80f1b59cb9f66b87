package suites_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"golem/bench/suites"
	"golem/core/tool"
	"golem/core/yamltree"
)

// unified returns a JSON value in a form in which equal values are equal.
func unified(raw []byte) (v any, err error) {
	err = json.Unmarshal(raw, &v)
	return v, err
}

// why returns the reason that a list of differences has for a case.
func why(list map[string]string, name string) string {
	for reason, names := range list {
		for _, n := range strings.Fields(names) {
			if n == name {
				return reason
			}
		}
	}
	return ""
}

// TestJSON reads the files of JSONTestSuite as the arguments of a call and as a file with a
// JSON Schema. Their names begin with what a reader must do: y accepts, n refuses, i may do
// both.
func TestJSON(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(suites.Dir(t, "github.com/go-faster/jx"), "testdata", "test_parsing", "*.json"))
	if err != nil || len(files) < 300 {
		t.Fatal(len(files), err)
	}
	for _, reader := range jsonReaders {
		c := &suites.Tally{Suite: reader.suite}
		for _, file := range files {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			name := strings.TrimSuffix(filepath.Base(file), ".json")
			problem, reason := jsonProblem(name, raw, reader.read), why(reader.differences, name)
			switch {
			case problem == "" && reason == "":
				c.Agree()
			case problem != "" && reason != "":
				c.Differ(reason)
			default:
				t.Errorf("%s: %s %s; listed as %q", reader.suite, name, problem, reason)
			}
		}
		c.Compare(t)
	}
}

// jsonProblem returns what a reader does otherwise than the name of a file demands.
func jsonProblem(name string, raw []byte, read func([]byte) ([]byte, error)) string {
	out, err := read(raw)
	switch {
	case name[0] == 'y' && err != nil:
		return "is refused: " + err.Error()
	case name[0] == 'y':
		want, _ := unified(raw)
		if got, err := unified(out); err != nil || !reflect.DeepEqual(got, want) {
			return fmt.Sprintf("is %s", out)
		}
	case name[0] == 'n' && err == nil:
		return fmt.Sprintf("is accepted as %.100s", out)
	}
	return ""
}

var jsonReaders = []struct {
	suite       string
	read        func(raw []byte) ([]byte, error)
	differences map[string]string
}{
	{"JSONTestSuite, arguments of a call", func(raw []byte) ([]byte, error) { return tool.Decode(raw) }, map[string]string{
		"a key twice in one object is refused":                                            "y_object_duplicated_key y_object_duplicated_key_and_value",
		"no text at all is {}, because providers send that for a tool without parameters": "n_single_space n_structure_no_data",
	}},
	{"JSONTestSuite, files with schemas", func(raw []byte) ([]byte, error) {
		n, f := yamltree.ParseJSON("x.json", raw)
		if f != nil {
			return nil, f
		}
		return n.JSON()
	}, map[string]string{"a key twice in one object is refused": "y_object_duplicated_key y_object_duplicated_key_and_value"}},
}
