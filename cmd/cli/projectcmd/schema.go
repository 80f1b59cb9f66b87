package projectcmd

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"golem/core/fault"
	"golem/docs/schemas"

	"golem/cmd/cli/console"
)

// SchemaCommand returns golem schema, which prints a JSON Schema for editors. The
// schemas are not part of the page, which does not need them and would take longer to
// load.
func SchemaCommand(c *console.Console) *cobra.Command {
	return &cobra.Command{
		Use:   "schema NAME",
		Short: "print the JSON Schema of a kind of file, for editors",
		Long: `Prints the JSON Schema of one kind of file, for an editor that checks and
completes YAML: ` + strings.Join(schemas.Names, ", ") + `.
In a .worker file, the line that names the schema is below the first ---.`,
		Example: `  golem schema worker > .golem-worker.schema.json
  then in a worker: # yaml-language-server: $schema=.golem-worker.schema.json`,
		Args: console.Words(1, 1),
		RunE: func(_ *cobra.Command, words []string) error {
			if !slices.Contains(schemas.Names, words[0]) {
				return console.Usage("there is no schema %q", words[0]).Hinting("%s", fault.DidYouMean(words[0], schemas.Names))
			}
			data, err := schemas.Read(words[0])
			if err != nil {
				return err
			}
			return c.Print(string(data))
		},
		ValidArgsFunction: func(_ *cobra.Command, words []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(words) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return schemas.Names, cobra.ShellCompDirectiveNoFileComp
		},
	}
}
