package main

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
)

func (h *host) traceList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list [DIR]", Short: "list the traces of a project's runs, the newest first",
		Long: `Lists the traces in .golem/runs of a directory, the newest first: run, time, entry,
status, duration, tokens, cost and the first line of the input. unfinished is a run
that still goes on, or was killed. A narrow terminal gets fewer columns.`,
		Args: words(0, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			all, err := h.listTraces(strings.Join(args, ""))
			if err != nil {
				return err
			}
			if asJSON {
				line, err := jsonLine(all)
				if err != nil {
					return err
				}
				return h.print(line)
			}
			if len(all) == 0 {
				return h.print("there is no trace in " + trace.RunsDir + " yet\n")
			}
			rows := [][]string{trace.ListingNames}
			for _, l := range all {
				row := l.Columns()
				for i := range row {
					row[i] = oneLine(row[i])
					if trace.ListingNames[i] == "TIME" {
						row[i] = whenText(row[i])
					}
				}
				rows = append(rows, row)
			}
			return h.show(table(narrowed(h.out, rows, "TIME", "TOKENS", "COST", "ENTRY", "DURATION")))
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON array")
	return cmd
}

// listTraces reads the traces of the runs in a directory; "" is the one of orProject. A
// trace that cannot be read is listed with its fault.
func (h *host) listTraces(dir string) ([]trace.Listing, error) {
	dir = h.orProject(dir)
	runs := filepath.Join(h.path(dir), filepath.FromSlash(trace.RunsDir))
	if info, err := os.Stat(h.path(dir)); err != nil || !info.IsDir() {
		return nil, fault.New(fault.NotFound, "there is no directory %s", dir).Hinting("name a directory in which golem ran")
	}
	entries, err := os.ReadDir(runs)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fault.Path, "%s cannot be read: %s", trace.RunsDir, cause(err))
	}
	out := []trace.Listing{}
	for _, e := range slices.Backward(entries) { // a name begins with the time
		run, isTrace := strings.CutSuffix(e.Name(), ".jsonl")
		if !isTrace {
			continue
		}
		header, events, err := h.readTrace(filepath.Join(runs, e.Name()))
		l := trace.ListingOf(header, events)
		if err != nil {
			l = trace.Listing{Error: fault.Of(err, fault.Config)}
		}
		l.Run = run
		out = append(out, l)
	}
	return out, nil
}
