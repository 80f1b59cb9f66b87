package toolcmd

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"golem/core/ui"
	"golem/core/wasmtool"

	"golem/cmd/cli/console"
	"golem/cmd/cli/toolhost"
)

func inspectCommand(c *console.Console) *cobra.Command {
	var asJSON, run bool
	var limit time.Duration
	cmd := &cobra.Command{
		Use:   "inspect FILE.wasm",
		Short: "show what a module is, its tools, and what it would need",
		Long: `Shows a module's form, tools with their schemas, imports, size and digest, and
what it would need. golem does not run the module, unless --run asks a module
without a description for its tools; it gets no files, network or configuration.
Exit code 1 if golem refuses the module.`,
		Args: console.Words(1, 1),
		RunE: func(_ *cobra.Command, words []string) error { return inspectTool(c, words[0], asJSON, run, limit) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object")
	cmd.Flags().DurationVar(&limit, "timeout", 10*time.Second, "the time limit of --run, compiling not included")
	cmd.Flags().BoolVar(&run, "run", false, "ask a module without a description for its tools")
	return cmd
}

// moduleResult is the format of tool inspect --json.
type moduleResult struct {
	Golem string `json:"golem"` // "module"
	V     int    `json:"v"`
	wasmtool.Inspection
}

func inspectTool(c *console.Console, file string, asJSON, run bool, limit time.Duration) error {
	if limit <= 0 {
		return console.Usage("--timeout %s: must be greater than 0", limit).Hinting("for example --timeout 10s")
	}
	t := toolhost.New(c, true)
	defer t.Close()
	m, err := toolhost.Module(c, t, file)
	if err != nil {
		return err
	}
	ctx, stop := c.Interruptible(context.Background())
	defer stop()
	waits, end := c.Spinner()
	defer end()
	waits.Wait("reading " + file)
	seen, err := m.Inspect(ctx)
	if err != nil {
		c.Report(err)
		return console.ExitCode(console.ExitFailed)
	}
	if run && seen.Source == "" && seen.Refused == "" && len(seen.Callable) == 0 {
		if seen.Tools, err = m.Describe(ctx, wasmtool.Describing{Run: true, Time: limit, Listener: &listener{console: c, waits: waits}}); err != nil {
			c.Report(err)
			return console.ExitCode(console.ExitFailed)
		}
		seen.Source = "run"
	}
	end()
	text := console.Fit(c.Out, moduleText(seen))
	if asJSON {
		data, err := json.Marshal(moduleResult{"module", 1, seen})
		if err != nil {
			return err
		}
		text = string(data) + "\n"
	}
	if err := c.Print(text); err != nil {
		return err
	}
	if seen.Refused != "" {
		return console.ExitCode(console.ExitFailed)
	}
	return nil
}

// sources says, for people, where a module's description was found.
var sources = map[string]string{
	"section": "described in the module",
	"sidecar": "described beside the module",
	"run":     "described by running it",
	"":        "not described: --run asks the module, golem tool pack embeds a description",
}

// forms says, for people, how a module is called.
var forms = map[string]string{
	"command":   "a WASI command",
	"exports":   "single exports, with Extism input and output",
	"component": "a component, which golem does not run",
}

// moduleText returns the text about a module for people.
func moduleText(seen wasmtool.Inspection) string {
	var b strings.Builder
	b.WriteString(ui.OneLine(seen.Path) + "\n")
	line := func(what, text string) { fmt.Fprintf(&b, "  %-8s %s\n", what, ui.OneLine(text)) }
	line("size", console.Bytes(seen.Size))
	line("sha256", seen.SHA256)
	form := seen.Form
	if words := forms[form]; words != "" {
		form += ": " + words
	}
	if seen.Form == "exports" && len(seen.Callable) == 0 {
		form = "exports: not one of the forms that golem knows"
	}
	line("form", form)
	if seen.Built != "" {
		line("is", seen.Built)
	}
	switch {
	case seen.Form == "component", seen.Built != "", seen.Form == "exports" && len(seen.Callable) == 0 && seen.Source == "":
	case seen.Source == "" && len(seen.Callable) > 0:
		line("tools", "not described: a worker names the exports that are tools, toolsets: {custom: {tools: [NAME]}}")
		line("", "such as "+cut(seen.Callable, 8))
	default:
		line("tools", sources[seen.Source])
	}
	for _, t := range seen.Tools {
		b.WriteString(toolText(t))
	}
	if m := seen.Memory; m != nil {
		line("memory", fmt.Sprintf("%s, at most %s", console.Bytes(int(m.Min)<<16), console.Bytes(int(m.Max)<<16)))
	}
	b.WriteString(importText(seen))
	line("exports", cut(seen.Exports, mostNames))
	needs := seen.Needs
	if len(needs) == 0 {
		needs = []string{"nothing but its arguments"}
	}
	for _, n := range needs {
		line("needs", n)
	}
	if seen.Refused != "" {
		line("refused", seen.Refused)
	}
	return b.String()
}

func toolText(t wasmtool.Description) string {
	var b strings.Builder
	about := t.Description
	if about == "" {
		about = "(no description: a model cannot know what it is for)"
	}
	fmt.Fprintf(&b, "    %s: %s\n", ui.OneLine(t.Name), ui.OneLine(about))
	put := func(what, text string) { fmt.Fprintf(&b, "      %-7s %s\n", what, ui.OneLine(text)) }
	if len(t.Input) > 0 {
		put("input", string(t.Input))
	}
	if len(t.Output) > 0 {
		put("output", string(t.Output))
	}
	if t.Risk != "" {
		put("risk", string(t.Risk))
	}
	if t.Exec != "" {
		put("exec", string(t.Exec))
	}
	if t.Timeout != "" {
		put("timeout", t.Timeout)
	}
	if t.Stateful {
		put("state", "kept between calls")
	}
	return b.String()
}

// importText returns the imports, grouped by the module from which they come.
func importText(seen wasmtool.Inspection) string {
	var order []string
	names := map[string][]string{}
	for _, i := range seen.Imports {
		if names[i.Module] == nil {
			order = append(order, i.Module)
		}
		names[i.Module] = append(names[i.Module], i.Name)
	}
	var b strings.Builder
	for _, m := range order {
		fmt.Fprintf(&b, "  %-8s %s\n", "imports", ui.OneLine(m+": "+cut(names[m], mostNames)))
	}
	return b.String()
}

// mostNames is how many imports or exports the text lists; --json has all of them.
const mostNames = 20

// cut returns the first most names as a list, and how many more there are.
func cut(names []string, most int) string {
	if len(names) == 0 {
		return "no function"
	}
	if more := len(names) - most; more > 0 {
		names = append(slices.Clone(names[:most]), fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}
