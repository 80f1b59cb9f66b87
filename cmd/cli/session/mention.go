package session

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode"

	"golem/core/config"
	"golem/core/fault"
	"golem/core/run"
	"golem/core/ui"

	"golem/cmd/cli/console"
	"golem/cmd/cli/input"
)

// dropped are the files of this machine whose paths the person pasted into the editor. It is
// safe for concurrent use.
type dropped struct {
	mu    sync.Mutex
	paths map[string]bool
}

func (d *dropped) add(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.paths == nil {
		d.paths = map[string]bool{}
	}
	d.paths[name] = true
}

func (d *dropped) has(name string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.paths[name]
}

const (
	maxDrop  = 20   // how many files can be dropped at once
	maxPaste = 8192 // the longest pasted text that may be paths, in bytes
)

// drop returns the text to write in place of a pasted text that consists only of absolute
// paths of files, as terminals write them for files that are dropped on their window. Each
// becomes a mention with @. ok is false for any other text.
func (w *writing) drop(text string) (mentions string, ok bool) {
	names := pathsOf(text)
	if len(names) == 0 || len(names) > maxDrop {
		return "", false
	}
	for i, name := range names {
		info, err := os.Stat(name)
		if !filepath.IsAbs(name) || err != nil || !info.Mode().IsRegular() || name != ui.OneLine(name) || strings.Contains(name, `"`) {
			return "", false
		}
		if names[i] = "@" + name; strings.ContainsFunc(name, unicode.IsSpace) {
			names[i] = `@"` + name + `"`
		}
		defer w.dropped.add(name)
	}
	return strings.Join(names, " ") + " ", true
}

// pathsOf splits a text into paths: words of a shell, of which a quote or a backslash hides
// the spaces, or file:// addresses. A whole text that is a path with spaces is one path.
func pathsOf(text string) []string {
	text = strings.TrimSpace(text)
	if text == "" || len(text) > maxPaste || strings.Contains(text, "\n") {
		return nil
	}
	if info, err := os.Stat(text); err == nil && info.Mode().IsRegular() {
		return []string{text}
	}
	var words []string
	var word strings.Builder
	quote := rune(0)
	escaped := false
	for _, r := range text {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'' && filepath.Separator == '/':
			escaped = true
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote = r
		case quote == 0 && r == ' ':
			words = append(words, word.String())
			word.Reset()
		default:
			word.WriteRune(r)
		}
	}
	words = slices.DeleteFunc(append(words, word.String()), func(s string) bool { return s == "" })
	for i, one := range words {
		if u, err := url.Parse(one); err == nil && u.Scheme == "file" && (u.Host == "" || u.Host == "localhost") {
			words[i] = filepath.FromSlash(u.Path)
		}
	}
	return words
}

// mentionsIn returns the names that follow an @ at the beginning of a word, each once. A name
// with spaces is in double quotes.
func mentionsIn(text string) (names []string) {
	for i := 0; i < len(text); i++ {
		if text[i] != '@' || i > 0 && !unicode.IsSpace(rune(text[i-1])) {
			continue
		}
		rest, quoted := strings.CutPrefix(text[i+1:], `"`)
		end := strings.IndexFunc(rest, func(r rune) bool { return unicode.IsSpace(r) && (!quoted || r == '\n') || quoted && r == '"' })
		if end < 0 {
			end = len(rest)
		}
		if name := rest[:end]; name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// mentioned returns the files that a message names with @: those that the person dropped on
// the editor, and those in the worker's view. What names no file stays text. note says which
// files of the view do not go with the message, and why.
func (w *writing) mentioned(text string) (files []run.File, note string, err error) {
	entry, err := w.inst.Entry()
	if err != nil || !strings.Contains(text, "@") {
		return nil, "", nil
	}
	left := allowance{policy: entry.Attachments, bytes: entry.Attachments.MaxTotalBytes}
	var notes []string
	for _, name := range mentionsIn(text) {
		bare := strings.TrimRight(name, ".,;:!?)]}'")
		if found := slices.IndexFunc([]string{name, bare}, w.dropped.has); found >= 0 {
			some, err := input.Attachments(w.console, "", []string{[]string{name, bare}[found]})
			if err != nil {
				return nil, "", err
			}
			files = append(files, some...)
			left.spend(int64(len(some[0].Data)))
			continue
		}
		data, why := w.readSeen(name, &left)
		if errors.Is(why, fs.ErrNotExist) && bare != name {
			name = bare
			data, why = w.readSeen(name, &left)
		}
		switch {
		case why == nil:
			files = append(files, run.File{Name: name, Data: data})
		case errors.Is(why, fs.ErrNotExist):
			if info, err := os.Stat(name); err == nil && filepath.IsAbs(name) && info.Mode().IsRegular() {
				notes = append(notes, ui.OneLine(name)+" is only text here, because "+entry.ID+" does not see it; /attach sends it")
			}
		default:
			notes = append(notes, fmt.Sprintf("%s does not go with the message: %s; %s can read it itself", ui.OneLine(name), why, entry.ID))
		}
	}
	return files, strings.Join(notes, "\n"), nil
}

// allowance is how much more a worker's attachment_policy allows in one message.
type allowance struct {
	policy config.AttachmentPolicy
	files  int
	bytes  int64
}

func (a *allowance) spend(n int64) { a.files, a.bytes = a.files+1, a.bytes-n }

// readSeen reads a regular file of the worker's view. The error is fs.ErrNotExist if there is
// none; another one says why the worker's policy does not allow the file.
func (w *writing) readSeen(name string, left *allowance) ([]byte, error) {
	name = path.Clean(strings.TrimPrefix(name, "/"))
	if w.view == nil || !fs.ValidPath(name) {
		return nil, fs.ErrNotExist
	}
	info, err := fs.Stat(w.view, name)
	if err != nil || !info.Mode().IsRegular() {
		return nil, fs.ErrNotExist
	}
	has := func(list []string) bool {
		return slices.ContainsFunc(list, func(suffix string) bool { return strings.EqualFold(suffix, path.Ext(name)) })
	}
	switch p := left.policy; {
	case has(p.DeniedSuffixes) || len(p.AllowedSuffixes) > 0 && !has(p.AllowedSuffixes):
		return nil, errors.New("attachment_policy does not allow files " + path.Ext(name))
	case left.files >= p.MaxAttachments:
		return nil, fmt.Errorf("attachment_policy allows %s", fault.Count(p.MaxAttachments, "attachment"))
	case info.Size() > left.bytes:
		return nil, fmt.Errorf("it has %d bytes, and attachment_policy allows %d in a message", info.Size(), p.MaxTotalBytes)
	}
	f, err := w.view.Open(name)
	if err != nil {
		return nil, fs.ErrNotExist
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, left.bytes+1))
	if err != nil {
		return nil, console.Usage("it cannot be read")
	}
	left.spend(int64(len(data)))
	return data, nil
}
