package conversation

import (
	"cmp"
	"encoding/json"
	"io/fs"
	"iter"
	"slices"
	"strings"

	"golem/core/sorting"
	"golem/core/state"
)

// file is one conversation in Dir.
type file struct {
	id   string
	own  bool // golem wrote it on this machine in this project
	rank int  // its place in the order of the own ones; -1: it is not there
}

// listed returns the ids of the conversations in Dir; nil if it cannot be read, for example
// because none was kept yet. It opens none of them: with hundreds of them, in a page, that would
// take longer than the rest of a short run.
func listed(s *state.Store) map[string]bool {
	if s.Files == nil {
		return nil
	}
	entries, err := fs.ReadDir(s.Files, Dir)
	if err != nil {
		return nil
	}
	out := map[string]bool{}
	for _, e := range entries {
		if id, ok := strings.CutSuffix(e.Name(), ".jsonl"); ok && e.Type().IsRegular() && validID(id) == nil {
			out[id] = true
		}
	}
	return out
}

// files returns the conversations with these ids: first those that are not the person's own,
// then the own ones, the one that was written last at the end. Own ones that the order does
// not know were written by an older golem; their names begin with a time.
func files(s *state.Store, ids map[string]bool) []file {
	ranks := map[string]int{}
	for n, id := range s.Order(Dir) {
		ranks[id] = n
	}
	out := make([]file, 0, len(ids))
	for id := range ids {
		rank, known := ranks[id]
		if !known {
			rank = -1
		}
		out = append(out, file{id, known || s.Began(format, fileOf(id)), rank})
	}
	sorting.By(out, func(a, b file) int {
		switch {
		case a.own != b.own && b.own:
			return -1
		case a.own != b.own:
			return 1
		}
		return cmp.Or(cmp.Compare(a.rank, b.rank), strings.Compare(a.id, b.id))
	})
	return out
}

// newestFirst returns the ids of the conversations of a project, the one that was written last
// first. Into some nothing may have been written (state.Store.Blank).
func newestFirst(s *state.Store) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, f := range slices.Backward(files(s, listed(s))) {
			if !yield(f.id) {
				return
			}
		}
	}
}

// Newest returns the person's own conversation that was written last, or if there is none
// of their own another one; "" if there is none.
func Newest(s *state.Store) string {
	for id := range newestFirst(s) {
		if !s.Blank(fileOf(id)) {
			return id
		}
	}
	return ""
}

// prune removes of the conversations with these ids the person's own that were written longest
// ago and that nobody uses, until keep of them are left. Files that a clone or a copy brought
// along neither count nor are removed.
func prune(s *state.Store, ids map[string]bool, keep int) {
	if len(ids) <= keep {
		return
	}
	own := slices.DeleteFunc(files(s, ids), func(f file) bool { return !f.own })
	for _, f := range own[:max(len(own)-keep, 0)] {
		release, err := hold(s, f.id)
		if err != nil {
			continue
		}
		names := s.Order(Dir)
		if n := slices.Index(names, f.id); n < 0 || n < len(names)-keep { // nobody has continued it meanwhile
			_ = s.Files.Remove(fileOf(f.id))
			removeContents(s, f.id)
		}
		release()
	}
}

// enough is how many conversations with content, one after the other at the end of the order, show
// that those before them have content as well.
const enough = 4

// sweep removes of the conversations with these ids the files that a golem began and, because
// it was killed, wrote nothing into. One that a golem uses stays. It looks at those that are
// not in the order, and at the end of the order: those before had one that was begun later, which
// had a sweep.
func sweep(s *state.Store, ids map[string]bool) {
	written := map[string]bool{}
	whole := 0
	for _, id := range slices.Backward(s.Order(Dir)) {
		written[id] = true
		switch {
		case whole == enough:
		case ids[id] && !removeBlank(s, id):
			whole++
		default:
			whole = 0
		}
	}
	for id := range ids {
		if !written[id] {
			removeBlank(s, id)
		}
	}
}

// removeBlank removes a conversation into which nothing was written, unless a golem uses it, and
// reports whether nothing was written.
func removeBlank(s *state.Store, id string) bool {
	if !s.Blank(fileOf(id)) {
		return false
	}
	if release, err := hold(s, id); err == nil {
		if s.Blank(fileOf(id)) { // nobody has written to it meanwhile
			_ = s.Files.Remove(fileOf(id))
		}
		release()
	}
	return true
}

// written makes a conversation the last one in the order of the person's own, with where it
// branches off, and removes from the order those that are gone. An error costs only its place there.
func written(s *state.Store, id string, from *Origin) {
	_ = s.Last(Dir, state.Written{Name: id, Note: noteOf(from)}, func() map[string]bool { return listed(s) })
}

// noteOf returns what the order notes of a conversation: where it branches off, or null.
func noteOf(from *Origin) json.RawMessage {
	note, err := json.Marshal(from)
	if err != nil {
		return nil
	}
	return note
}

// origins returns where conversations of a project branch off, by id, as the order notes it. It
// opens only those of which the order knows nothing: an older golem wrote them, or a copy brought
// them along.
func origins(s *state.Store) map[string]Origin {
	out := map[string]Origin{}
	notes := s.Notes(Dir)
	for id := range listed(s) {
		var from *Origin
		if json.Unmarshal(notes[id], &from) != nil { // nothing is noted
			if k, err := Read(s, id); err == nil {
				from = k.Head.From
			}
		}
		if from != nil {
			out[id] = *from
		}
	}
	return out
}
