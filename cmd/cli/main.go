// Command golem runs LLM workers from the command line. It gives the core a disk, a
// terminal, an HTTP client and the environment, and turns the result into standard
// output and an exit code (SPEC §12).
//
// Results go to standard output and everything else to standard error. If both are the
// same terminal, the answer is streamed once, as part of the view on standard error;
// otherwise standard output gets exactly the answer, once, at the end.
package main

import (
	"os"

	"golem/cmd/cli/shell"
)

// version, commit and date (of the commit) are set by the linker (see Makefile); if they
// are not, buildOf takes what Go noted of the repository.
var version, commit, date = "", "", ""

func main() {
	if shell.IsHelper() {
		os.Exit(shell.Helper())
	}
	shell.Private()
	os.Exit(newHost().main(os.Args[1:]))
}
