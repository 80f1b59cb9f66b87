package gitrepo

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"

	"golem/core/fault"
	"golem/core/sandbox"
)

// gitCommitInfo is the parsed content of a commit.
type gitCommitInfo struct {
	hash, tree string
	parents    []string
	cut        bool // the commit is the end of a shallow clone, which does not have its parents
	author     string
	when       time.Time // the author's time
	made       int64     // the committer's time in seconds since 1970, by which a log is sorted
	message    string
}

// info reads a commit.
func (r *reader) info(hash string) (c gitCommitInfo, err error) {
	if r.ctx.Err() != nil {
		return c, r.ctx.Err()
	}
	data, err := r.object(plumbing.CommitObject, hash)
	if err != nil {
		return c, gitMissing(err)
	}
	head, message, _ := strings.Cut(string(data), "\n\n")
	c.hash, c.message = hash, strings.ToValidUTF8(strings.TrimSpace(message), "\uFFFD")
	c.cut = r.ends[hash]
	for line := range strings.SplitSeq(head, "\n") {
		key, value, _ := strings.Cut(line, " ")
		switch {
		case key == "tree" && plumbing.IsHash(value):
			c.tree = strings.Clone(value)
		case key == "parent" && plumbing.IsHash(value) && len(c.parents) < 64 && !c.cut:
			c.parents = append(c.parents, strings.Clone(value))
		case key == "author", key == "committer":
			who, rest, _ := strings.Cut(value, "> ")
			seconds, _, _ := strings.Cut(rest, " ")
			at, _ := strconv.ParseInt(seconds, 10, 64) // 0 if it is damaged
			if c.made = at; key == "author" {
				c.author, c.when = gitShown(who+">"), time.Unix(at, 0).UTC()
			}
		}
	}
	if c.tree == "" {
		return c, r.refused("the commit %s is damaged", hash)
	}
	return c, nil
}

// gitShown returns a text from a repository in one short line, for a result.
func gitShown(s string) string { return fault.Brief(oneLine(strings.ToValidUTF8(s, "\uFFFD"))) }

// resolve returns the hash of the commit that a revision names: HEAD (also ""), a branch,
// a tag, a hash or its beginning, each optionally followed by ~N or ^.
func (r *reader) resolve(rev string) (string, error) {
	name, back := rev, 0
	for {
		if rest, ok := strings.CutSuffix(name, "^"); ok {
			name, back = rest, back+1
		} else if at := strings.LastIndexByte(name, '~'); at > 0 {
			n, err := strconv.Atoi(name[at+1:])
			if name[at+1:] == "" {
				n, err = 1, nil
			}
			if err != nil || n < 0 || n > maxCommits {
				return "", r.noRev(rev)
			}
			name, back = name[:at], back+n
		} else {
			break
		}
	}
	hash, err := r.lookRef(name)
	for err == nil && back > 0 {
		var c gitCommitInfo
		if c, err = r.info(hash); err == nil && len(c.parents) == 0 {
			err = r.noRev(rev)
		} else if err == nil {
			hash, back = c.parents[0], back-1
		}
	}
	return hash, err
}

func (r *reader) noRev(rev string) error {
	return fault.New(fault.NotFound, "the repository has no commit, branch or tag %s", fault.Quoted(rev)).Hinting("git_branches and git_log show what there is")
}

// lookRef returns the hash of the commit for a revision without ~ and ^.
func (r *reader) lookRef(name string) (string, error) {
	if name == "" || name == "HEAD" {
		head, err := r.head()
		if err != nil {
			return "", err
		}
		if name = head; head == "" {
			if name, err = r.small("HEAD"); err != nil {
				return "", err
			}
		}
	}
	refs, err := r.refs()
	if err != nil {
		return "", err
	}
	hash := ""
	for _, full := range []string{name, "refs/tags/" + name, "refs/heads/" + name, "refs/remotes/" + name} {
		if h, ok := refs[full]; ok && hash == "" {
			hash = h
		}
	}
	named := hash != ""
	if hash == "" {
		hash = r.byHash(name)
	}
	return r.commitOf(hash, name, named)
}

