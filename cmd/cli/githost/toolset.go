package githost

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"path"
	"slices"

	"golem/core/fault"
	"golem/core/gitrepo"
	"golem/core/sandbox"
	"golem/core/tool"
	"golem/core/toolset"
	"golem/core/toolset/gitset"
	"golem/core/wasmtool"
	"golem/core/workspace"

	"golem/cmd/cli/console"
	"golem/cmd/cli/fetch"
)

// Toolset returns the toolset git for this machine. root is the project's directory; nil: the
// project is packed.
func Toolset(root sandbox.FS, machine gitrepo.Machine) toolset.Factory {
	if root == nil {
		return gitset.Toolset(nil, console.UnpackIt)
	}
	return gitset.Toolset(git{root, machine, fetch.Modules{}.Transport}, "")
}

// git is what this machine provides to the toolset.
type git struct {
	root    sandbox.FS
	machine gitrepo.Machine
	reach   func(wasmtool.Policy) *http.Transport // connects only to addresses that a policy allows
}

var _ gitset.Git = git{}

func (g git) Root() (sandbox.FS, error) { return g.root, nil }

func (g git) Read(ctx context.Context, name string, args json.RawMessage, root sandbox.FS, view gitset.View) (string, error) {
	return g.machine.Read(ctx, name, args, root, view)
}

// Clone writes the files of one commit, without its history, into the sandbox. No .git is
// written, so that no hook and no configuration of the repository has an effect.
func (g git) Clone(ctx context.Context, view sandbox.FS, address, at string) (out tool.Output, err error) {
	a, err := parseGit(Prefix + address)
	if err != nil || a.remote == nil {
		return out, fault.New(fault.ToolInput, "%s is not the address of a repository that can be cloned", fault.Quoted(address)).Hinting("write https://HOST/PATH, with @TAG after it if you want another commit than the newest")
	}
	if !wasmtool.Outside(a.remote.Host) {
		return out, fault.New(fault.Network, "%s is not a host of the public network", fault.Quoted(a.remote.Host)).Hinting("a person can clone it with git")
	}
	to, err := cloneTarget(view, at)
	if err != nil {
		return out, err
	}
	client, transport := gitHTTPClient(), g.reach(wasmtool.Policy{Hosts: []string{a.remote.Host}, Caller: "git_clone", List: "the repository's address"})
	defer transport.CloseIdleConnections()
	client.Transport = transport
	files, commit, err := a.fetch(ctx, client)
	if err == nil {
		err = workspace.Collide(slices.Sorted(maps.Keys(files)))
	}
	if err != nil {
		f := *fault.Of(err, fault.Network)
		if f.Hint == "" || f.Hint == notInstalled || f.Code == fault.Timeout { // the others help here, too
			f.Hint = "nothing was written; use another repository"
		}
		return out, &f
	}
	if err := writeAll(ctx, view, to, files); err != nil {
		return out, err
	}
	out = tool.Text("%d files of commit %s are in %s", len(files), commit[:10], sandbox.Abs(to))
	out.Untrusted = true
	return out, nil
}

// cloneTarget returns the clean path of the directory for a repository. The directory
// must not exist or must be empty.
func cloneTarget(view sandbox.FS, at string) (string, error) {
	to, err := sandbox.Clean(at)
	if err != nil {
		return "", err
	}
	entries, err := fs.ReadDir(view, to)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return "", err
	case len(entries) > 0:
		return "", fault.New(fault.Conflict, "%s is not empty", sandbox.Abs(to)).Hinting("name a directory that is not there yet")
	}
	return to, nil
}

// writeAll writes all files or none: if one cannot be written, it removes those that it
// has written.
func writeAll(ctx context.Context, view sandbox.FS, to string, files map[string][]byte) error {
	names := slices.Sorted(maps.Keys(files))
	for _, name := range names {
		if err := cmp.Or(sandbox.ValidNew(path.Join(to, name)), sandbox.CanWrite(view, path.Join(to, name))); err != nil {
			return err
		}
	}
	made := absent(view, to, names)
	for n, name := range names {
		err := context.Cause(ctx)
		if err == nil {
			err = view.WriteFile(path.Join(to, name), files[name])
		}
		if err == nil {
			continue
		}
		f := *fault.Of(err, fault.Tool)
		f.Message += "; nothing of the repository was kept"
		if left := removeAll(view, to, names[:n], made); left > 0 {
			f.Message = fmt.Sprintf("%s; %d files in %s could not be removed again", fault.Of(err, fault.Tool).Message, left, sandbox.Abs(to))
		}
		return &f
	}
	return nil
}

// absent returns, sorted, the directories that must be made to write the files into to.
func absent(view sandbox.FS, to string, names []string) []string {
	there := map[string]bool{".": true}
	for _, name := range names {
		for dir := path.Dir(path.Join(to, name)); dir != "."; dir = path.Dir(dir) {
			if _, known := there[dir]; known {
				break
			}
			_, err := fs.Stat(view, dir)
			there[dir] = !errors.Is(err, fs.ErrNotExist)
		}
	}
	maps.DeleteFunc(there, func(_ string, is bool) bool { return is })
	return slices.Sorted(maps.Keys(there))
}

// removeAll removes files, and the directories that were made for them. It returns how
// many files it could not remove.
func removeAll(view sandbox.FS, to string, names, dirs []string) (left int) {
	for _, name := range names {
		if view.Remove(path.Join(to, name)) != nil {
			left++
		}
	}
	for _, dir := range slices.Backward(dirs) { // the deepest first
		_ = view.Remove(dir) // a directory that is not empty stays
	}
	return left
}
