// Package shell is the native toolset "shell": tools that run commands on this machine
// (SPEC §8). golem parses a command line once for approval rules and interprets it
// itself, without the system's shell. Each line runs in a helper process, which is
// golem itself. On Linux the kernel confines the helper to the worker's files.
package shell

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golem/cmd/cli/shell/confine"
	"golem/core/approval/sh"
	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/tool"
	"golem/core/toolset"
)

// Host is what the toolset needs to know about golem's process.
type Host struct {
	Root   string            // the project's directory, with links followed
	Env    map[string]string // golem's environment; commands get a few of its variables
	Closed []string          // directories that no command may reach, such as $GOLEM_HOME
	Memory bool              // --sandbox memory: there is no disk to work on
	Kernel *Kernel           // nil: the kernel of this machine
	// Unconfined says that a person knows that nothing may confine commands here
	// (--unconfined). Otherwise each of them asks then.
	Unconfined bool
}

// options are the options that a worker may set under toolsets.shell. All of them reach
// beyond the project's sandbox, so they take effect only when a person trusts them
// (SPEC §3).
type options struct {
	// Network lets commands use the network, if sandbox.network_enabled allows it too.
	Network bool `json:"network"`
	// Read and Write are additional directories that commands may reach, absolute or
	// below ~.
	Read  []string `json:"read"`
	Write []string `json:"write"`
	// Env names additional environment variables that commands get.
	Env []string `json:"env"`
	// SystemShell passes the line to sh (on Windows to cmd) instead of interpreting it.
	SystemShell bool `json:"system_shell"`
}

// Toolset returns the factory that the registry of toolsets needs for "shell".
func Toolset(h Host) toolset.Factory {
	return toolset.Factory{
		Name: "shell", Options: func() any { return new(options) }, Outside: true,
		Confines: h.confines,
		Open: func(_ context.Context, env toolset.Env, given any) (tool.Toolset, error) {
			if h.Memory {
				return nil, fault.New(fault.Config, "the toolset shell cannot be used with --sandbox memory, because commands work on the disk").
					Hinting("leave out --sandbox memory, or remove the toolset shell")
			}
			return h.open(env, given.(*options))
		},
	}
}

// kernel returns how commands can be confined here.
func (h Host) kernel() Kernel {
	if h.Kernel != nil {
		return *h.Kernel
	}
	return confine.Machine()
}

// confines returns why commands cannot be confined to a view that is not the whole
// project; "" if they can.
func (h Host) confines(view sandbox.FS) string {
	if h.Memory {
		return "" // Open returns the error
	}
	if k := h.kernel(); !k.Files {
		return cmp.Or(k.Lacks, k.Fails)
	}
	_, why := sandbox.OnDisk(view)
	return why
}

// shell is the toolset of one worker run.
type shell struct {
	host Host
	env  toolset.Env
	opts options
	conf confinement
	disk []sandbox.Disk // the files that the worker sees; nil: the whole project
	dir  string         // the working directory of commands
	// exact describes for comparison what commands can reach: the real places of the
	// view and their modes, the working directory, and the confinement. An approval is
	// remembered for it.
	exact string

	refused string // why no command may run; "": they may

	mu      sync.Mutex
	scratch string // the commands' temporary directory; "" before the first command
	started map[string]*background

	sums    sync.Mutex
	digests map[string]digested
}

func (h Host) open(env toolset.Env, opts *options) (*shell, error) {
	s := &shell{host: h, env: env, opts: *opts, dir: h.Root, started: map[string]*background{}}
	s.conf = confinement{kernel: h.kernel(), network: opts.Network && env.Network}
	if sandbox.Partial(env.View) == "" {
		s.conf.places = append(s.conf.places, place{Path: h.Root, Write: true})
	} else {
		// If the view cannot be confined, Registry.Whole has refused the toolset
		// already, and the tools are only shown, by golem check and golem describe.
		s.disk, s.refused = sandbox.OnDisk(env.View)
		s.dir = s.begin()
	}
	s.conf.places = append(s.conf.places, system...)
	s.conf.places = append(s.conf.places, programs(h.Env["PATH"], append(slices.Clone(h.Closed), h.home(), h.Root))...)
	for _, more := range []struct {
		list  []string
		write bool
	}{{opts.Read, false}, {opts.Write, true}} {
		for _, dir := range more.list {
			p, err := h.additionalPlace(dir, more.write)
			if err != nil {
				return nil, err
			}
			s.conf.places = append(s.conf.places, p)
		}
	}
	_, view := sandbox.Shown(env.View)
	s.exact = fmt.Sprintf("%q %#v %s", s.dir, s.conf, view)
	return s, nil
}

// additionalPlace returns the place of an additional directory that the worker's file names.
func (h Host) additionalPlace(dir string, write bool) (place, error) {
	full := dir
	if rest, ok := strings.CutPrefix(dir, "~/"); ok && h.home() != "" {
		full = filepath.Join(h.home(), rest)
	}
	if !filepath.IsAbs(full) {
		return place{}, fault.New(fault.Config, "toolset shell: the directory %q is not an absolute path", dir).
			Hinting("write it from the root, /usr/share/dict, or from the home directory, ~/go/pkg/mod")
	}
	full = filepath.Clean(full)
	if real, err := filepath.EvalSymlinks(full); err == nil {
		full = real
	}
	for _, c := range h.Closed {
		if overlap(full, filepath.FromSlash(c)) != apart {
			return place{}, fault.New(fault.Protected, "toolset shell: %s is golem's own directory, $GOLEM_HOME, is in it, or contains it", dir).
				Hinting("name the directories that the commands need, and none above $GOLEM_HOME")
		}
	}
	return place{Path: full, Write: write}, nil
}