// commitOf returns the hash of the commit to which an object leads: the commit itself, or
// the commit of a tag. name is the revision, for messages; named says that it is a branch
// or a tag and not a hash.
func (r *reader) commitOf(hash, name string, named bool) (string, error) {
	for range MaxTags {
		if hash == "" {
			break
		}
		obj, err := r.store.EncodedObject(plumbing.AnyObject, plumbing.NewHash(hash))
		if !named && errors.Is(err, plumbing.ErrObjectNotFound) {
			break
		}
		if f := (*fault.Fault)(nil); errors.As(err, &f) {
			return "", err
		}
		if err != nil {
			return "", r.refused("%s names the object %s, which is missing or damaged", fault.Quoted(cmp.Or(name, "HEAD")), hash[:10])
		}
		if obj.Type() == plumbing.CommitObject {
			return hash, nil
		}
		data, err := ReadObject(obj, MaxHeader)
		next, ok := HeaderHash(data, "object")
		if err != nil || !ok || obj.Type() != plumbing.TagObject {
			return "", r.noRev(name)
		}
		hash = next.String()
	}
	return "", r.noRev(name)
}

// byHash returns the only object whose hash begins with start, or "" if there is none or
// more than one. It returns a complete hash without looking for it.
func (r *reader) byHash(start string) string {
	start = strings.ToLower(start)
	if plumbing.IsHash(start) {
		return start
	}
	prefix, err := hex.DecodeString(start[:len(start)/2*2])
	if err != nil || len(start) < 5 || len(start) > 40 {
		return ""
	}
	hashes, err := r.store.HashesWithPrefix(prefix)
	hashes = slices.DeleteFunc(hashes, func(h plumbing.Hash) bool { return !strings.HasPrefix(h.String(), start) })
	if err != nil || len(hashes) != 1 {
		return ""
	}
	return hashes[0].String()
}

// refs returns the hashes of all refs (branches, tags and others) by their full names.
func (r *reader) refs() (map[string]string, error) {
	out := map[string]string{}
	packed, err := sandbox.ReadFile(r.git, "packed-refs", 64<<20)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	tooMany := fault.New(fault.Limit, "the repository has more than %d branches and tags", maxEntries).Hinting("a person can delete those that are not needed")
	for line := range bytes.Lines(packed) {
		hash, name, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
		if plumbing.IsHash(hash) {
			if out[name] = strings.ToLower(hash); len(out) > maxEntries {
				return nil, tooMany
			}
		}
	}
	leads := map[string]string{} // symbolic refs: the name to which each leads
	err = fs.WalkDir(r.git, "refs", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		if len(out)+len(leads) > maxEntries {
			return tooMany
		}
		text, err := r.small(name)
		if to, symbolic := strings.CutPrefix(text, "ref:"); err == nil && symbolic {
			leads[name] = strings.TrimSpace(to)
		} else if err == nil && plumbing.IsHash(text) {
			out[name] = strings.ToLower(text)
		}
		return r.ctx.Err()
	})
	for name, to := range leads {
		for range 5 { // git follows at most 5 symbolic refs
			if hash, ok := out[to]; ok && leads[to] == "" {
				out[name] = hash
				break
			}
			to = leads[to]
		}
	}
	return out, err
}

// branches implements git_branches.
func (r *reader) branches(Args) (string, error) {
	refs, err := r.refs()
	if err != nil {
		return "", err
	}
	head, err := r.head()
	if err != nil {
		return "", err
	}
	var names []string
	for name := range refs {
		names = append(names, name)
	}
	slices.Sort(names)
	var b strings.Builder
	for _, name := range names {
		kind, short, _ := strings.Cut(strings.TrimPrefix(name, "refs/"), "/")
		if word := map[string]string{"heads": "branch", "tags": "tag", "remotes": "remote branch"}[kind]; word != "" {
			mark := "  "
			if name == head {
				mark = "* "
			}
			hash := refs[name]
			if kind == "tags" && b.Len() <= maxText {
				if r.ctx.Err() != nil {
					return "", r.ctx.Err()
				}
				if commit, err := r.commitOf(hash, name, true); err == nil {
					hash = commit // a tag of another object, or a damaged one, is shown with its own hash
				}
			}
			fmt.Fprintf(&b, "%s%s %s %s\n", mark, word, gitShown(short), hash[:10])
		}
	}
	if b.Len() == 0 {
		return "the repository has no branch yet", nil
	}
	return clip(b.String(), "name the branch in git_log"), nil
}

