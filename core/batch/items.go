package batch

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"golem/core/fault"
)

// Source reads the inputs of a batch, in order.
type Source interface {
	Read(yield func(Input) error) error
}

// Changes says how the inputs differ from those that the batch knew.
type Changes struct {
	Added, Known int
	Removed      int // items whose inputs are not there any more: they are left as they are
}

// Update makes the inputs of a source the items of the batch. Items that the batch knows by
// their keys stay as far as they are; if an input has another content under a known key, that is
// E_CONFLICT. Nothing changes if the source has an error.
func (l *Local) Update(src Source) (c Changes, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	before, err := l.known()
	if err != nil {
		return c, err
	}
	head := l.Head
	head.Items = nextItems(l.Head.Items)
	if err := l.store.Files.Remove(head.Items); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return c, err
	}
	w := &appended{name: head.Items}
	defer w.close()
	keys := Keys{Field: l.Head.Key}
	err = src.Read(func(in Input) error {
		item, err := keys.Item(0, in)
		if err != nil {
			return err
		}
		old, known := before[item.Key]
		switch {
		case known && old.Digest != item.Digest:
			return fault.New(fault.Conflict, "%s of the inputs has another content than before under the key %s", in.place(), fault.Quoted(item.Key)).
				Hinting("put it back, or start another batch with --name").InPage("", "put it back, or start another batch")
		case known:
			item.N = old.N
			c.Known++
			delete(before, item.Key)
		default:
			item.N = head.Next
			head.Next++
			c.Added++
		}
		if c.Known+c.Added > mostItems {
			return fault.New(fault.Limit, "the inputs have more than %d items", mostItems).Hinting("run several batches")
		}
		data, err := json.Marshal(item)
		if err == nil {
			_, err = l.add(w, append(data, '\n'))
		}
		return err
	})
	if err == nil && c.Known+c.Added == 0 {
		err = fault.New(fault.Usage, "the inputs have no item").
			Hinting("give one input a line, rows below the line of names of a table, or files in a directory (names that begin with a dot do not count)")
	}
	if err == nil {
		c.Removed, err = addGone(l, w, before)
	}
	if err != nil {
		w.close()
		_ = l.store.Files.Remove(head.Items) // the error above counts
		if l.Head.Items == "" {              // a batch that never had an item is none
			_ = l.store.Files.Remove(headFile)
		}
		return c, err
	}
	return c, l.adopt(head)
}

// known returns the items that the batch has, by their keys, without their inputs. The caller
// holds mu.
func (l *Local) known() (map[string]Item, error) {
	out := map[string]Item{}
	if l.Head.Items == "" {
		return out, nil
	}
	err := l.eachLine(l.Head.Items, func(_ span, line []byte) error {
		var item Item
		err := json.Unmarshal(line, &item)
		out[item.Key] = Item{N: item.N, Key: item.Key, Digest: item.Digest, Gone: item.Gone}
		return err
	})
	return out, err
}

// addGone adds the items whose inputs are not there any more, and returns how many of them were
// there until now. The caller holds mu.
func addGone(l *Local, w *appended, items map[string]Item) (removed int, err error) {
	for _, item := range slices.SortedFunc(maps.Values(items), func(a, b Item) int { return a.N - b.N }) {
		if !item.Gone {
			removed++
		}
		item.Gone = true
		data, err := json.Marshal(item)
		if err == nil {
			_, err = l.add(w, append(data, '\n'))
		}
		if err != nil {
			return removed, err
		}
	}
	return removed, nil
}

// adopt makes another file of items the batch's. The caller holds mu.
func (l *Local) adopt(head Head) error {
	old := l.Head
	l.Head = head
	if err := l.writeHead(); err != nil {
		l.Head = old
		return err
	}
	if old.Items != "" {
		_ = l.store.Files.Remove(old.Items) // nothing names it any more
	}
	for _, s := range l.segments {
		s.close()
	}
	clear(l.segments)
	l.answers, l.answered = nil, 0
	return l.load()
}

// nextItems returns the name of the file of items after another.
func nextItems(name string) string {
	n := 0
	if name != "" {
		_, _ = fmt.Sscanf(name, "items-%d.jsonl", &n) // 0 if it has another form
	}
	return fmt.Sprintf("items-%d.jsonl", n+1)
}
