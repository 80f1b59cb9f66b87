// Command tools measures what custom tools cost: a warm call, the guard in programs that compute,
// and the first and the cached start. It compares each with the same module on wazero alone.
// bench/README.md has the output of a run.
package main

import (
	"embed"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// small has the modules from C, which c/Makefile builds.
//
//go:embed c/*.wasm
var small embed.FS

func main() {
	rounds := flag.Int("rounds", 15, "samples of each figure, taken in turns")
	only := flag.String("only", "", "warm, guard or start")
	flag.Parse()
	if err := measure(*rounds, *only); err != nil {
		fmt.Fprintln(os.Stderr, "tools:", err)
		os.Exit(1)
	}
}

// measure prints a table for each part. The two sides of a pair are measured in turns, so that
// other work on the machine affects both in the same way.
func measure(rounds int, only string) error {
	scratch, err := os.MkdirTemp("", "golem-tools-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	guest, err := buildGuest(scratch)
	if err != nil {
		return err
	}
	m, err := loadModules(guest)
	if err != nil {
		return err
	}
	fmt.Printf("%s\n\n", machine(len(m.goTool)))
	for _, part := range []struct {
		name string
		rows func(modules, string, int) ([]pair, error)
	}{{"warm", warmCalls}, {"guard", guardCost}, {"start", starts}} {
		if only != "" && only != part.name {
			continue
		}
		rows, err := part.rows(m, scratch, rounds)
		if err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
		fmt.Print(table(part.name, rows))
	}
	return nil
}

// buildGuest builds the Go module from its source, and returns its path.
func buildGuest(dir string) (string, error) {
	out := filepath.Join(dir, "guest.wasm")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", out, "golem/bench/tools/testdata/guest")
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("the Go module: %w\n%s", err, strings.TrimSpace(string(text)))
	}
	return out, nil
}

// modules has the modules that are measured.
type modules struct {
	goTool, cTool     []byte // with a description in the module, so that golem need not run it to get one
	hash, json, parse []byte // from C
}

// descriptions is the tools.yaml that is packed into goTool and cTool.
const descriptions = `tools:
  - name: count
    description: Counts words.
    inputSchema:
      type: object
      properties: {text: {type: string}}
      required: [text]
    outputSchema: {type: object, required: [words]}
`

func loadModules(guest string) (m modules, err error) {
	big, err := os.ReadFile(guest)
	if err != nil {
		return m, err
	}
	for _, f := range []struct {
		to   *[]byte
		name string
	}{{&m.cTool, "count"}, {&m.hash, "hash"}, {&m.json, "json"}, {&m.parse, "parse"}} {
		if *f.to, err = small.ReadFile("c/" + f.name + ".wasm"); err != nil {
			return m, err
		}
	}
	if m.cTool, err = packed(m.cTool); err != nil {
		return m, err
	}
	m.goTool, err = packed(big)
	return m, err
}