func (h Host) home() string {
	if home := h.Env["HOME"]; home != "" {
		return home
	}
	return h.Env["USERPROFILE"]
}

// begin returns the working directory of commands: the project's directory if every
// mount has the same path in the view as below it. Otherwise it is the first mount,
// unless that is a single file.
func (s *shell) begin() string {
	for _, d := range s.disk {
		if filepath.Join(s.host.Root, filepath.FromSlash(d.At)) != filepath.FromSlash(d.Source) {
			if d := s.disk[0]; !d.File {
				return filepath.FromSlash(d.Source)
			}
		}
	}
	return s.host.Root
}

// commandEnv are the variables of golem's environment that a command gets. API keys are
// never among them.
var commandEnv = []string{
	"PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "SHELL",
	// Windows cannot start programs without these.
	"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "TEMP", "TMP", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "PROGRAMFILES",
}

// environment returns the environment of a command. Confined commands get a home
// directory and a directory for temporary files of their own, because they cannot reach
// those of the person.
func (s *shell) environment() ([]string, error) {
	set := map[string]string{}
	for name, value := range s.host.Env {
		if slices.Contains(commandEnv, strings.ToUpper(name)) || slices.Contains(s.opts.Env, name) {
			set[name] = value
		}
	}
	set["TERM"], set["NO_COLOR"], set["GOLEM"] = "dumb", "1", "1"
	set["PATH"] = absolute(set["PATH"])
	if s.conf.kernel.Files {
		tmp, err := s.temporary()
		if err != nil {
			return nil, err
		}
		set["TMPDIR"] = tmp
		if home := s.ownHome(); home != "" {
			set["HOME"] = home
		}
	}
	env := make([]string, 0, len(set))
	for name, value := range set {
		env = append(env, name+"="+value)
	}
	slices.Sort(env)
	return env, nil
}

// absolute returns PATH without relative directories: a command must not find its
// programs among the files of the project.
func absolute(pathVar string) string {
	dirs := slices.DeleteFunc(filepath.SplitList(pathVar), func(d string) bool { return !filepath.IsAbs(d) })
	return strings.Join(dirs, string(os.PathListSeparator))
}

// temporary returns the directory for temporary files. It makes it for the first
// command.
func (s *shell) temporary() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.scratch != "" {
		return s.scratch, nil
	}
	dir, err := os.MkdirTemp("", "golem-shell-")
	if err == nil {
		err = os.Mkdir(filepath.Join(dir, "home"), 0o700)
	}
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return "", fault.New(fault.Tool, "no directory for temporary files can be made: %s", plain(err))
	}
	s.scratch = dir
	s.conf.places = append(s.conf.places, place{Path: dir, Write: true})
	return dir, nil
}

// Close ends the commands in the background and removes the temporary files.
func (s *shell) Close() error {
	s.mu.Lock()
	for _, b := range s.started {
		_ = b.control.Close() // tell all of them to end before waiting for one
	}
	s.mu.Unlock()
	for _, b := range s.started {
		b.stop()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.scratch == "" {
		return nil
	}
	_ = filepath.WalkDir(s.scratch, func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			_ = os.Chmod(name, 0o700) // a directory that a command made read-only could not be emptied
		}
		return nil
	})
	if err := os.RemoveAll(s.scratch); err != nil {
		return fault.New(fault.Tool, "the temporary files of the commands could not be removed: %s", plain(err))
	}
	return nil
}

// grammar returns the grammar with which approval rules parse a command line: that of
// sh for a line that golem interprets, else that of the system's shell.
func (s *shell) grammar() tool.Grammar {
	if s.opts.SystemShell && !parsedAsSh {
		return nil
	}
	return sh.Grammar{Git: &gitConfig{s.dir, s.ownHome}}
}

// ownHome returns the home directory that commands have for themselves; "" if they have the
// person's, or none ran yet.
func (s *shell) ownHome() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.scratch == "" || slices.Contains(s.opts.Env, "HOME") {
		return ""
	}
	return filepath.Join(s.scratch, "home")
}

// spec returns the parts of the spec that the tools which start commands have in
// common.
func (s *shell) spec(name, description string) tool.Spec {
	return tool.Spec{
		Name: name, Description: description + s.surroundings(), Risk: tool.Command, Toolset: "shell", Provider: "builtin",
		Unconfined: s.unconfined(), Shell: s.grammar(), Grants: s.grants(), Network: s.conf.network, Files: toolset.Uses(s.env.View, "read", "write", "delete"),
	}
}

// encode returns a result as JSON for the model. Its text is marked as untrusted.
func encode(v any, summary string) (tool.Output, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return tool.Output{}, fault.New(fault.Tool, "the output could not be encoded: %w", err)
	}
	return tool.Output{Kind: "json", Data: data, Summary: summary, Untrusted: true}, nil
}
