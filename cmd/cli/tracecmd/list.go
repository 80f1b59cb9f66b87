package tracecmd

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"golem/core/fault"
	"golem/core/trace"
	"golem/core/ui"
	"golem/core/ui/report"

	"golem/cmd/cli/console"
	"golem/cmd/cli/disk"
	"golem/cmd/cli/target"
)

func listCommand(c *console.Console) *cobra.Command {
	var asJSON bool
	var f itemFilter
	cmd := &cobra.Command{
		Use: "list [DIR]", Short: "list the traces of a project's runs or of a batch's items",
		Long: `Lists the traces in .golem/runs of a directory, the newest first: run, time, entry,
status, duration, tokens, cost and the first line of the input. unfinished is a run
that still goes on, or was killed. A narrow terminal gets fewer columns.

With --batch it lists the items of a batch that have ended, in the order of the
inputs, named as golem trace show takes them. --item, --status and --code find those
with a key, a status or the code of an error, without --batch in all batches.`,
		Example: `  golem trace list
  golem trace list --batch reviews --status error
  golem trace list --batch reviews --item 4711
  golem trace list --code E_TIMEOUT`,
		Args: console.Words(0, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			switch {
			case f == (itemFilter{}):
				return list(c, strings.Join(args, ""), asJSON)
			case len(args) > 0:
				return console.Usage("DIR and a filter for items of batches do not go together").Hinting("golem trace list --batch BATCH lists the items of a batch, golem trace list DIR the runs of a directory")
			}
			return listItems(c, f, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON array")
	f.add(cmd.Flags())
	return cmd
}

// list prints the traces of a directory, as JSON or as a table.
func list(c *console.Console, dir string, asJSON bool) error {
	all, err := listTraces(c, dir)
	switch {
	case err != nil:
		return err
	case asJSON:
		return c.PrintJSON(all)
	case len(all) == 0:
		return c.Print("there is no trace in " + trace.RunsDir + " yet\n")
	}
	rows := [][]string{report.ListingNames}
	for _, l := range all {
		row := l.Columns()
		for i := range row {
			row[i] = ui.OneLine(row[i])
			if report.ListingNames[i] == "TIME" {
				row[i] = console.WhenText(row[i])
			}
		}
		rows = append(rows, row)
	}
	return c.Show(ui.Table(console.Narrowed(c.Out, rows, "TIME", "TOKENS", "COST", "ENTRY", "DURATION")))
}

// listTraces reads the traces of the runs in a directory; "" is the one of OrProject. A
// trace that cannot be read is listed with its fault.
func listTraces(c *console.Console, dir string) ([]report.Listing, error) {
	dir = target.KeptIn(c, target.OrProject(c, dir))
	runs := filepath.Join(c.Path(dir), filepath.FromSlash(trace.RunsDir))
	if info, err := os.Stat(c.Path(dir)); err != nil || !info.IsDir() {
		return nil, fault.New(fault.NotFound, "there is no directory %s", dir).Hinting("name a directory in which golem ran")
	}
	entries, err := os.ReadDir(runs)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fault.Path, "%s cannot be read: %s", trace.RunsDir, disk.Cause(err))
	}
	out := []report.Listing{}
	for _, e := range slices.Backward(entries) { // a name begins with the time
		run, isTrace := strings.CutSuffix(e.Name(), ".jsonl")
		if !isTrace || isEmpty(e) {
			continue
		}
		header, events, err := Read(c, filepath.Join(runs, e.Name()))
		l := report.ListingOf(header, events)
		if err != nil {
			l = report.Listing{Error: fault.Of(err, fault.Config)}
		}
		l.Run = run
		out = append(out, l)
	}
	return out, nil
}
