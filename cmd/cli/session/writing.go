package session

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"golem/core"
	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/ui"

	"golem/cmd/cli/console"
	"golem/cmd/cli/disk"
	"golem/cmd/cli/editor"
	"golem/cmd/cli/home"
	"golem/cmd/cli/target"
	"golem/cmd/cli/tui"
)

// writing is what a chat's editor uses of this machine: the history of the project, the
// file names in the worker's view, and the completions of commands.
type writing struct {
	console *console.Console
	inst    *core.Instance
	history *editor.History
	live    *live  // the chat that is open
	file    string // the file of the history; "": the history is not saved
	warned  bool
	dropped dropped

	view  fs.FS // the files that the entry sees; nil: none
	dir   string
	names []string // the names in dir, which was listed last
	kept  []editor.Choice
	tools []editor.Choice // the tools of the entry
	found models

	marked int // the number of the message that the next screen marks; 0: none
}

// newWriting reads the history of a project. Without GOLEM_HOME, or for a packed
// project, the history begins empty and is not saved.
func newWriting(c *console.Console, inst *core.Instance, p target.Place) *writing {
	w := &writing{console: c, inst: inst, history: &editor.History{}}
	if seen, err := inst.Seen(); err == nil {
		w.view = seen
	}
	if dir := c.Home.Dir(); dir != "" && p.Pack == nil {
		sum := sha256.Sum256([]byte(disk.RealPath(p.Root)))
		w.file = filepath.Join(dir, "history", hex.EncodeToString(sum[:8])+".jsonl")
		if data, size, err := readEnd(w.file, home.MaxFile); err == nil {
			w.history = editor.ReadHistory(data)
			w.shorten(size)
		}
	}
	return w
}

// readEnd reads at most the last most bytes of a regular file, and returns its size.
func readEnd(name string, most int64) (data []byte, size int64, err error) {
	f, err := os.OpenFile(name, os.O_RDONLY|disk.OpenNonblock, 0)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a regular file")
	}
	if err != nil {
		return nil, 0, err
	}
	size = info.Size()
	data, err = io.ReadAll(io.NewSectionReader(f, max(size-most, 0), most))
	return data, size, err
}

// shorten rewrites the history file if it has grown to more than twice the limit.
func (w *writing) shorten(size int64) {
	if size > 2*editor.MaxHistory {
		if err := home.WriteFile(w.file, w.history.Text()); err != nil {
			w.warnHistory(err)
		}
	}
}

// addLine adds a line that the person sent to the history and its file. Known secrets were
// removed from the line before.
func (w *writing) addLine(line string) {
	if !w.history.Add(line) || w.file == "" {
		return
	}
	err := os.MkdirAll(filepath.Dir(w.file), 0o700)
	if err == nil {
		var f *os.File
		if f, err = os.OpenFile(w.file, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600); err == nil {
			_, err = f.Write(editor.Line(strings.TrimSpace(line)))
			if cerr := f.Close(); err == nil {
				err = cerr
			}
		}
	}
	if err != nil {
		w.warnHistory(err)
	}
}

func (w *writing) warnHistory(err error) {
	if !w.warned {
		w.warned = true
		w.console.Say("warning: the history of what you type cannot be kept: %s", disk.Cause(err))
	}
}

// editor returns the editor of a full-screen chat.
func (w *writing) editor() *editor.Editor {
	if entry, err := w.inst.Entry(); err == nil {
		for _, s := range w.inst.Tools(context.Background(), entry) {
			about, _, _ := strings.Cut(s.Description, "\n")
			w.tools = append(w.tools, editor.Choice{Text: s.Name, Help: ui.Brief(about)})
		}
	}
	o := editor.Options{History: w.history, Files: w.files, Values: w.values}
	for _, a := range ui.Actions() {
		if a.Command != "" {
			o.Commands = append(o.Commands, editor.Choice{Text: "/" + string(a.Command), Help: a.Help})
		}
	}
	return editor.New(o)
}

// maxNames is how many names of a directory are read for completion.
const maxNames = 20_000

// files returns the names in the worker's view that begin with prefix. Files that the
// view hides or protects from reading are left out; hidden files (with a dot) are
// included only if the prefix asks for them.
func (w *writing) files(prefix string) []string {
	if w.view == nil {
		return nil
	}
	dir, base := path.Split(strings.TrimPrefix(prefix, "/"))
	if base == "" || dir != w.dir || w.names == nil {
		w.dir, w.names = dir, []string{}
		entries, err := fs.ReadDir(w.view, path.Clean("./"+dir))
		if err != nil {
			return nil
		}
		for _, e := range entries[:min(len(entries), maxNames)] {
			name := e.Name()
			if e.IsDir() {
				name += "/"
			}
			w.names = append(w.names, name)
		}
	}
	var out []string
	for _, name := range w.names {
		if strings.HasPrefix(name, base) && (base != "" || !strings.HasPrefix(name, ".")) {
			if _, err := fs.Stat(w.view, path.Join(dir, name)); err == nil {
				out = append(out, prefix[:len(prefix)-len(base)]+name)
			}
		}
		if len(out) == 50 {
			break
		}
	}
	return out
}

