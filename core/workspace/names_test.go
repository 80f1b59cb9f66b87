package workspace

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strings"
	"testing"

	"golem/core/sandbox"
)

// The error for an archive lists up to ten names that are not allowed, not only the first.
func TestUnzipListsNamesThatAreNotAllowed(t *testing.T) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	if _, err := z.Create("fine.txt"); err != nil {
		t.Fatal(err)
	}
	for i := range 12 {
		if _, err := z.Create(fmt.Sprintf("a%02d?.txt", i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	err := Unzip(Over(sandbox.Memory()), b.Bytes())
	if err == nil || !strings.Contains(err.Error(), "a00?.txt") || !strings.Contains(err.Error(), "a09?.txt") || strings.Contains(err.Error(), "a10?.txt") {
		t.Errorf("%v", err)
	}
}
