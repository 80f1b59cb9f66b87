package console

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// NotEmpty returns an error if one of these flags is given with an empty value.
func NotEmpty(set *pflag.FlagSet, names ...string) error {
	for _, name := range names {
		if l := set.Lookup(name); l != nil && l.Changed && l.Value.String() == "" {
			return Usage("--%s is empty", name).Hinting("give a value, or leave the flag out")
		}
	}
	return nil
}

// ShellWord quotes a word so that a shell reads it unchanged.
func ShellWord(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:", r)
	}
	if strings.TrimFunc(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Words returns a check of the number of arguments. Its error shows the correct command
// line.
func Words(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		wrong := "too few arguments"
		names := strings.Fields(cmd.Use)[1:]
		for _, name := range names[min(len(args), len(names)):] {
			if name[0] != '[' {
				wrong = name + " is missing"
				break
			}
		}
		switch {
		case len(args) > most:
			wrong = fmt.Sprintf("too many arguments, beginning with %q", args[most])
		case len(args) >= least:
			return nil
		}
		return Usage("%s: %s", cmd.CommandPath(), wrong).Hinting("%s %s", cmd.Parent().CommandPath(), cmd.Use)
	}
}
