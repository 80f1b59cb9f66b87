package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"golem/core/fault"
	"golem/core/toolset"
	"golem/core/wasmtool"
)

func (h *host) toolPackCommand() *cobra.Command {
	var description, out string
	cmd := &cobra.Command{
		Use:   "pack FILE.wasm --tools FILE.yaml [-o OUT.wasm]",
		Short: "put a tool's description into its module",
		Long: `Writes the description of a module's tools (YAML or JSON) into the module, as
the custom section golem.tools, and replaces a description that is there. golem
first checks that it can run the module. It writes the complete file or nothing.
Without -o it replaces FILE.`,
		Args: words(1, 1),
		RunE: func(cmd *cobra.Command, words []string) error {
			if err := (&flags{set: cmd.Flags()}).notEmpty("output"); err != nil { // it would replace FILE
				return err
			}
			return h.packTool(words[0], description, out)
		},
	}
	cmd.Flags().StringVar(&description, "tools", "", "the description: tools.yaml")
	cmd.Flags().StringVarP(&out, "output", "o", "", "the module to write (default: FILE itself)")
	return cmd
}

func (h *host) packTool(file, description, out string) error {
	if description == "" {
		return usage("--tools is missing").Hinting("name the file that describes the tools, such as tools.yaml")
	}
	if out == "" {
		out = file
	}
	module, err := h.readModule(file)
	if err != nil {
		return err
	}
	text, err := h.readFile(description, maxSidecar)
	if err != nil {
		return fault.New(fault.NotFound, "the description %s cannot be read: %s", description, cause(err)).Hinting("--tools names a YAML or JSON file")
	}
	packed, err := wasmtool.Pack(module, text, description)
	if err != nil {
		return within(err, file)
	}
	if err := h.mayReplace(out, moduleKind); err != nil {
		return err
	}
	target := h.path(out)
	tmp, err := besideFile(target, packed)
	if err != nil {
		return fault.New(fault.Usage, "%s could not be written: %s", out, cause(err)).Hinting("%s", writeHint(err, "name a file in an existing directory that you can write to"))
	}
	defer os.Remove(tmp)
	t := h.newTools(false)
	defer t.close()
	seen, err := h.moduleAt(t, out, tmp).Inspect(context.Background())
	if err != nil {
		return err
	}
	for _, t := range seen.Tools {
		if slices.Contains(toolset.Reserved(), t.Name) {
			return fault.New(fault.Config, "%s is the name of a built-in tool", t.Name).Hinting("give the tool another name").At(filepath.ToSlash(description), 0, 0)
		}
	}
	if err := os.Rename(tmp, target); err != nil {
		return fault.New(fault.Usage, "%s could not be written: %s", out, cause(err)).Hinting("name a file that golem can replace")
	}
	names := make([]string, len(seen.Tools))
	for i, t := range seen.Tools {
		names[i] = t.Name
	}
	return h.print(fmt.Sprintf("%s: %s, %s\n", oneLine(out), strings.Join(names, ", "), bytesOf(seen.Size)))
}

// within adds a file to a fault that names none.
func within(err error, file string) error {
	var f *fault.Fault
	if errors.As(err, &f) && f.Where == nil {
		return f.At(filepath.ToSlash(file), 0, 0)
	}
	return err
}

// besideFile writes data to a new file beside name, with the permissions of that file
// (0644 if it does not exist), and returns its name. The caller renames it to replace
// name.
func besideFile(name string, data []byte) (string, error) {
	mode := os.FileMode(0o644)
	if info, err := os.Stat(name); err == nil {
		if !info.Mode().IsRegular() {
			return "", errors.New("not a regular file")
		}
		mode = info.Mode().Perm()
	}
	tmp := fmt.Sprintf("%s.%s.tmp", name, rand.Text()[:8])
	if err := writeNew(tmp, data); err != nil {
		return "", err
	}
	if err := os.Chmod(tmp, mode); err != nil {
		return "", errors.Join(err, os.Remove(tmp))
	}
	return tmp, nil
}
