package toolcmd

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golem/core/config"
	"golem/core/fault"
	"golem/core/ui"
	"golem/core/wasmtool"

	"golem/cmd/cli/console"
	"golem/cmd/cli/toolhost"
)

// toolUpdate fetches modules again, shows what changed, and writes all of them or none.
func toolUpdate(c *console.Console, f *addFlags, name string) error {
	a, err := addTo(c, f)
	if err != nil {
		return err
	}
	defer a.tools.Close()
	names, err := a.toUpdate(name)
	if err != nil {
		return err
	}
	files, pins := map[string][]byte{}, map[string]pin{}
	var b strings.Builder
	refused := false
	for _, one := range names { // all of them before the first request
		if err := checkProjectSource(a.from[one], one); err != nil {
			return err
		}
	}
	for _, one := range names {
		c.Say("fetching %s", ui.OneLine(a.from[one]))
		got, seen, err := a.fetch(a.from[one], one, false)
		if err != nil {
			return err
		}
		changed := a.look(map[string][]byte{one: got.data})
		if seen.SHA256 == a.digests[one] && len(changed) == 0 && a.there[one] != "" {
			fmt.Fprintf(&b, "%s\n  unchanged: sha256 %s\n%s", ui.OneLine(one), seen.SHA256, fromLine(got))
			continue
		}
		files[one], pins[one] = got.data, pin{seen.SHA256, a.from[one]}
		refused = refused || seen.Refused != ""
		b.WriteString(updateText(a.installed(one), seen) + fromLine(got))
	}
	seen, err := c.Review(f.yes || refused || len(files) == 0, nil, console.Fit(c.Out, b.String()))
	if err != nil || len(files) == 0 {
		return err
	}
	if refused {
		c.Say("nothing was written, because golem would refuse the new module")
		return console.ExitCode(console.ExitFailed)
	}
	write := false
	if seen {
		write, err = c.Confirm(f.yes, "update "+fault.Count(len(files), "module")+"?", "--yes updates "+fault.Count(len(files), "module"))
	}
	if err != nil {
		return err
	}
	if !write {
		return console.NotConfirmed(c, "nothing was written")
	}
	if err := a.write(f, pins, files); err != nil {
		return err
	}
	return c.Show("updated " + strings.Join(slices.Sorted(maps.Keys(files)), ", ") + ", pinned in " + config.ToolLockFile + "\n")
}

// toUpdate returns the modules that a name means; for "" all modules that were fetched.
func (a *adding) toUpdate(name string) ([]string, error) {
	all := slices.Sorted(maps.Keys(a.from))
	if len(all) == 0 {
		return nil, fault.New(fault.NotFound, "%s has no module with an address to fetch it from", config.ToolLockFile).Hinting("golem tool add https://… or oci://… fetches one")
	}
	if name == "" {
		return all, nil
	}
	var known []string
	for _, one := range all {
		stem := strings.TrimSuffix(path.Base(one), ".wasm")
		if name == one || name == stem {
			return []string{one}, nil
		}
		known = append(known, stem)
	}
	return nil, fault.New(fault.NotFound, "%s has no module %s that was fetched", config.ToolLockFile, fault.Quoted(name)).Hinting("%s", fault.DidYouMean(name, known))
}

// installed returns the module that is in the project now; the zero value if it cannot
// be read.
func (a *adding) installed(name string) wasmtool.Inspection {
	file := filepath.Join(a.root, filepath.FromSlash(name))
	m := a.tools.Library.Module(wasmtool.Source{Path: name, File: toolhost.ModuleFile{File: file}})
	seen, err := m.Inspect(context.Background())
	if err != nil {
		return wasmtool.Inspection{}
	}
	return seen
}

// fromLine returns the line that names the origin of a module.
func fromLine(got fetched) string { return fmt.Sprintf("  %-8s %s\n", "from", ui.OneLine(got.from)) }

// updateText returns the differences between two versions of a module.
func updateText(old, now wasmtool.Inspection) string {
	var b strings.Builder
	b.WriteString(ui.OneLine(now.Path) + "\n")
	line := func(what, before, after string) {
		switch {
		case before == after:
		case before == "":
			fmt.Fprintf(&b, "  %-8s %s\n", what, ui.OneLine(after))
		default:
			fmt.Fprintf(&b, "  %-8s %s, was %s\n", what, ui.OneLine(after), ui.OneLine(before))
		}
	}
	size := func(n int) string {
		if n == 0 {
			return ""
		}
		return console.Bytes(n)
	}
	line("sha256", old.SHA256, now.SHA256)
	line("size", size(old.Size), size(now.Size))
	line("form", old.Form, now.Form)
	changes(&b, "tools", toolLines(old.Tools), toolLines(now.Tools))
	changes(&b, "exports", setOf(old.Exports), setOf(now.Exports))
	changes(&b, "imports", importNames(old), importNames(now))
	changes(&b, "needs", setOf(old.Needs), setOf(now.Needs))
	line("refused", old.Refused, now.Refused)
	return b.String()
}

// changes lists what was added (+), removed (-) and changed under the same name (~).
func changes(b *strings.Builder, what string, old, now map[string]string) {
	all := maps.Clone(now)
	maps.Copy(all, old)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		before, was := old[name]
		after, is := now[name]
		switch {
		case !was:
			fmt.Fprintf(b, "  %-8s + %s\n", what, ui.OneLine(name))
		case !is:
			fmt.Fprintf(b, "  %-8s - %s\n", what, ui.OneLine(name))
		case before != after:
			fmt.Fprintf(b, "  %-8s ~ %s: %s\n", what, ui.OneLine(name), ui.OneLine(after))
		}
	}
}

func setOf(names []string) map[string]string {
	out := map[string]string{}
	for _, n := range names {
		out[n] = ""
	}
	return out
}

func importNames(seen wasmtool.Inspection) map[string]string {
	out := map[string]string{}
	for _, i := range seen.Imports {
		out[i.Module+" "+i.Name] = ""
	}
	return out
}

// toolLines returns the tools by name, each with its whole description as JSON.
func toolLines(tools []wasmtool.Description) map[string]string {
	out := map[string]string{}
	for _, t := range tools {
		text, err := json.Marshal(t)
		if err != nil {
			text = []byte(t.Description)
		}
		out[t.Name] = string(text)
	}
	return out
}
