package tracecmd

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"golem/core/batch"
	"golem/core/fault"
	"golem/core/trace"
	"golem/core/ui"
	"golem/core/ui/report"

	"golem/cmd/cli/console"
)

// itemFilter says which items of batches golem trace list lists.
type itemFilter struct {
	batch  string // "": all batches of this machine
	wanted batch.Wanted
}

func (f *itemFilter) add(s *pflag.FlagSet) {
	s.StringVar(&f.batch, "batch", "", "list the items of this batch in place of runs")
	s.StringVar(&f.wanted.Item, "item", "", "list the item of a batch with this key or directory")
	s.StringVar((*string)(&f.wanted.Status), "status", "", "list the items of batches with this status: ok, needs_input, error or cancelled")
	s.StringVar((*string)(&f.wanted.Code), "code", "", "list the items of batches that failed with this code, such as E_MODEL")
}

// itemListing is an item of a batch in one line. Run is BATCH/ITEM.
type itemListing struct {
	report.Listing
	Item string     `json:"item"` // its key
	Code fault.Code `json:"code,omitempty"`
}

// listItems prints the items of batches that are looked for, as JSON or as a table.
func listItems(c *console.Console, f itemFilter, asJSON bool) error {
	if err := f.wanted.Check(); err != nil {
		return err
	}
	if s := f.wanted.Status; s != "" && !s.Ended() {
		return console.Usage("an item that is %s has no trace yet", s).Hinting("golem batch show BATCH --status %s lists these items", s)
	}
	names, err := f.batches(c)
	if err != nil {
		return err
	}
	all := []itemListing{}
	for _, name := range names {
		found, err := itemsOf(c, name, f.wanted)
		if err != nil && f.batch == "" {
			if !errors.Is(err, fault.NotFound) { // what is left of a batch that was removed is none
				c.Report(err) // the other batches are listed
			}
			continue
		}
		if err != nil {
			return err
		}
		all = append(all, found...)
	}
	switch {
	case asJSON:
		return c.PrintJSON(all)
	case len(all) == 0:
		return c.Print("no item of a batch that has ended is like that\n")
	}
	const at = 4 // the column behind STATUS
	rows := [][]string{slices.Insert(slices.Clone(report.ListingNames), at, "CODE")}
	for _, l := range all {
		row := slices.Insert(l.Columns(), at, string(l.Code))
		row[1] = console.WhenText(row[1])
		for i := range row {
			row[i] = ui.OneLine(row[i])
		}
		rows = append(rows, row)
	}
	return c.Show(ui.Table(console.Narrowed(c.Out, rows, "TIME", "TOKENS", "COST", "ENTRY", "DURATION")))
}

// batches returns the names of the batches that are searched.
func (f itemFilter) batches(c *console.Console) ([]string, error) {
	names, err := c.Home.Batches()
	if err != nil || f.batch == "" {
		return names, err
	}
	if !slices.Contains(names, f.batch) {
		return nil, fault.New(fault.NotFound, "there is no batch %s", fault.Quoted(f.batch)).Hinting("golem batch list shows those that there are")
	}
	return []string{f.batch}, nil
}

// itemsOf returns the items of a batch that are looked for and have ended. An item whose trace is
// not there is listed with what its result tells, one whose trace cannot be read with the fault.
func itemsOf(c *console.Console, name string, w batch.Wanted) (out []itemListing, err error) {
	store, err := c.Home.Batch(name)
	if err != nil {
		return nil, err
	}
	q, err := batch.ReadLocal(&store)
	if err != nil {
		return nil, err
	}
	err = q.Traces(w, func(r batch.Result, lines []byte) error {
		l := itemListing{Item: r.Item}
		if lines != nil {
			header, events, err := trace.Read(bytes.NewReader(lines), nil)
			if l.Listing = report.ListingOf(header, events); err != nil {
				l.Error = fault.Of(err, fault.Config)
			}
		}
		l.Run, l.Status, l.MS = wordOf(name, r.Item), string(r.Status), r.MS
		if r.Usage != nil {
			l.Usage = *r.Usage
		}
		if r.Error != nil {
			l.Code = r.Error.Code
		}
		out = append(out, l)
		return nil
	})
	return out, err
}

// wordOf returns the word that names an item for golem trace show: its key, or if that is no
// plain word, its directory.
func wordOf(name, key string) string {
	if ui.OneLine(key) == key && !strings.ContainsAny(key, shellChars) {
		return name + "/" + key
	}
	return name + "/" + batch.DirName(key)
}

// shellChars are what a shell reads as something else.
const shellChars = " \"'`$\\*?[](){}<>|&;!#~"
