package worktest

import (
	"bytes"
	"testing"
	"testing/fstest"
)

// No file of tests is passed over: not one that is empty, cut off or too large. A YAML file
// that is something else is.
func TestFilesOfTestsAreFound(t *testing.T) {
	good := "test: 1\ncases: [{name: a, input: x}]\n"
	found := Find(fstest.MapFS{
		"tests/big.yaml":   {Data: bytes.Repeat([]byte("#"), MaxFile+1)},
		"tests/cut.yaml":   {Data: []byte(good[:len(good)-8])},
		"tests/empty.yaml": {},
		"tests/good.yaml":  {Data: []byte(good)},
		"tests/data.yaml":  {Data: []byte("owls: 3\n")},
		"tests/later.yml":  {Data: []byte("# cases come\n")},
	})
	if len(found.Files) != 1 || found.Files[0].Path != "tests/good.yaml" {
		t.Errorf("read %v", found.Files)
	}
	want := []string{"tests/big.yaml:", "tests/cut.yaml:", "tests/empty.yaml:", "tests/later.yml:"}
	for i, f := range found.Faults {
		if text := f.Error(); i >= len(want) || !bytes.HasPrefix([]byte(text), []byte(want[i])) {
			t.Errorf("fault %d: %s", i, text)
		}
	}
	if len(found.Faults) != len(want) {
		t.Errorf("%d faults, want %d", len(found.Faults), len(want))
	}
}
