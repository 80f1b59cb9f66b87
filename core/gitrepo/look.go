package gitrepo

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/textdiff"
)

// maxName is the most bytes of a path, which is more than a name in the sandbox may have.
const maxName = 8192

// list adds to out the files below a tree that the worker sees, by their path in the
// repository. If only is not "", it adds only this file, or the files in this directory.
// listed counts the entries that were read.
func (r *reader) list(tree, dir, only string, listed *int, out map[string]gitEntry) error {
	entries, err := r.tree(tree)
	if err != nil || r.ctx.Err() != nil {
		return cmpErr(r.ctx.Err(), err)
	}
	if strings.Count(dir, "/") >= MaxDepth {
		return r.refused("its directories are more than %d deep", MaxDepth)
	}
	if *listed += len(entries) + 1; *listed > maxListed {
		return fault.New(fault.Limit, "the directories of the commit have more than %d entries", maxListed).Hinting("name a directory in path")
	}
	for _, e := range entries {
		if len(dir)+len(e.name) > maxName {
			continue
		}
		full := path.Join(dir, e.name)
		if only != "" && !sandbox.Within(full, only) && !sandbox.Within(only, full) {
			continue
		}
		if e.mode == Dir {
			if err := r.list(e.hash.String(), full, only, listed, out); err != nil {
				return err
			}
			continue
		}
		if e.name == "" || strings.Contains(e.name, "/") || !r.sees(full, e.mode) {
			continue
		}
		if out[full] = e; len(out) > maxEntries {
			return fault.New(fault.Limit, "the repository has more than %d files", maxEntries).Hinting("name a directory in path")
		}
	}
	return nil
}

// cmpErr returns the first error that is not nil.
func cmpErr(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// files returns the files of a commit that the worker sees; only is as in list. The
// commit "" has no files.
func (r *reader) files(commit, only string) (map[string]gitEntry, error) {
	out := map[string]gitEntry{}
	if commit == "" {
		return out, nil
	}
	c, err := r.info(commit)
	if err == nil {
		err = r.list(c.tree, "", only, new(int), out)
	}
	return out, err
}

// headFiles returns the files of the last commit of the branch that the working tree
// shows, and a text that names this branch or commit.
func (r *reader) headFiles(only string) (name string, files map[string]gitEntry, err error) {
	head, err := r.head()
	if err != nil {
		return "", nil, err
	}
	name = "branch " + gitShown(strings.TrimPrefix(head, "refs/heads/"))
	if unborn, err := r.unborn(head); unborn || err != nil {
		return name + ", which has no commit yet", map[string]gitEntry{}, err
	}
	commit, err := r.resolve("HEAD")
	if err != nil {
		return "", nil, err
	}
	if head == "" {
		name = "no branch, commit " + commit[:10]
	}
	files, err = r.files(commit, only)
	return name, files, err
}

// unborn reports whether a branch has no commit yet. If the branch has a file without a
// valid hash, unborn returns E_PATH.
func (r *reader) unborn(branch string) (bool, error) {
	if branch == "" {
		return false, nil
	}
	refs, err := r.refs()
	if _, there := refs[branch]; there || err != nil {
		return false, err
	}
	if info, err := fs.Stat(r.git, branch); err == nil && !info.IsDir() {
		return false, r.refused("the branch %s is damaged", gitShown(strings.TrimPrefix(branch, "refs/heads/")))
	}
	return true, nil
}

// diff implements git_diff.
func (r *reader) diff(in Args) (string, error) {
	only, err := r.file(in.Path)
	if err != nil {
		return "", err
	}
	var before, after map[string]gitEntry
	if in.From == "" && in.To == "" {
		_, before, err = r.headFiles(only)
	} else if before, err = r.revFiles(in.From, only); err == nil && in.To != "" {
		after, err = r.revFiles(in.To, only)
	}
	if err != nil {
		return "", err
	}
	if in.To != "" {
		return r.diffBetween(before, after)
	}
	return r.diffNow(before, only)
}

func (r *reader) revFiles(rev, only string) (map[string]gitEntry, error) {
	commit, err := r.resolve(rev)
	if err != nil {
		return nil, err
	}
	return r.files(commit, only)
}

func gitNone(s, none string) string {
	if s == "" {
		return none
	}
	return clip(s, "name a file or directory in path")
}

// diffBetween returns the diff between the files of two commits.
func (r *reader) diffBetween(before, after map[string]gitEntry) (string, error) {
	all := maps.Clone(before)
	maps.Copy(all, after)
	var b strings.Builder
	for _, file := range slices.Sorted(maps.Keys(all)) {
		old, had := before[file]
		next, has := after[file]
		name, _ := r.name(file)
		modes := modeChanged(name, old.mode, next.mode)
		b.WriteString(modes)
		if old.hash == next.hash && had == has && (old.mode == next.mode || modes != "") {
			continue
		}
		if r.ctx.Err() != nil || b.Len() > maxText {
			break
		}
		if old.mode == Submodule || next.mode == Submodule {
			fmt.Fprintf(&b, "submodule %s: another commit\n", name)
			continue
		}
		was, err := r.blob(old)
		if err != nil {
			return "", err
		}
		is, err := r.blob(next)
		if err != nil {
			return "", err
		}
		b.WriteString(r.patch(file, was, is, had, has))
	}
	return gitNone(b.String(), "no file that you see differs") + r.leftOut(), nil
}

// blob returns the content of a file of a commit: nil for no file or a submodule, and a
// short binary text for a file that is too large.
func (r *reader) blob(e gitEntry) ([]byte, error) {
	if e.hash.IsZero() || e.mode == Submodule {
		return nil, nil
	}
	if size, err := r.store.EncodedObjectSize(e.hash); err == nil && size > maxBlob {
		return []byte("\x00too large"), nil
	}
	data, err := r.object(plumbing.BlobObject, e.hash.String())
	return data, gitMissing(err)
}

// patch returns the diff of one file, with the name that the worker sees. had and has
// report whether the file existed before and exists now.
func (r *reader) patch(file string, old, next []byte, had, has bool) string {
	name, _ := r.name(file)
	from, to := "a"+name, "b"+name
	if !had {
		from = "/dev/null"
	}
	if !has {
		to = "/dev/null"
	}
	if bytes.ContainsRune(old, 0) || bytes.ContainsRune(next, 0) || len(old)+len(next) > 2<<20 {
		return fmt.Sprintf("--- %s\n+++ %s\nnot shown: binary, or too large\n", from, to)
	}
	text := textdiff.Unified(from, to, strings.ToValidUTF8(string(old), "\uFFFD"), strings.ToValidUTF8(string(next), "\uFFFD"))
	if text == "" {
		why := "an empty file"
		if had && has {
			why = "they differ in bytes that are not UTF-8"
		}
		return fmt.Sprintf("--- %s\n+++ %s\nnot shown: %s\n", from, to, why)
	}
	return text
}