// values returns the completions of a command's argument.
func (w *writing) values(command, prefix string) []editor.Choice {
	var all []editor.Choice
	switch command {
	case "/model":
		return matching(w.models(), prefix)
	case "/resume":
		return matching(w.conversations(prefix), prefix)
	case "/rewind":
		return matching(w.messages(), prefix)
	case "/tool", "/call":
		all = w.tools
	case "/attach":
		return w.attachable(prefix)
	case "/clearance":
		for _, word := range []string{"diff", "push", "discard", "defer"} {
			all = append(all, editor.Choice{Text: word})
		}
	case "/approvals":
		all = []editor.Choice{{Text: "remove"}}
	case "/copy":
		all = []editor.Choice{{Text: "code", Help: "the last code block"}}
	case "/set":
		for _, name := range []string{"temperature=", "top_p=", "max_output_tokens=", "reasoning_effort=", "verbosity=", "seed=", "notify="} {
			all = append(all, editor.Choice{Text: name})
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(c editor.Choice) bool { return !strings.HasPrefix(c.Text, prefix) })
}

// messages returns the person's messages of this chat, the newest first.
func (w *writing) messages() (out []editor.Choice) {
	kept := w.inst.Conversations()
	if kept == nil {
		return nil
	}
	k, err := conversation.Read(kept, w.live.id())
	if err != nil {
		return nil
	}
	said := k.Said()
	slices.Reverse(said)
	for _, one := range said {
		if one.N > 0 {
			out = append(out, editor.Choice{Text: fmt.Sprint(one.N), Help: ui.Brief(one.Whole())})
		}
	}
	return out
}

// attachable returns the files of this machine that begin with prefix, relative to the
// working directory: attachments come from the person, not from the worker's view.
func (w *writing) attachable(prefix string) (out []editor.Choice) {
	dir, base := filepath.Split(prefix)
	f, err := disk.OpenDir(w.console.Path(cmp.Or(dir, ".")))
	if err != nil {
		return nil
	}
	defer f.Close()
	entries, _ := f.ReadDir(maxNames) // after an error, use the entries that were read
	for _, e := range entries {
		name := e.Name()
		switch {
		case !strings.HasPrefix(name, base) || base == "" && strings.HasPrefix(name, ".") || name != ui.OneLine(name):
			continue
		case strings.Contains(name, " "): // with a space, the end of the name would be unknown
			continue
		case e.IsDir():
			name += "/"
		}
		out = append(out, editor.Choice{Text: dir + name})
	}
	slices.SortFunc(out, func(a, b editor.Choice) int { return strings.Compare(a.Text, b.Text) })
	return out
}

// compose prepares the editor that VISUAL or EDITOR names for a text, by default vi
// (notepad on Windows). The caller runs the command, and then the function that returns
// what was written. The file is in a directory of its own that only the person can
// read.
func compose(c *console.Console, text string) (tui.Command, func() (string, error), error) {
	words := strings.Fields(c.Env["VISUAL"])
	if len(words) == 0 {
		words = strings.Fields(c.Env["EDITOR"])
	}
	if len(words) == 0 {
		if words = []string{"vi"}; runtime.GOOS == "windows" {
			words = []string{"notepad"}
		}
		if _, err := exec.LookPath(words[0]); err != nil {
			return nil, nil, console.Usage("no editor is named").Hinting("set EDITOR, for example to nano")
		}
	}
	dir, err := os.MkdirTemp("", "golem-message-")
	if err != nil {
		return nil, nil, fault.New(fault.Config, "no temporary directory: %s", disk.Cause(err))
	}
	name := filepath.Join(dir, "message.md")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		os.RemoveAll(dir)
		return nil, nil, fault.New(fault.Config, "the message cannot be written to a file: %s", disk.Cause(err))
	}
	if strings.ContainsAny(words[0], `/\`) {
		words[0] = c.Path(words[0])
	}
	cmd := exec.Command(words[0], append(words[1:], name)...)
	cmd.Dir = dir // editors read settings of the directory in which they start
	cmd.WaitDelay = time.Second
	return &composer{cmd}, func() (string, error) {
		defer os.RemoveAll(dir)
		data, err := c.ReadFile(name, console.MaxLine)
		if err != nil {
			return "", fault.New(fault.Config, "the message cannot be read again: %s", disk.Cause(err))
		}
		return strings.TrimSuffix(string(data), "\n"), nil
	}, nil
}

// composer is a command that uses the terminal.
type composer struct{ *exec.Cmd }

func (c *composer) SetStdin(r io.Reader) { c.Stdin = r }

func (c *composer) SetStdout(w io.Writer) { c.Stdout = w }

func (c *composer) SetStderr(w io.Writer) { c.Stderr = w }
