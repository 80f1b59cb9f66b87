package toolcmd

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
	"sync"

	"github.com/spf13/cobra"

	"golem/core/fault"
	"golem/core/jstool/newtool"
	"golem/core/ui"

	"golem/cmd/cli/console"
	"golem/cmd/cli/disk"
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
	// source is the extension of a language whose tools golem builds itself: then there is
	// only this one file, and no directory.
	source string
}

type scaffoldFile struct{ name, what string }

// languages are the scaffolds in the order of the help text.
var languages = []language{
	{name: "js", aliases: []string{"javascript"}, title: "JavaScript", source: ".js"},
	{name: "ts", aliases: []string{"typescript"}, title: "TypeScript", source: ".ts"},
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
		name: "as", aliases: []string{"assemblyscript"}, title: "AssemblyScript", missing: missingJS,
		files: []scaffoldFile{{"assembly/index.ts", "the tool"}, {"assembly/golemtool.ts", "reads the arguments, writes the result"}},
	},
}

func newCommand(c *console.Console) *cobra.Command {
	var lang string
	cmd := &cobra.Command{
		Use:   "new DIR --lang js|ts|go|rust|c|as",
		Short: "write the source of a new tool",
		Long: `Creates a tool that is ready to build. For js and ts it is one file, DIR.js or
DIR.ts, which golem runs as it is. For the others it is the
directory DIR with the source, tools.yaml with its description, a Makefile and a
README. The tool has the name of DIR. Within a tools/ folder, as in
tools/wordcount, the module goes to tools/wordcount.wasm, where golem finds it.

  js    JavaScript, nothing else: golem has an engine
  ts    TypeScript, nothing else
  go    the standard Go toolchain, nothing else
  rust  cargo with the target wasm32-wasip1, no crates
  c     clang and wasm-ld, no libc
  as    AssemblyScript, by npm: compiled, with JavaScript's syntax and types`,
		Args: console.Words(1, 1),
		RunE: func(_ *cobra.Command, words []string) error { return newTool(c, words[0], lang) },
	}
	cmd.Flags().StringVar(&lang, "lang", "", "js, ts, go, rust, c or as")
	_ = cmd.RegisterFlagCompletionFunc("lang", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return []string{"js", "ts", "go", "rust", "c", "as"}, cobra.ShellCompDirectiveNoFileComp
	}) // it fails only for a flag that is not there
	return cmd
}

// toolDirName matches directory names that are valid as the name of a module, a crate
// and a package.
var toolDirName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z0-9_-]{0,47}$`) })

// newTool writes the scaffold of one language and prints what to do next.
func newTool(c *console.Console, dir, lang string) error {
	l, err := languageOf(lang)
	if err != nil {
		return err
	}
	target := c.Path(dir)
	name := filepath.Base(target)
	if !toolDirName().MatchString(name) {
		return console.Usage("%q is not a valid name for a tool", name).
			Hinting("the tool gets the directory's name: a lower-case letter, then lower-case letters, digits, - and _, at most 48 characters")
	}
	if l.source != "" {
		return newSource(c, l, dir, name)
	}
	if entries, err := os.ReadDir(target); err == nil && len(entries) > 0 {
		return console.Usage("%s exists and is not empty", dir).Hinting("name a directory that does not exist yet")
	}
	out := name + ".wasm"
	if filepath.Base(filepath.Dir(target)) == "tools" {
		out = "../" + out
	}
	words := strings.NewReplacer("@NAME@", name, "@TOOL@", strings.ReplaceAll(name, "-", "_"), "@OUT@", out)
	for _, part := range []string{"all", l.name} {
		if err := writeScaffold(part, target, words); err != nil {
			return fault.New(fault.Usage, "%s could not be written: %s", dir, disk.Cause(err)).Hinting("name a directory that golem can create")
		}
	}
	return c.Print(afterNew(l, dir, out))
}

// newSource writes the source of a tool in a language that golem builds itself.
func newSource(c *console.Console, l language, dir, name string) error {
	file := filepath.ToSlash(dir) + l.source
	data, err := newtool.Source(l.source)
	if err != nil {
		return err
	}
	tool := strings.ReplaceAll(name, "-", "_")
	target := c.Path(file)
	if _, err := os.Lstat(target); err == nil {
		return console.Usage("%s exists", file).Hinting("give another name, or look at it: golem tool inspect %s", file)
	}
	err = os.MkdirAll(filepath.Dir(target), 0o777)
	if err == nil {
		err = disk.WriteNew(target, []byte(strings.ReplaceAll(string(data), "@TOOL@", tool)), 0o666)
	}
	if err != nil {
		return fault.New(fault.Usage, "%s could not be written: %s", file, disk.Cause(err)).Hinting("name a file that golem can create")
	}
	shown := ui.OneLine(filepath.ToSlash(dir))
	return c.Print(fmt.Sprintf("%s%s: a tool in %s\nnext:\n  golem tool call %[1]s%[2]s %[4]s '{\"text\": \"one two three\"}'\n", shown, l.source, l.title, tool))
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
		return language{}, console.Usage("--lang is missing").Hinting("use one of %s", strings.Join(known, ", "))
	}
	return language{}, console.Usage("--lang %q: golem has no template for this language", lang).
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
		return disk.WriteNew(file, []byte(words.Replace(string(data))), 0o666)
	})
}

// afterNew returns a text with what was written, what is missing and what to type next.
func afterNew(l language, dir, out string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: a tool in %s\n", ui.OneLine(filepath.ToSlash(dir)), l.title)
	rows := [][]string{}
	for _, f := range append(slices.Clone(l.files), scaffoldFile{"tools.yaml", "its description, for golem and the model"}, scaffoldFile{"README.md", "how to build it"}) {
		rows = append(rows, []string{" ", f.name, f.what})
	}
	b.WriteString(ui.Table(rows))
	for _, m := range l.missing() {
		fmt.Fprintf(&b, "missing: %s\n", m)
	}
	fmt.Fprintf(&b, "next:\n  cd %s\n  make%s   # builds %s\n  make try%s\n", ui.OneLine(dir), golemArgument(), out, golemArgument())
	return b.String()
}

// golemArgument returns the argument that tells make where golem is; "" if golem is on
// the PATH.
func golemArgument() string {
	if !onPath("golem") {
		if exe, err := os.Executable(); err == nil {
			return " GOLEM=" + ui.OneLine(exe)
		}
	}
	return ""
}
