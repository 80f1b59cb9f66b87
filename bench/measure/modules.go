//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// smallModule is a plug-in in C, 7 KB; bench/tools says how it is built.
const smallModule = "bench/tools/c/count.wasm"

// description is the tools.yaml of a module with one tool.
const description = "tools:\n  - name: %s\n    inputSchema: {type: object, properties: {text: {type: string}}}\n"

// A moduleMaker builds the Go module that bench/tools measures, once, when the first case needs
// it, and makes copies with other tool names with golem tool pack.
type moduleMaker struct {
	golem, dir string
	built      bool
}

// write writes n modules into a project's tools/, and big.wasm and small.wasm, which have the
// tool count, into the project's root. If n is 0 it writes nothing. The working directory must
// be the root of golem's repository.
func (m *moduleMaker) write(project string, n int) error {
	if n == 0 {
		return nil
	}
	big := filepath.Join(m.dir, "big.wasm")
	if !m.built {
		cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", big, "golem/bench/tools/testdata/guest")
		cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("the Go module: %w\n%s", err, bytes.TrimSpace(out))
		}
		m.built = true
	}
	if err := os.MkdirAll(filepath.Join(project, "tools"), 0o755); err != nil {
		return err
	}
	for from, to := range map[string]string{big: "big.wasm", smallModule: "small.wasm"} {
		if err := m.pack(from, filepath.Join(project, to), "count"); err != nil {
			return err
		}
	}
	for i := range n {
		if err := m.pack(big, filepath.Join(project, "tools", fmt.Sprintf("m%d.wasm", i)), fmt.Sprintf("tool%d", i)); err != nil {
			return err
		}
	}
	return nil
}

func (m *moduleMaker) pack(from, to, name string) error {
	text := filepath.Join(m.dir, "tools.yaml")
	if err := os.WriteFile(text, fmt.Appendf(nil, description, name), 0o644); err != nil {
		return err
	}
	if out, err := exec.Command(m.golem, "tool", "pack", from, "--tools", text, "-o", to).CombinedOutput(); err != nil {
		return fmt.Errorf("golem tool pack: %w\n%s", err, bytes.TrimSpace(out))
	}
	return nil
}
