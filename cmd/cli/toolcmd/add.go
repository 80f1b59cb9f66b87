package toolcmd

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/url"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"golem/core"
	"golem/core/config"
	"golem/core/fault"
	"golem/core/jstool"
	"golem/core/wasmtool"
	"golem/core/wasmtool/guard"
	"golem/sandbox/osfs"

	"golem/cmd/cli/console"
	"golem/cmd/cli/disk"
	"golem/cmd/cli/machine"
	"golem/cmd/cli/runflags"
	"golem/cmd/cli/target"
	"golem/cmd/cli/toolhost"
)

// addFlags are the flags of golem tool add and update.
type addFlags struct {
	runflags.Flags
	name string
	yes  bool
}

func addCommand(c *console.Console) *cobra.Command {
	f := &addFlags{}
	cmd := &cobra.Command{
		Use: "add SOURCE", Short: "fetch a tool module, show what it is, and pin it", Args: console.Words(1, 1),
		Long: `Fetches a module from an https address, from a registry (oci://HOST/REPOSITORY:TAG)
or from a file, shows what it is and what it would need, and asks. After a yes it
is in the project's tools/, and tools.lock has its digest and its address. Nothing
of the module runs. What it may use, its hosts, files and configuration, is in a
worker file: the module gets nothing by being added.`,
		Example: `  golem tool add https://example.org/slug.wasm
  golem tool add oci://ghcr.io/owner/tool:1.0 --name tool
  golem tool add ../slug/slug.wasm --yes`,
		RunE: func(_ *cobra.Command, words []string) error { return toolAdd(c, f, words[0]) },
	}
	f.add(cmd)
	cmd.Flags().StringVar(&f.name, "name", "", "the module's name in tools/ (default: that of the source)")
	return cmd
}

func updateCommand(c *console.Console) *cobra.Command {
	f := &addFlags{}
	cmd := &cobra.Command{
		Use: "update [NAME]", Short: "fetch the modules again that tool add fetched, and show what changed", Args: console.Words(0, 1),
		Long: `Fetches each module again whose address tools.lock has, or the one of NAME, and shows
what changed: digest, size, tools, exports and what it would need. It writes after a
yes, and then tools.lock and all of the modules. An address there is the project's
word: golem asks public ones only, over https or oci.`,
		RunE: func(_ *cobra.Command, words []string) error { return toolUpdate(c, f, strings.Join(words, "")) },
	}
	f.add(cmd)
	return cmd
}

func (f *addFlags) add(cmd *cobra.Command) {
	f.Add(cmd.Flags(), "add")
	cmd.Flags().BoolVarP(&f.yes, "yes", "y", false, "write without asking")
}

// adding is the project to which modules are added.
type adding struct {
	console       *console.Console
	tools         *toolhost.Tools
	inst          *core.Instance
	root          string
	digests, from map[string]string // as tools.lock has them
	fresh         bool              // there is no tools.lock yet
	there         map[string]string // what replaces returned of the files to write
}

// addTo opens the project. The caller must close its tools.
func addTo(c *console.Console, f *addFlags) (*adding, error) {
	if err := f.NotEmpty("project"); err != nil {
		return nil, err
	}
	if f.Project == "" && c.Env.Setting("PROJECT") == "" {
		f.Project = "."
	}
	p, _, err := target.Find(c, f.Wanted(), nil)
	if err != nil {
		return nil, err
	}
	a := &adding{console: c, tools: toolhost.New(c, false), root: p.Root}
	if a.inst, err = machine.Open(c, p, f.OpenWith(), a.tools); err == nil {
		a.digests, a.from, a.fresh, err = a.inst.Project().ToolPins(guard.MaxSize)
	}
	if err != nil {
		a.tools.Close()
		return nil, err
	}
	return a, nil
}

// nameOf returns the module name that a source suggests; "" if there is none.
func nameOf(source string) string {
	if m := ociAddress().FindStringSubmatch(source); m != nil {
		return path.Base(m[2])
	}
	if strings.Contains(source, "://") {
		if u, err := url.Parse(source); err == nil {
			return config.ModuleStem(u.Path[strings.LastIndex(u.Path, "/")+1:])
		}
	}
	return config.ModuleStem(filepath.Base(source))
}

