package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"

	"golem/core/fault"
	"golem/core/gitrepo"
	"golem/core/sandbox"
	"golem/core/tool"
	"golem/core/toolset"
	"golem/core/toolset/gitset"
	"golem/core/wasmtool"
)

// gitToolset is the toolset git of this machine. root opens the project's directory;
// nil: the project is packed.
func gitToolset(root func() (sandbox.FS, error)) toolset.Factory {
	return gitset.Toolset(gitset.Platform{Root: root, Unpack: unpackIt, Clone: gitClone,
		Read: func(ctx context.Context, name string, args json.RawMessage, root sandbox.FS, view gitset.View) (string, error) {
			return gitrepo.Read(ctx, name, args, root, view)
		}})
}

// gitClone is git_clone: the files of one commit, without its history, as files of the
// sandbox. There is no .git, so no hook and no configuration of the repository counts.
func gitClone(ctx context.Context, view sandbox.FS, address, at string) (out tool.Output, err error) {
	a, err := parseGit(gitPrefix + address)
	if err != nil || a.remote == nil {
		return out, fault.New(fault.ToolInput, "%s is not the address of a repository that can be cloned", fault.Quoted(address)).Hinting("write https://HOST/PATH, with @TAG after it if you want another commit than the newest")
	}
	if !wasmtool.Outside(a.remote.Host) {
		return out, fault.New(fault.Network, "%s is not a host of the public network", fault.Quoted(a.remote.Host)).Hinting("a person can clone it with git")
	}
	to, err := sandbox.Clean(at)
	if err != nil {
		return out, err
	}
	entries, err := fs.ReadDir(view, to)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil || len(entries) > 0 {
		if err == nil {
			err = fault.New(fault.Conflict, "%s is not empty", sandbox.Abs(to)).Hinting("name a directory that is not there yet")
		}
		return out, err
	}
	client := gitHTTPClient()
	client.Transport = moduleFetcher{}.transport(wasmtool.Policy{Hosts: []string{a.remote.Host}, Caller: "git_clone", List: "the repository's address"})
	files, commit, err := a.fetch(ctx, client)
	if err != nil {
		f := *fault.Of(err, fault.Network)
		f.Hint = "nothing was written; use another repository"
		return out, &f
	}
	names := slices.Sorted(maps.Keys(files))
	for _, name := range names { // nothing is written unless all can be
		if err := cmp.Or(sandbox.ValidNew(path.Join(to, name)), sandbox.CanWrite(view, path.Join(to, name))); err != nil {
			return out, err
		}
	}
	for n, name := range names {
		if err := view.WriteFile(path.Join(to, name), files[name]); err != nil {
			f := *fault.Of(err, fault.Tool)
			f.Message = fmt.Sprintf("%d of %d files were written to %s, then: %s", n, len(names), sandbox.Abs(to), f.Message)
			return out, &f
		}
	}
	out = tool.Text("%d files of commit %s are in %s", len(names), commit[:10], sandbox.Abs(to))
	out.Untrusted = true
	return out, nil
}
