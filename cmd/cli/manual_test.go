package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"

	"golem/cmd/cli/console"
	"golem/cmd/cli/home"
)

// TestManual writes the manual pages of golem and of each command, from the table of commands,
// and reads them with man. GOLEM_MANUAL names a directory in which they stay, which a release
// takes them from; GOLEM_MANUAL_SOURCE and GOLEM_MANUAL_DATE are what they say in their last
// lines.
func TestManual(t *testing.T) {
	dir := os.Getenv("GOLEM_MANUAL")
	if dir == "" {
		dir = t.TempDir()
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	day, err := time.Parse(time.RFC3339, "2026-01-01T00:00:00Z")
	if given := os.Getenv("GOLEM_MANUAL_DATE"); given != "" {
		day, err = time.Parse(time.RFC3339, given)
	}
	if err != nil {
		t.Fatal(err)
	}
	root := newRoot(console.New(home.ReadEnv(nil), t.TempDir()))
	root.DisableAutoGenTag = true
	var all []*cobra.Command
	visitCommands(root, func(c *cobra.Command) {
		all = append(all, c)
		for _, text := range []*string{&c.Short, &c.Use} {
			*text = escaped.Replace(*text)
		}
		c.Long = manualText(c.Long)
		c.LocalFlags().VisitAll(func(f *pflag.Flag) { f.Usage = escaped.Replace(f.Usage) })
	})
	source := os.Getenv("GOLEM_MANUAL_SOURCE")
	if source == "" {
		source = "golem"
	}
	header := &doc.GenManHeader{Section: "1", Date: &day, Source: source, Manual: "Manual of golem"}
	if err := doc.GenManTreeFromOpts(root, doc.GenManTreeOptions{Header: header, Path: dir, CommandSeparator: "-"}); err != nil {
		t.Fatal(err)
	}
	withoutEmptyValues(t, dir)
	plain := newRoot(console.New(home.ReadEnv(nil), t.TempDir()))
	visitCommands(plain, func(c *cobra.Command) {
		name := strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1"
		cmd := exec.Command("man", "--nh", "--nj", "-l", filepath.Join(dir, name))
		cmd.Env = append(os.Environ(), "MANWIDTH=200", "LC_ALL=C.UTF-8", "MAN_KEEP_FORMATTING=", "GROFF_NO_SGR=1")
		page, err := cmd.Output()
		if err != nil {
			t.Fatalf("man -l %s: %v", name, err)
		}
		shown := words(overstruck.ReplaceAllString(string(page), ""))
		for line := range strings.Lines(c.Short + "\n" + c.Long) {
			if want := words(line); !strings.Contains(shown, want) {
				t.Errorf("%s lacks %q:\n%s", name, want, page)
				return
			}
		}
		c.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && (!strings.Contains(shown, "--"+f.Name) || !strings.Contains(shown, words(f.Usage))) {
				t.Errorf("%s lacks --%s %s", name, f.Name, f.Usage)
			}
		})
	})
	if len(all) < 40 {
		t.Errorf("only %d pages", len(all))
	}
}

// withoutEmptyValues removes from the pages the values of flags that are off or empty, which
// look as if one had to type them.
func withoutEmptyValues(t *testing.T, dir string) {
	pages, err := filepath.Glob(filepath.Join(dir, "*.1"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range pages {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		data = emptyValue.ReplaceAll(data, []byte("$1"))
		if err := os.WriteFile(name, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

var emptyValue = regexp.MustCompile(`(?m)^(.*\\fB-.*\\fP)(\[=[^\]]*\]|=(""|\[\])?)$`)

// overstruck matches what a terminal would show in bold, and the hyphens of the typesetter.
var overstruck = regexp.MustCompile(".\x08")

// words returns a text with one space between its words.
func words(text string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("‐", "-", "−", "-", "‘", "'", "’", "'").Replace(text)), " ")
}

// visitCommands calls visit for a command and those below it that have a page.
func visitCommands(c *cobra.Command, visit func(*cobra.Command)) {
	visit(c)
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() && !sub.IsAdditionalHelpTopicCommand() {
			visitCommands(sub, visit)
		}
	}
}

// escaped keeps characters of a text that mean something in Markdown.
var escaped = strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "`", "\\`", "[", `\[`, "]", `\]`, "<", `\<`, ">", `\>`, "#", `\#`, "|", `\|`, "~", `\~`)

// manualText returns a help text as Markdown: indented lines stay as they are.
func manualText(text string) string {
	var b strings.Builder
	code := false
	for line := range strings.Lines(text) {
		indented := strings.HasPrefix(line, "  ") || strings.HasPrefix(line, "\t")
		if indented != code && strings.TrimSpace(line) != "" {
			b.WriteString("\n")
			code = indented
		}
		switch {
		case indented:
			b.WriteString("    " + strings.TrimPrefix(line, "\t"))
		default:
			b.WriteString(escaped.Replace(line))
		}
	}
	return b.String()
}