func toolAdd(c *console.Console, f *addFlags, source string) error {
	if err := checkSource(source); err != nil {
		return err
	}
	name := strings.TrimSuffix(cmp.Or(f.name, nameOf(source)), ".wasm")
	switch {
	case name == "":
		return console.Usage("the address has no file name").Hinting("name the module with --name")
	case !config.IsModuleName(name):
		return console.Usage("%s cannot be the name of a module", fault.Quoted(name)).Hinting("give one with --name: letters, digits, _, - and .")
	}
	a, err := addTo(c, f)
	if err != nil {
		return err
	}
	defer a.tools.Close()
	got, seen, err := a.fetch(source, "tools/"+name+".wasm", true)
	if err != nil {
		return err
	}
	text := moduleText(seen) + fromLine(got)
	if got.sidecar == nil && seen.Source == "sidecar" {
		text += "  described by a file that the project has already: " + strings.TrimSuffix(seen.Path, ".wasm") + ".tools.yaml\n"
	}
	files := map[string][]byte{seen.Path: got.data}
	if got.sidecar != nil {
		files[strings.TrimSuffix(seen.Path, ".wasm")+".tools.yaml"] = got.sidecar
	}
	text += a.replaces(seen.Path, files)
	whole, err := c.Review(f.yes || seen.Refused != "", nil, console.Fit(c.Out, text))
	if err != nil {
		return err
	}
	if seen.Refused != "" {
		return console.ExitCode(console.ExitFailed)
	}
	write := false
	if whole {
		write, err = c.Confirm(f.yes, "add it as "+seen.Path+"?", "--yes adds it as "+seen.Path)
	}
	if err != nil {
		return err
	}
	if !write {
		return console.NotConfirmed(c, "nothing was written")
	}
	pins := map[string]pin{seen.Path: {digest: seen.SHA256}}
	if strings.Contains(source, "://") {
		pins[seen.Path] = pin{seen.SHA256, source}
	}
	if err := a.write(f, pins, files); err != nil {
		return err
	}
	more := ""
	if n := len(a.digests) - 1; a.fresh && n > 0 {
		more = fmt.Sprintf("; it is new, and pins the project's %s too", fault.Count(n, "other module"))
	}
	return c.Show("added " + seen.Path + ", pinned in " + config.ToolLockFile + more + "\n")
}

// fetch reads a module and inspects it, without running any of it; it links a source. byPerson says that a
// person named the source, and not the project.
func (a *adding) fetch(source, name string, byPerson bool) (got fetched, seen wasmtool.Inspection, err error) {
	ctx, stop := a.console.Interruptible(context.Background())
	defer stop()
	waits, end := a.console.Spinner()
	defer end()
	waits.Wait("fetching " + source)
	if jstool.IsSource(filepath.Base(source)) && !strings.Contains(source, "://") {
		got.from = "the file " + source
		got.data, err = a.tools.Link(source, a.console.Path(source))
	} else {
		got, err = fetchModule(ctx, a.console, source, byPerson)
	}
	if err != nil {
		return got, seen, err
	}
	m := a.tools.Library.Module(wasmtool.Source{
		Path: name, File: core.Incoming(a.inst, name, got.data, got.sidecar),
	})
	seen, err = m.Inspect(ctx)
	return got, seen, err
}

// pin is the entry of a module in tools.lock.
type pin struct{ digest, from string }

// write pins modules in tools.lock and puts them in place. It keeps what another golem
// pinned meanwhile, and returns E_CONFLICT if one of the same modules, or of the files to
// replace, was changed.
func (a *adding) write(f *addFlags, pins map[string]pin, modules map[string][]byte) error {
	release, err := holdToolLock(a.console, a.inst)
	if f := fault.Of(err, fault.Config); err != nil && f.Code != fault.Busy && f.Code != fault.Interrupted {
		return disk.NotWritten("the project's tools", err, "make the project's directory writable, with tools and .golem in it")
	} else if err != nil {
		return err
	}
	defer release()
	now, err := addTo(a.console, f)
	if err != nil {
		return err
	}
	defer now.tools.Close()
	for name, p := range pins {
		if now.digests[name] != a.digests[name] {
			return fault.New(fault.Conflict, "nothing was written: another golem has changed %s in %s since you looked at it", fault.Quoted(name), config.ToolLockFile).
				Hinting("give the command again, and look again")
		}
		now.digests[name], now.from[name] = p.digest, p.from
		if p.from == "" {
			delete(now.from, name)
		}
	}
	for name := range modules {
		if a.digest(name) != a.there[name] {
			return fault.New(fault.Conflict, "nothing was written: %s has changed since you looked at it", fault.Quoted(name)).
				Hinting("give the command again, and look again")
		}
	}
	a.digests, a.from, a.fresh = now.digests, now.from, now.fresh
	return a.put(modules)
}

// put replaces the lock and the modules together: if golem is killed, the next command has
// all old files or all new ones.
func (a *adding) put(modules map[string][]byte) error {
	root, err := osfs.Open(a.root)
	if err != nil {
		return fault.Of(err, fault.Project)
	}
	defer root.Close()
	files := maps.Clone(modules)
	files[config.ToolLockFile] = config.EncodeToolLock(a.digests, a.from)
	ctx, stop := a.console.Interruptible(context.Background())
	defer stop()
	store := a.console.Home.State(root, a.root)
	if err = toolhost.Replace(ctx, &store, root, files); err == nil {
		return nil
	}
	if f := fault.Of(err, fault.Config); f.Code == fault.Lock || f.Code == fault.Protected {
		return f
	}
	return disk.NotWritten("the modules and "+config.ToolLockFile, err, "make the project's directory writable, with tools and .golem in it")
}