// log implements git_log.
func (r *reader) log(in Args) (string, error) {
	file, err := r.file(in.Path)
	if err != nil {
		return "", err
	}
	start, err := r.resolve(in.Rev)
	if err != nil {
		return "", err
	}
	limit, found := min(max(in.Limit, 0), 200), 0
	if limit == 0 {
		limit = 20
	}
	var b strings.Builder
	skip, last := max(in.Skip, 0), ""
	err = r.walk(start, func(c gitCommitInfo) (bool, error) {
		last = c.hash
		if file != "" {
			if changed, err := r.touches(c, file); err != nil || !changed {
				return true, err
			}
		}
		if found++; found <= skip {
			return true, nil
		}
		if found > skip+limit {
			fmt.Fprintf(&b, "[more: go on with skip %d]\n", skip+limit)
			return false, nil
		}
		subject, _, _ := strings.Cut(c.message, "\n")
		fmt.Fprintf(&b, "%s %s %s: %s\n", c.hash[:10], c.when.Format("2006-01-02 15:04"), c.author, gitShown(subject))
		return true, nil
	})
	if f := (*fault.Fault)(nil); errors.As(err, &f) && f.Code == fault.Limit && last != "" && last != start {
		fmt.Fprintf(&b, "[older commits were not looked at: %s; go on with rev %s]\n", f.Message, last[:10])
		return b.String(), nil
	}
	if b.Len() == 0 && err == nil {
		return "no commit", nil
	}
	return b.String(), err
}

// walk visits start and all commits before it, the newest first, until visit returns
// false or an error.
func (r *reader) walk(start string, visit func(gitCommitInfo) (more bool, err error)) error {
	first, err := r.info(start)
	if err != nil {
		return err
	}
	queue, seen := []*gitCommitInfo{&first}, map[string]bool{start: true}
	for len(queue) > 0 {
		c := queue[0]
		queue = queue[1:]
		if more, err := visit(*c); err != nil || !more {
			return err
		}
		for _, p := range c.parents {
			if seen[p] {
				continue
			}
			if seen[p] = true; len(seen) > maxCommits {
				return fault.New(fault.Limit, "more than %d commits were looked at", maxCommits).Hinting("begin at an older commit with rev")
			}
			parent, err := r.info(p)
			if err != nil {
				return err
			}
			parent.message, _, _ = strings.Cut(parent.message, "\n")
			parent.message = strings.Clone(parent.message[:min(len(parent.message), 1000)]) // a long one is not kept in memory
			at, _ := slices.BinarySearchFunc(queue, parent.made, func(c *gitCommitInfo, made int64) int {
				if c.made >= made {
					return -1
				}
				return 1
			})
			queue = slices.Insert(queue, at, &parent)
		}
	}
	return nil
}

// touches reports whether a file or directory differs between a commit and its first
// parent.
func (r *reader) touches(c gitCommitInfo, file string) (bool, error) {
	now, err := r.objectAt(c.tree, file)
	if err != nil || len(c.parents) == 0 {
		return !now.IsZero(), err
	}
	p, err := r.info(c.parents[0])
	if err != nil {
		return false, err
	}
	before, err := r.objectAt(p.tree, file)
	return now != before, err
}

// objectAt returns the hash of the object with a path below a tree, or zero if there is none.
func (r *reader) objectAt(tree, file string) (plumbing.Hash, error) {
	dir, base := path.Split(file)
	if dir = strings.TrimSuffix(dir, "/"); dir != "" {
		h, err := r.objectAt(tree, dir)
		if err != nil || h.IsZero() {
			return plumbing.ZeroHash, err
		}
		tree = h.String()
	}
	entries, err := r.tree(tree)
	if errors.Is(err, fault.Path) {
		return plumbing.ZeroHash, nil // a file, not a directory
	}
	for _, e := range entries {
		if e.name == base {
			return e.hash, nil
		}
	}
	return plumbing.ZeroHash, err
}
