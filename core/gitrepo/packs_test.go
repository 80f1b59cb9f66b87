package gitrepo

import (
	"testing"
	"testing/fstest"
)

// An index that cannot be read is an error each time: with a part of the indexes a circle
// of differences would not be found.
func TestUnreadableIndex(t *testing.T) {
	d := NewDisk(fstest.MapFS{"objects/pack/pack-0.idx/x": {}}, 1<<20)
	for range 2 {
		if got, err := d.packs(); err == nil {
			t.Fatalf("no error, and %d indexes", len(got))
		}
	}
}
