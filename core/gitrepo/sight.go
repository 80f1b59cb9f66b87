package gitrepo

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"golem/core/fault"
	"golem/core/sandbox"
)

// sight is what a worker sees of the files of a repository, in the working tree.
type sight struct {
	view    View
	source  string                     // the source of the directory with the repository
	unshown map[string]map[string]bool // names of files that are not looked at, by the reason
	summed  int64                      // bytes of files that were read for Git LFS
}

// sees reports whether the worker sees a file of the repository. If it does not only
// because the file is a link or has a name that golem cannot show, sees notes that.
func (s *sight) sees(file, mode string) bool {
	if _, seen := s.name(file); seen {
		return true
	}
	if sandbox.Valid(file) != nil {
		s.leave(file, notNames)
	} else if mode == Link {
		s.leave(file, notLinks)
	}
	return false
}

// leave notes a file that is not looked at, if the worker would see a file beside it
// whose name has the same end.
func (s *sight) leave(file, why string) {
	for elem := range strings.SplitSeq(file, "/") {
		if elem == "" || elem == "." || elem == ".." {
			return
		}
	}
	beside := strings.Map(func(c rune) rune {
		if sandbox.Valid(string(c)) != nil && c != '/' && c != '.' {
			return '_'
		}
		return c
	}, strings.ToValidUTF8(path.Join(path.Dir(file), "_"+path.Base(file)), "_"))
	if sandbox.Secret(file) {
		return
	}
	if shown, ok := s.name(beside); ok {
		if s.unshown == nil {
			s.unshown = map[string]map[string]bool{notLinks: {}, notNames: {}}
		}
		s.unshown[why][shownPath(path.Join(path.Dir(shown), path.Base(file)))] = true
	}
}

// leftOut returns lines that name the files that were not looked at.
func (s *sight) leftOut() string {
	var b strings.Builder
	for _, why := range []string{notLinks, notNames} {
		if names := s.unshown[why]; len(names) > 0 {
			fmt.Fprintf(&b, "not looked at, %s (%d): %s\n", why, len(names), listedNames(names))
		}
	}
	return b.String()
}

// text returns the content of a file of the working tree as the worker sees it. ok is
// false if the file does not exist or cannot be read.
func (s *sight) text(file string) (data []byte, ok bool) {
	name, seen := s.name(file)
	if !seen {
		return nil, false
	}
	data, err := sandbox.ReadFile(s.view, strings.TrimPrefix(name, "/"), maxBlob)
	return data, err == nil
}

// tooLarge reports whether the worker sees a file and the file is too large to be compared.
func (s *sight) tooLarge(file string) bool {
	name, seen := s.name(file)
	info, err := fs.Stat(s.view, strings.TrimPrefix(name, "/"))
	return seen && err == nil && info.Size() > maxBlob
}

// sum returns the pointer for a file of the working tree. ok is false if the file cannot
// be read, or if more than maxRead bytes would be read for one call.
func (s *sight) sum(ctx context.Context, file string) (p pointer, ok bool) {
	name, seen := s.name(file)
	name = strings.TrimPrefix(name, "/")
	info, err := fs.Stat(s.view, name)
	if !seen || err != nil || info.IsDir() || s.summed+info.Size() > maxRead {
		return p, false
	}
	f, err := s.view.Open(name)
	if err != nil {
		return p, false
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, ending{ctx, io.LimitReader(f, maxRead-s.summed)})
	s.summed += n
	return pointer{hex.EncodeToString(h.Sum(nil)), n}, err == nil
}

// inWorkingTree reports whether a file is in the working tree as the worker sees it.
func (s *sight) inWorkingTree(file string) bool {
	name, seen := s.name(file)
	_, err := fs.Stat(s.view, strings.TrimPrefix(name, "/"))
	return seen && err == nil
}

// name returns the name by which the worker sees a file of the repository, or false if
// the worker does not see it.
func (s *sight) name(file string) (string, bool) {
	if sandbox.Secret(file) || sandbox.Valid(file) != nil {
		return "", false
	}
	name, ok := s.view.Name(path.Join(s.source, file))
	return sandbox.Abs(name), ok
}

// file returns the path in the repository for a name in the sandbox; "" is the whole
// repository.
func (s *sight) file(at string) (string, error) {
	if at == "" {
		return "", nil
	}
	source, err := s.view.Source(at)
	if err != nil {
		return "", err
	}
	rel, within := strings.CutPrefix(source, strings.TrimSuffix(s.source, "/")+"/")
	switch {
	case source == s.source:
		return "", nil
	case !within:
		return "", fault.New(fault.Path, "%s is not in the repository", fault.Quoted(at))
	}
	if sandbox.Secret(rel) {
		return "", fault.New(fault.Protected, "%s cannot be read by this worker", fault.Quoted(at))
	}
	return rel, nil
}

// shownPath returns a path, quoted if it has characters that golem cannot show.
func shownPath(name string) string {
	if sandbox.Valid(strings.TrimPrefix(name, "/")) == nil {
		return name
	}
	return strconv.Quote(strings.ToValidUTF8(name[:min(len(name), 200)], "\uFFFD"))
}

// Why files of the repository are not looked at.
const (
	notLinks = "links"
	notNames = "names that golem cannot show"
)

// listedNames returns the first ten names.
func listedNames(names map[string]bool) string {
	all := make([]string, 0, len(names))
	for name := range names {
		all = append(all, name)
	}
	slices.Sort(all)
	more := ""
	if len(all) > 10 {
		all, more = all[:10], fmt.Sprintf(" and %d more", len(all)-10)
	}
	return strings.Join(all, ", ") + more
}
