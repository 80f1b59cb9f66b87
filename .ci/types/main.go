// Command types checks the types of packages for other systems and processors, from their
// sources. It finds what the compiler's front end finds, such as a missing function or a
// constant that overflows an int of 32 bits, and compiles nothing: go vet and go build
// compile every dependency first, once for each system.
//
//	types SYSTEM/PROCESSOR,… PACKAGES…
//
// The exit code is 1 if a package has an error.
package main

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: types SYSTEM/PROCESSOR,… PACKAGES…")
		os.Exit(2)
	}
	failed := false
	for target := range strings.SplitSeq(os.Args[1], ",") {
		system, processor, _ := strings.Cut(target, "/")
		found, err := packages.Load(&packages.Config{
			Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
				packages.NeedDeps | packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedTypesInfo,
			Env:   append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0"),
			Tests: true,
		}, os.Args[2:]...)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		for _, p := range found {
			for _, e := range p.Errors {
				fmt.Printf("%s: %s\n", target, e)
				failed = true
			}
		}
		fmt.Printf("%s: %d packages\n", target, len(found))
	}
	if failed {
		os.Exit(1)
	}
}
