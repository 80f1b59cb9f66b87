package runflags

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"golem/core/options"

	"golem/cmd/cli/console"
)

// An option that is added to the table is everywhere: in the flags, help and completion of its
// commands, in the request of a page, in the types of golem.js and in the documentation.
func TestNewOptionIsEverywhere(t *testing.T) {
	table := append(slices.Clone(options.All), options.Option{
		Name: "new-thing", Into: "Input", Section: "What is run", Doc: "a thing that is new",
		Flag: options.Flag{In: "run check", Short: "n", Arg: "KIND", Values: []string{"large", "small"}, Help: "choose the new thing"},
		Page: options.Page{For: "RunOptions", Doc: "The new thing."},
	})
	for command, has := range map[string]bool{"run": true, "check": true, "chat": false} {
		f := &Flags{options: table}
		cmd := &cobra.Command{Use: command}
		f.Add(cmd.Flags(), command)
		help := strings.Join(strings.Fields(cmd.Flags().FlagUsages()), " ")
		if got := strings.Contains(help, " -n, --new-thing string choose the new thing -"); got != has {
			t.Errorf("%s --help: %s", command, help)
		}
		if !has {
			continue
		}
		if err := cmd.Flags().Parse([]string{"--new-thing", "large"}); err != nil || f.Input != "large" || !f.Given("new-thing") {
			t.Errorf("%s: %v, %q", command, err, f.Input)
		}
		Complete(console.New(nil, ""), cmd, f)
		offered, _ := cmd.GetFlagCompletionFunc("new-thing")
		if values, _ := offered(cmd, nil, ""); !slices.Equal(values, []string{"large", "small"}) {
			t.Errorf("%s offers %v", command, values)
		}
	}
	var r options.Run
	if err := options.Decode(table.Names(), []byte(`{"newThing": "small"}`), &r); err != nil || r.Input != "small" {
		t.Errorf("the request of a page: %v, %q", err, r.Input)
	}
	if err := options.Decode(table.Names(), []byte(`{"newThin": "small"}`), &r); err == nil || !strings.Contains(err.Error(), "newThing") {
		t.Errorf("the request of a page: %v", err)
	}
	cli, web := table.Markdown()
	for what, text := range map[string]string{
		"\n  /** The new thing. */\n  newThing?: string\n":       table.TypeScript(),
		"\n| `--new-thing KIND`, `-n` | a thing that is new |\n": cli[0],
		"`newThing`": web[0],
	} {
		if !strings.Contains(text, what) {
			t.Errorf("there is no %q in\n%s", what, text)
		}
	}
}

// A flag that excludes another one, or has a value that is not valid, is refused, whichever
// command has it.
func TestFlagsAreRefused(t *testing.T) {
	for line, want := range map[string]string{
		"--approve-all --deny-all":                 "--approve-all and --deny-all cannot be used together",
		"--approval interactive --deny-all":        "--approval cannot be combined",
		"--approve-all --deny-all=false":           "",
		"--quiet --verbose":                        "--quiet and --verbose cannot",
		"--quiet=false --verbose":                  "",
		"--resume --sandbox memory":                "--resume and --sandbox memory cannot",
		"--sandbox disk":                           `--sandbox "disk": unknown sandbox`,
		"--dry-run --record x":                     "--dry-run and --record cannot",
		"--trace x --record ./x":                   "--trace and --record name one file",
		"--set a=1 --set a=2":                      "--set a is given twice",
		"--set a":                                  `--set "a" is not NAME=VALUE`,
		"--limit turns=1 --max-turns 2":            "the limit turns is given twice",
		"--max-depth -1":                           "--max-depth -1: must not be negative",
		"--changed":                                "--changed needs --resume",
		"--model=":                                 "--model is empty",
		"--resume=":                                "--resume is empty",
		"--input= --model m --limit cost=1 --lib ": "",
	} {
		f := &Flags{}
		s := pflag.NewFlagSet("run", pflag.ContinueOnError)
		f.Add(s, "run")
		if err := s.Parse(strings.Split(line, " ")); err != nil {
			t.Fatal(line, err)
		}
		err := f.Refuse()
		if err == nil && want != "" || err != nil && (want == "" || !strings.HasPrefix(strings.TrimPrefix(err.Error(), "E_USAGE: "), want)) {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
}
