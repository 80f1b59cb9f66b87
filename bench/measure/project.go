//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A testProject is a project that is written to disk for one case: a main worker that reads
// files and may call one child, and further workers in directories of a hundred each.
type testProject struct {
	dataFiles int
	workers   int
	modules   int // modules of 3 MB in tools/; if there are any, one of each size is in the root, to be called
	servers   int // MCP servers that the child's file names; their programs do not exist
}

func (p testProject) write(dir string) error {
	files := map[string]string{
		"project.yaml": fmt.Sprintf("limits: {turns: %d}\ndelegation: {parallel: 20}\n", turnsAllowed),
		"main.worker": "---\nname: main\ntoolsets:\n  filesystem: {}\n  workers: {allowed_workers: [child]}\n---\n" +
			"Read what you are told to read.\n",
		"workers/child.worker": "---\ndescription: Answers one task\n---\nCHILD: answer in one word.\n",
	}
	if p.servers > 0 {
		child := "---\ndescription: Answers one task\nsandbox: {network_enabled: true}\ntoolsets:\n  mcp:\n"
		for i := range p.servers {
			child += fmt.Sprintf("    s%d: {command: not-a-program-%d, args: [a, b], tools: [\"read_*\"]}\n", i, i)
		}
		files["workers/child.worker"] = child + "---\nCHILD: answer in one word.\n"
	}
	for i := range p.dataFiles {
		files[fmt.Sprintf("data/%d.txt", i)] = strings.Repeat(fmt.Sprintf("line %d\n", i), 20)
	}
	if p.workers > 0 { // a setting for a tool that the child does not have, as is common in manifests
		files["project.yaml"] += "approval: {tools: {write_file: ask}}\n"
	}
	for i := range p.workers {
		name := fmt.Sprintf("workers/area%d/w%04d.worker", i/100+3, i)
		files[name] = fmt.Sprintf("---\ndescription: Worker %d of many\ntoolsets:\n  filesystem: {}\n---\nAnswer question %d.\n", i, i)
	}
	for name, data := range files {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(full, []byte(data), 0o644); err != nil {
			return err
		}
	}
	return nil
}
