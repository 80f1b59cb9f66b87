package console

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"golem/core/fault"
)

// Exit codes of SPEC §12.
const (
	ExitOK          = 0
	ExitFailed      = 1
	ExitUsage       = 2
	ExitNobody      = 3
	ExitInterrupted = 130
)

// ExitCode is an error that ends golem with an exit code. The command has printed
// everything already.
type ExitCode int

// Error returns a text that is never shown.
func (e ExitCode) Error() string { return fmt.Sprintf("exit %d", int(e)) }

// Usage returns the fault for a wrong command line, which ends golem with exit code 2.
func Usage(format string, args ...any) *fault.Fault {
	return fault.New(fault.Usage, format, args...)
}

// Faults returns the faults in an error.
func Faults(err error) fault.List {
	if err == nil {
		return nil
	}
	var l fault.List
	if errors.As(err, &l) {
		return slices.Clone(l)
	}
	return fault.List{fault.Of(err, fault.Config)}
}

// JSONLine returns a value as one line of JSON, for --json.
func JSONLine(v any) (string, error) {
	data, err := json.Marshal(v)
	return escapedJSON(string(data)) + "\n", err
}

// escapedJSON writes what a terminal obeys or hides (control characters above ASCII, marks of the
// direction of text) as escapes of JSON: the value stays the same. Outside of strings JSON has
// only ASCII.
func escapedJSON(line string) string {
	acts := func(r rune) bool { return r >= 0x7f && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) }
	if strings.IndexFunc(line, acts) < 0 {
		return line
	}
	var b strings.Builder
	for _, r := range line {
		switch high, low := utf16.EncodeRune(r); {
		case !acts(r):
			b.WriteRune(r)
		case high != utf8.RuneError:
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// Bare is the error of a command that stands without its subcommand: golem prints its
// usage and ends with exit code 2.
type Bare struct{ Command *cobra.Command }

// Error returns a text that is never shown.
func (b *Bare) Error() string { return b.Command.CommandPath() + " needs a subcommand" }

// Alone is the run of a command that only has subcommands.
func Alone(cmd *cobra.Command, _ []string) error { return &Bare{cmd} }

// UnpackIt is the hint for a function that works only on a directory, and not on a
// packed project.
const UnpackIt = "unpack the file (it is a zip file) and run the directory project in it"
