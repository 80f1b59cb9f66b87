package main

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"golem/core/fault"
)

// scaffolds are the tools that golem tool new writes. Each name ends in .tmpl,
// so that neither Go nor an editor takes them for golem's own sources.
//
//go:embed all:scaffold
var scaffolds embed.FS

// language is a language for which golem tool new has a scaffold.
type language struct {
	name    string // the value of --lang, and the name of its directory
	aliases []string
	title   string
	files   []scaffoldFile // the files to mention, in reading order
	missing func() []string
}

type scaffoldFile struct{ name, what string }

// languages are the scaffolds in the order of the help text.
var languages = []language{
	{
		name: "go", title: "Go", missing: missingGo,
		files: []scaffoldFile{{"main.go", "the tool"}, {"golemtool.go", "reads the arguments, prints the result"}},
	},
	{
		name: "rust", title: "Rust", missing: missingRust,
		files: []scaffoldFile{{"src/main.rs", "the tool"}, {"src/golemtool.rs", "reads the arguments, prints the result"}},
	},
	{
		name: "c", title: "C", missing: missingC,
		files: []scaffoldFile{{"tool.c", "the tool"}, {"golemtool.h", "reads the arguments, writes the result"}},
	},
	{
		name: "js", aliases: []string{"assemblyscript", "ts"}, title: "AssemblyScript", missing: missingJS,
		files: []scaffoldFile{{"assembly/index.ts", "the tool"}, {"assembly/golemtool.ts", "reads the arguments, writes the result"}},
	},
}

func (h *host) toolNewCommand() *cobra.Command {
	var lang string
	cmd := &cobra.Command{
		Use:   "new DIR --lang go|rust|c|js",
		Short: "write the source of a new tool",
		Long: `Creates the directory DIR with a tool that is ready to build: its source,
tools.yaml with its description, a Makefile and a README. The tool has the
directory's name. Within a tools/ folder, as in tools/wordcount, the
built module goes to tools/wordcount.wasm, where golem finds it.

  go    the standard Go toolchain, nothing else
  rust  cargo with the target wasm32-wasip1, no crates
  c     clang and wasm-ld, no libc
  js    AssemblyScript, by npm: JavaScript's syntax with types`,
		Args: words(1, 1),
		RunE: func(_ *cobra.Command, words []string) error { return h.newTool(words[0], lang) },
	}
	cmd.Flags().StringVar(&lang, "lang", "", "go, rust, c or js")
	_ = cmd.RegisterFlagCompletionFunc("lang", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return []string{"go", "rust", "c", "js"}, cobra.ShellCompDirectiveNoFileComp
	}) // it fails only for a flag that is not there
	return cmd
}

// toolDirName matches directory names that are valid as the name of a module, a crate
// and a package.
var toolDirName = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,47}$`)

// newTool writes the scaffold of one language and prints what to do next.
func (h *host) newTool(dir, lang string) error {
	l, err := languageOf(lang)
	if err != nil {
		return err
	}
	target := h.path(dir)
	name := filepath.Base(target)
	if !toolDirName.MatchString(name) {
		return usage("%q is not a valid name for a tool", name).
			Hinting("the tool gets the directory's name: a lower-case letter, then lower-case letters, digits, - and _, at most 48 characters")
	}
	if entries, err := os.ReadDir(target); err == nil && len(entries) > 0 {
		return usage("%s exists and is not empty", dir).Hinting("name a directory that does not exist yet")
	}
	out := name + ".wasm"
	if filepath.Base(filepath.Dir(target)) == "tools" {
		out = "../" + out
	}
	words := strings.NewReplacer("@NAME@", name, "@TOOL@", strings.ReplaceAll(name, "-", "_"), "@OUT@", out)
	for _, part := range []string{"all", l.name} {
		if err := writeScaffold(part, target, words); err != nil {
			return fault.New(fault.Usage, "%s could not be written: %s", dir, cause(err)).Hinting("name a directory that golem can create")
		}
	}
	return h.print(h.afterNew(l, dir, name, out))
}

func languageOf(lang string) (language, error) {
	var known []string
	for _, l := range languages {
		if l.name == lang || slices.Contains(l.aliases, lang) {
			return l, nil
		}
		known = append(known, l.name)
	}
	if lang == "" {
		return language{}, usage("--lang is missing").Hinting("use one of %s", strings.Join(known, ", "))
	}
	return language{}, usage("--lang %q: golem has no template for this language", lang).
		Hinting("use one of %s; for other languages see docs/tools.md: any language that compiles to WASI or has an Extism PDK can make tools", strings.Join(known, ", "))
}

// writeScaffold copies one directory of the scaffolds. It replaces no file.
func writeScaffold(part, target string, words *strings.Replacer) error {
	root := path.Join("scaffold", part)
	return fs.WalkDir(scaffolds, root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := scaffolds.ReadFile(name)
		if err != nil {
			return err
		}
		rel := strings.TrimSuffix(strings.TrimPrefix(name, root+"/"), ".tmpl")
		if rel == "gitignore" {
			rel = ".gitignore"
		}
		file := filepath.Join(target, filepath.FromSlash(rel))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return err
		}
		return writeNew(file, []byte(words.Replace(string(data))))
	})
}

// writeNew writes a new file. It fails if the file exists.
func writeNew(name string, data []byte) error {
	return writeNewMode(name, data, 0o666)
}

// afterNew returns a text with what was written, what is missing and what to type next.
func (h *host) afterNew(l language, dir, name, out string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: a tool in %s\n", oneLine(filepath.ToSlash(dir)), l.title)
	rows := [][]string{}
	for _, f := range append(slices.Clone(l.files), scaffoldFile{"tools.yaml", "its description, for golem and the model"}, scaffoldFile{"README.md", "how to build it"}) {
		rows = append(rows, []string{" ", f.name, f.what})
	}
	b.WriteString(table(rows))
	for _, m := range l.missing() {
		fmt.Fprintf(&b, "missing: %s\n", m)
	}
	fmt.Fprintf(&b, "next:\n  cd %s\n  make%s   # builds %s\n  make try%s\n", oneLine(dir), golemArgument(), out, golemArgument())
	return b.String()
}

// golemArgument returns the argument that tells make where golem is; "" if golem is on
// the PATH.
func golemArgument() string {
	if _, missing := lookUp("golem"); missing {
		if exe, err := os.Executable(); err == nil {
			return " GOLEM=" + oneLine(exe)
		}
	}
	return ""
}
