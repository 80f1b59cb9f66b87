package gitrepo

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"golem/core/fault"
)

// No .gitattributes and no pointer makes golem panic, and a file with very many lines is
// a fault.
func FuzzAttributes(f *testing.F) {
	for _, text := range []string{"*.bin filter=lfs", "a/ x", "\"\" filter=x", "[attr]m m filter=x\n* m", "[a-]-z] filter=x", "[[:x:]] filter=y", "**/**/a filter=x", "! !", "\\ filter=z", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize -1\n"} {
		f.Add(text, "d/a.bin")
	}
	f.Fuzz(func(t *testing.T, text, name string) {
		parsePointer([]byte(text))
		a := &gitAttributes{dirs: map[string][]*attributeLine{}, macros: map[string][]string{}}
		a.file = func(name string) ([]byte, error) {
			if strings.Count(name, "/") > 3 {
				return nil, fs.ErrNotExist
			}
			return []byte(text), nil
		}
		if _, err := a.attributeOf(name); err != nil && !errors.Is(err, fault.Limit) {
			t.Error(err)
		}
	})
}

func TestManyAttributes(t *testing.T) {
	for text, want := range map[string]error{
		strings.Repeat("* -x\n", maxAttributes+1):                                                              fault.Limit,
		strings.Repeat("* -filter\n", maxConverting+1):                                                         fault.Limit,
		strings.Repeat("* text\n", 5000) + "**/b filter=y\n":                                                   nil,
		strings.Repeat("**/", maxAttributeLine) + "b filter=x\n" + strings.Repeat("**/", 600) + "b filter=y\n": nil,
	} {
		a := &gitAttributes{dirs: map[string][]*attributeLine{}, macros: map[string][]string{}}
		a.file = func(name string) ([]byte, error) {
			if name != ".gitattributes" {
				return nil, fs.ErrNotExist
			}
			return []byte(text), nil
		}
		why, err := a.attributeOf(strings.Repeat("c/", 700) + "b")
		if !errors.Is(err, want) || want == nil && why != "filter=y" {
			t.Errorf("%.30q: %q, %v", text, why, err)
		}
	}
}
