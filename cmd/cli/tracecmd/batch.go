package tracecmd

import (
	"os"
	"slices"
	"strings"

	"golem/core/batch"

	"golem/cmd/cli/console"
)

// ofBatch returns the trace of an item, which a word names as BATCH/ITEM, by its key or its
// directory. found is false if the word is a file, or there is no such batch.
func ofBatch(c *console.Console, word string) (lines []byte, found bool, err error) {
	name, item, both := strings.Cut(word, "/")
	if !both || !batch.IsName(name) || item == "" {
		return nil, false, nil
	}
	if _, err := os.Lstat(c.Path(word)); err == nil {
		return nil, false, nil
	}
	names, err := c.Home.Batches()
	if err != nil || !slices.Contains(names, name) {
		return nil, false, nil // a word that is no batch is a file that is not there
	}
	store, err := c.Home.Batch(name)
	if err != nil {
		return nil, true, err
	}
	q, err := batch.ReadLocal(&store)
	if err != nil {
		return nil, true, err
	}
	lines, err = q.Trace(item)
	return lines, true, err
}
