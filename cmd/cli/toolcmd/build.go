package toolcmd

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"golem/core/jstool"

	"golem/cmd/cli/console"
	"golem/cmd/cli/runflags"
	"golem/cmd/cli/toolhost"
)

func buildCommand(c *console.Console) *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "build SOURCE [-o OUT.wasm]",
		Short: "make a module of a JavaScript or TypeScript source",
		Long: `Makes a module of a source and the files that it imports: NAME.js, NAME.ts,
NAME.mjs or NAME.mts becomes NAME.wasm beside it. golem runs a source as it is;
a module pins the engine, too, and wins over the source beside it.

The tools are the exported functions that have types, in TypeScript or in JSDoc
comments; or the list that the source exports as tools. golem runs the source
once, without any grant, and writes the complete module or nothing.`,
		Example: `  golem tool new tools/wordcount --lang js
  golem tool build tools/wordcount.js
  golem tool call tools/wordcount.wasm wordcount '{"text": "one two"}'`,
		Args: console.Words(1, 1),
		RunE: func(cmd *cobra.Command, words []string) error {
			if err := (&runflags.Flags{Set: cmd.Flags()}).NotEmpty("output"); err != nil {
				return err
			}
			return buildTool(c, words[0], out)
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "the module to write (default: the source's name with .wasm)")
	return cmd
}

// buildTool links a source into a module.
func buildTool(c *console.Console, source, out string) error {
	name := filepath.Base(source)
	if !jstool.IsSource(name) {
		return console.Usage("%s is not a source that golem builds", source).
			Hinting("golem builds .js, .ts, .mjs and .mts, but no .d.ts and no tests; other languages have compilers of their own: golem tool new")
	}
	if out == "" {
		out = strings.TrimSuffix(source, filepath.Ext(source)) + ".wasm"
	}
	t := toolhost.New(c, false)
	defer t.Close()
	module, err := t.Link(source, c.Path(source))
	if err != nil {
		return err
	}
	return writeModule(c, t, out, module, source)
}
