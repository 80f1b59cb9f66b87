package main

import (
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"golem/core/fault"
	"golem/core/trace"
)

func (h *host) traceCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "trace", Short: "list, show, compare or export traces of runs",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return usage("golem trace needs list, show, diff or export").Hinting("for example: golem trace show .golem/runs/RUN.jsonl")
		},
	}
	cmd.AddCommand(h.traceList(), h.traceShow(), h.traceDiff(), h.traceExport())
	return cmd
}

func (h *host) traceShow() *cobra.Command {
	var o trace.RenderOptions
	var noColor, plain bool
	var artifacts string
	cmd := &cobra.Command{
		Use: "show [FILE]", Short: "show the tree of calls, with durations, tokens and approvals",
		Long: `Shows the tree of calls of a run, with durations, tokens and approvals. FILE is a
trace, or the name of a run below .golem/runs; the newest of these if it is left out.

On a terminal it opens a viewer: the tree, the times, each call turn by turn, with
the prompts if --artifacts names the directory in which the run kept them, and a
search. --plain, --args, --turns, --compact and a pipe print the tree instead.`,
		Args: words(0, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			header, events, err := h.readTrace(strings.Join(args, ""))
			if err != nil {
				return err
			}
			if h.canView(plain || o.Args || o.Turns || o.Compact) {
				return h.viewTrace(header, events, artifacts, h.colors(h.out, &flags{noColor: noColor}))
			}
			o.Color = h.colors(h.out, &flags{noColor: noColor})
			if isTerminal(h.out) {
				o.Width = columns(h.out)
			}
			return trace.Render(&h.pieces, trace.Tree(events), o)
		},
	}
	cmd.Flags().BoolVar(&o.Args, "args", false, "show each call's arguments")
	cmd.Flags().BoolVar(&o.Turns, "turns", false, "show each model turn")
	cmd.Flags().BoolVar(&o.Compact, "compact", false, "print one line per call, with its id")
	cmd.Flags().BoolVar(&noColor, "no-color", false, "print without colours (NO_COLOR does the same)")
	cmd.Flags().BoolVar(&plain, "plain", false, "print the tree on a terminal, too, in place of the viewer")
	cmd.Flags().StringVar(&artifacts, "artifacts", "", "the directory in which the run kept its prompts, for the viewer")
	return cmd
}

func (h *host) traceExport() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use: "export [FILE]", Short: "write a trace in another format to standard output",
		Long: `Writes a trace in another format to standard output:

  json    one JSON document with the tree of calls
  md      a report in Markdown
  chrome  a file for Perfetto or chrome://tracing
  normal  the events sorted by call, without run, seq, times and versions, so that
          two runs can be compared
  jsonl   the trace itself as one file: long texts, which golem keeps in files
          beside the trace, are put back into it

FILE is a trace, or the name of a run below .golem/runs; the newest of these if it is
left out.`,
		Args: words(0, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			if all := append(trace.Formats(), "normal", "jsonl"); !slices.Contains(all, format) {
				return usage("unknown export format %q", format).Hinting("%s", fault.DidYouMean(format, all))
			}
			if format == "jsonl" {
				r, texts, err := h.traceInput(strings.Join(args, ""))
				if err != nil {
					return err
				}
				defer r.Close()
				h.pieces.plain = isTerminal(h.out)
				return trace.Inline(&h.pieces, r, texts)
			}
			header, events, err := h.readTrace(strings.Join(args, ""))
			if err != nil {
				return err
			}
			if format == "normal" {
				return h.print(trace.NormalText(header, events))
			}
			return trace.Export(&h.pieces, format, header, events)
		},
	}
	cmd.Flags().StringVar(&format, "format", "json", strings.Join(append(trace.Formats(), "normal", "jsonl"), ", "))
	return cmd
}

// readTrace reads a trace, see traceInput for the name.
func (h *host) readTrace(name string) (trace.Header, []trace.Event, error) {
	r, texts, err := h.traceInput(name)
	if err != nil {
		return trace.Header{}, nil, err
	}
	defer r.Close()
	return trace.Read(r, texts)
}

// traceInput opens a trace, and the long texts beside it. name is a file, a run, or -
// for standard input, which has no such texts.
func (h *host) traceInput(name string) (io.ReadCloser, trace.Texts, error) {
	if name == "-" {
		return io.NopCloser(h.in), nil, nil
	}
	name, err := h.traceName(name)
	if err != nil {
		return nil, nil, err
	}
	file, err := os.OpenFile(h.path(name), os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return nil, nil, fault.New(fault.NotFound, "the trace %s cannot be read: %s", name, cause(err)).
			Hinting("traces are kept in .golem/runs of the project")
	}
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		file.Close()
		if err == nil && info.IsDir() {
			return nil, nil, usage("%s is a directory", name).Hinting("golem trace list %s lists the runs there", name)
		}
		return nil, nil, usage("%s is not a regular file", name)
	}
	return file, textsOf(h.path(name)), nil
}
