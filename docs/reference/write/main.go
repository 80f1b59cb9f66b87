// Command write writes the pages of the documentation that list what golem has: commands,
// flags, tools, providers, events of a trace. Run it at the repository's root after you changed one
// of these: go run ./docs/reference/write
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"golem/docs/reference"
)

func main() {
	if err := write(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write() error {
	dir, err := os.MkdirTemp("", "golem-reference-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	golem := filepath.Join(dir, "golem")
	if out, err := exec.Command("go", "build", "-o", golem, "golem/cmd/cli").CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	pages, err := reference.Pages(".", dir, func(home string, words ...string) (string, error) {
		cmd := exec.Command(golem, words...)
		cmd.Env = []string{"HOME=" + home}
		out, err := cmd.Output()
		return string(out), err
	})
	if err != nil {
		return err
	}
	for name, text := range pages {
		name = filepath.Join("docs", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
