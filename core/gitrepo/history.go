package gitrepo

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"golem/core/fault"
	"golem/core/textdiff"
)

// named returns the commit that a revision names.
func (r *reader) named(rev string) (gitCommitInfo, error) {
	commit, err := r.resolve(rev)
	if err != nil {
		return gitCommitInfo{}, err
	}
	return r.info(commit)
}

// show implements git_show.
func (r *reader) show(in Args) (string, error) {
	c, err := r.named(in.Rev)
	if err != nil {
		return "", err
	}
	if in.Path != "" {
		data, _, err := r.fileIn(c, in.Path)
		return clip(string(data), "git_blame shows lines by number"), err
	}
	after, err := r.files(c.hash, "")
	if err != nil {
		return "", err
	}
	before, from := map[string]gitEntry{}, ""
	if len(c.parents) > 0 {
		if before, err = r.files(c.parents[0], ""); err != nil {
			return "", err
		}
	}
	if c.cut {
		before, from = nil, "[the clone is shallow: the commit before it is not in the repository]\n"
	}
	text := from
	if before != nil {
		if text, err = r.diffBetween(before, after); err != nil {
			return "", err
		}
	}
	message := clip(c.message, "the message is long")
	return fmt.Sprintf("commit %s\nauthor %s\ndate %s\n\n%s\n\n%s", c.hash, c.author, c.when.Format("2006-01-02 15:04:05 UTC"), message, text), nil
}

// fileIn returns the content of a file in a commit. at is its name in the sandbox, and
// file its path in the repository. A file that the worker does not see is E_NOT_FOUND,
// like one that does not exist.
func (r *reader) fileIn(c gitCommitInfo, at string) (data []byte, file string, err error) {
	missing := fault.New(fault.NotFound, "%s is not in the commit %s", fault.Quoted(at), c.hash[:10]).Hinting("git_log with path shows the commits that changed it")
	if file, err = r.file(at); err != nil {
		return nil, "", err
	}
	if _, seen := r.name(file); !seen {
		return nil, "", missing
	}
	e, err := r.lookup(c.tree, file)
	if err != nil || e == nil {
		return nil, "", cmpErr(err, missing)
	}
	if data, err = r.blob(*e); err == nil && bytes.ContainsRune(data, 0) {
		err = fault.New(fault.Tool, "%s is not a text of at most %d bytes in the commit %s", fault.Quoted(at), maxBlob, c.hash[:10])
	}
	return bytes.ToValidUTF8(data, []byte("\uFFFD")), file, err
}

// maxBlameLines is the most lines of a file for git_blame, and maxBlameSteps the most
// versions of the file that it compares.
const (
	maxBlameLines = 20_000
	maxBlameSteps = 1000
)

// blame implements git_blame. It follows only first parents, so lines that came by a
// merge are attributed to the merge.
func (r *reader) blame(in Args) (string, error) {
	c, err := r.named(in.Rev)
	if err != nil {
		return "", err
	}
	data, file, err := r.fileIn(c, in.Path)
	if err != nil {
		return "", err
	}
	lines := gitLines(string(data))
	if len(lines) > maxBlameLines {
		return "", fault.New(fault.Limit, "%s has more than %d lines", fault.Quoted(in.Path), maxBlameLines)
	}
	by := make([]*gitCommitInfo, len(lines))
	if err := r.trace(c, file, string(data), by); err != nil && !errors.Is(err, fault.Limit) {
		return "", err
	}
	var b strings.Builder
	for n, line := range lines {
		if n+1 < in.First || in.Last > 0 && n+1 > in.Last {
			continue
		}
		from := by[n]
		if from == nil {
			from = &gitCommitInfo{hash: strings.Repeat("?", 10), author: "an older commit"}
		}
		fmt.Fprintf(&b, "%s %s %s %d) %s\n", from.hash[:10], from.when.Format("2006-01-02"), from.author, n+1, line)
	}
	if slices.Contains(by, nil) && b.Len() > 0 {
		fmt.Fprintf(&b, "[lines of an older commit: the clone is shallow, or the history is longer than what is read for one call (%d commits, %d versions of the file, %d bytes); git_blame with rev of an older commit looks further back]\n", maxCommits, maxBlameSteps, int64(maxRead))
	}
	if b.Len() == 0 {
		return "", fault.New(fault.ToolInput, "%s has %s in the commit %s", fault.Quoted(in.Path), fault.Count(len(lines), "line"), c.hash[:10]).Hinting("first and last count from 1")
	}
	return clip(b.String(), "name lines with first and last"), nil
}

// trace finds for each line of a text the commit that added it, and stores it in by. A
// line stays nil if there are too many commits or versions to look at, or if a shallow
// clone ends.
func (r *reader) trace(c gitCommitInfo, file, text string, by []*gitCommitInfo) error {
	at := make([]int, len(by)) // for each line of the result its line in text; -1: found
	for n := range at {
		at[n] = n
	}
	left := len(by)
	hash, err := r.objectAt(c.tree, file)
	if err != nil {
		return err
	}
	for steps, commits := 0, 0; left > 0; {
		if commits++; commits > maxCommits {
			return nil
		}
		var parent gitCommitInfo
		var before plumbing.Hash
		older := ""
		if len(c.parents) > 0 {
			if parent, err = r.info(c.parents[0]); err != nil {
				return err
			}
			if before, err = r.objectAt(parent.tree, file); err != nil {
				return err
			}
			if before == hash {
				if c = parent; r.ctx.Err() != nil {
					return r.ctx.Err()
				}
				continue
			}
			if e, err := r.lookup(parent.tree, file); err == nil && e != nil {
				data, err := r.blob(*e)
				if err != nil {
					return err
				}
				older = string(bytes.ToValidUTF8(data, []byte("\uFFFD")))
			}
		}
		if steps++; steps > maxBlameSteps || c.cut {
			return nil
		}
		from := keptLines(older, text)
		mine := c
		for n, line := range at {
			if line < 0 {
				continue
			}
			if old, ok := from[line]; ok {
				at[n] = old
				continue
			}
			by[n], at[n] = &mine, -1
			left--
		}
		if len(c.parents) == 0 {
			return nil
		}
		c, hash, text = parent, before, older
	}
	return nil
}

// keptLines maps each line of a text that was already in an older text to its line there. Both
// count from 0.
func keptLines(older, text string) map[int]int {
	out := map[int]int{}
	old, next := 0, 0
	count := len(gitLines(text))
	for i, line := range strings.Split(textdiff.Unified("a", "b", older, text), "\n") {
		switch {
		case i < 2, line == "", line[0] == '\\': // the two lines of the header
		case strings.HasPrefix(line, "@@ "):
			begin, _, _ := strings.Cut(strings.TrimPrefix(strings.Fields(line)[2], "+"), ",")
			to, _ := strconv.Atoi(begin) // written by textdiff
			for next < to-1 {
				out[next] = old
				old, next = old+1, next+1
			}
		case line[0] == '-':
			old++
		case line[0] == '+':
			next++
		default:
			out[next] = old
			old, next = old+1, next+1
		}
	}
	for older != "" && next < count {
		out[next] = old
		old, next = old+1, next+1
	}
	return out
}

// gitLines returns the lines of a text, without line breaks.
func gitLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}
