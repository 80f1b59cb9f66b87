// Package tracecmd is golem trace: kept runs as a list, as trees, compared and exported.
package tracecmd

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"golem/core/fault"
	"golem/core/otlp"
	"golem/core/trace"
	"golem/core/ui/report"
	"golem/core/ui/view"

	"golem/cmd/cli/console"
	"golem/cmd/cli/newcases"
	"golem/cmd/cli/telemetry"
)

// Command returns golem trace.
func Command(c *console.Console) *cobra.Command {
	cmd := &cobra.Command{
		Use: "trace", Short: "list, show, compare or export traces of runs",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return console.Usage("golem trace needs list, show, diff or export").Hinting("for example: golem trace show .golem/runs/RUN.jsonl")
		},
	}
	cmd.AddCommand(listCommand(c), showCommand(c), diffCommand(c), exportCommand(c))
	return cmd
}

// showFlags are the flags of golem trace show.
type showFlags struct {
	report.Options
	noColor, plain bool
	artifacts      string // the directory in which the run kept its prompts; "": none
}

func (f *showFlags) add(s *pflag.FlagSet) {
	s.BoolVar(&f.Args, "args", false, "show each call's arguments")
	s.BoolVar(&f.Turns, "turns", false, "show each model turn")
	s.BoolVar(&f.Compact, "compact", false, "print one line per call, with its id")
	s.BoolVar(&f.noColor, "no-color", false, "print without colours (NO_COLOR does the same)")
	s.BoolVar(&f.plain, "plain", false, "print the tree on a terminal, too, in place of the viewer")
	s.StringVar(&f.artifacts, "artifacts", "", "the directory in which the run kept its prompts, for the viewer")
}

func showCommand(c *console.Console) *cobra.Command {
	var f showFlags
	cmd := &cobra.Command{
		Use: "show [FILE]", Short: "show the tree of calls, with durations, tokens and approvals",
		Long: `Shows the tree of calls of a run, with durations, tokens and approvals. FILE is a
trace, or the name of a run below .golem/runs; the newest of these if it is left out.

On a terminal it opens a viewer: the tree, the times, each call turn by turn, with
the prompts if --artifacts names the directory in which the run kept them, and a
search. --plain, --args, --turns, --compact and a pipe print the tree instead.`,
		Args: console.Words(0, 1),
		RunE: func(_ *cobra.Command, args []string) error { return show(c, f, strings.Join(args, "")) },
	}
	f.add(cmd.Flags())
	return cmd
}

// show opens the viewer on a trace, or prints its tree.
func show(c *console.Console, f showFlags, name string) error {
	header, events, err := Read(c, name)
	if err != nil {
		return err
	}
	f.Color = c.Colors(c.Out, f.noColor)
	if canView(c, f.plain || f.Args || f.Turns || f.Compact) {
		return viewTrace(c, header, events, f.artifacts, f.Color)
	}
	if console.IsTerminal(c.Out) {
		f.Width = console.Columns(c.Out)
	}
	return report.Render(&c.Pieces, view.Read(events), f.Options)
}

// exportFlags are the flags of golem trace export.
type exportFlags struct {
	format     string
	cases, yes bool
	contents   bool // of otlp
}

func exportCommand(c *console.Console) *cobra.Command {
	var f exportFlags
	cmd := &cobra.Command{
		Use: "export [FILE]", Short: "write a trace in another format to standard output",
		Long: `Writes a trace in another format to standard output:

  json    one JSON document with the tree of calls
  md      a report in Markdown
  chrome  a file for Perfetto or chrome://tracing
  normal  the events sorted by call, without run, seq, times and versions, so that
          two runs can be compared
  otlp    spans of OpenTelemetry: requests of OTLP/HTTP in JSON, one a line
  jsonl   the trace itself as one file: long texts, which golem keeps in files
          beside the trace, are put back into it

FILE is a trace, or the name of a run below .golem/runs; the newest of these if it is
left out.

--cases makes tests of runs instead: of those that are named, else of all whose
conversation is kept (golem conversations). Each worker gets a file in tests/ with a
case for each input, and recordings of the answers. It shows everything that it
would write, with secrets removed, and then asks. With --cases the exit code is 0 if
cases were written, 1 if not, and 3 if nobody could be asked.`,
		Example: `  golem trace export --format md
  golem trace export --cases
  golem trace export --cases 20260314-091500-3fa9c1 20260314-092233-77aa01`,
		Args: func(cmd *cobra.Command, args []string) error {
			if f.cases {
				return nil
			}
			return console.Words(0, 1)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case f.cases && cmd.Flags().Changed("format"):
				return console.Usage("--cases writes tests, so --format cannot be used with it")
			case f.cases:
				return makeCases(c, newcases.Wanted{Runs: runsOf(args), All: true, Yes: f.yes, Command: "golem trace export --cases"})
			case f.yes:
				return console.Usage("--yes is the answer to --cases").Hinting("use golem trace export --cases --yes")
			case f.contents && f.format != "otlp":
				return console.Usage("--otlp-contents needs --format otlp")
			}
			return export(c, f, strings.Join(args, ""))
		},
	}
	cmd.Flags().StringVar(&f.format, "format", "json", strings.Join(formats(), ", "))
	cmd.Flags().BoolVar(&f.contents, "otlp-contents", false, "with --format otlp: also what was said, as --otlp-contents of a run sends it")
	cmd.Flags().BoolVar(&f.cases, "cases", false, "make tests of kept runs, after showing everything that is kept and asking")
	cmd.Flags().BoolVar(&f.yes, "yes", false, "with --cases: write without asking")
	return cmd
}

// runsOf returns the runs that words name: IDs, or traces of runs.
func runsOf(words []string) (out []string) {
	for _, w := range words {
		out = append(out, strings.TrimSuffix(filepath.Base(w), ".jsonl"))
	}
	return out
}

// formats returns the names of the formats of golem trace export.
func formats() []string { return append(report.Formats(), "otlp", "normal", "jsonl") }

// export writes a trace in one of the formats.
func export(c *console.Console, f exportFlags, name string) error {
	format := f.format
	if !slices.Contains(formats(), format) {
		return console.Usage("unknown export format %q", format).Hinting("%s", fault.DidYouMean(format, formats()))
	}
	if format == "jsonl" {
		r, texts, err := open(c, name)
		if err != nil {
			return err
		}
		defer r.Close()
		c.Pieces.Plain = console.IsTerminal(c.Out)
		return trace.Inline(&c.Pieces, r, texts)
	}
	header, events, err := Read(c, name)
	if err != nil {
		return err
	}
	switch format {
	case "normal":
		return c.Print(trace.NormalText(header, events))
	case "otlp":
		resource, err := telemetry.Resource(c.Env)
		if err != nil {
			return err
		}
		return otlp.Export(&c.Pieces, header, events, otlp.Options{Contents: f.contents, Resource: resource})
	}
	return report.Export(&c.Pieces, format, header, events)
}
