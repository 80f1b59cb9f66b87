package tui

import (
	"context"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"golem/core/clearance"
	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/state"
	"golem/core/ui"
)

// run carries out a command of the program, and the commands that follow from it.
func (d *driver) run(cmd tea.Cmd) {
	defer d.m.View()
	for cmd != nil {
		msg := cmd()
		cmd = nil
		switch msg := msg.(type) {
		case nil: // it was posted
			cmd = d.m.arrive()
		case tea.BatchMsg:
			for _, one := range msg {
				d.run(one)
			}
		}
	}
}

// press types keys, and carries out the commands that they start.
func (d *driver) press(list ...string) {
	for _, k := range list {
		name, text := k, ""
		if len(k) == 1 {
			text = k
		}
		d.at = d.at.Add(time.Second)
		d.run(d.m.key(name, text))
		d.m.terminal.stale = true
		d.screen()
	}
}

// all returns the items of a store.
func all(t *testing.T, s *clearance.Store) []clearance.Item {
	t.Helper()
	items, err := s.List()
	if err != nil {
		t.Fatal(err)
	}
	return items
}

// The panel of staged changes shows each item with its target and its diff. A decision
// needs its letter and a yes, and a file that defines the project needs a yes of its
// own.
func TestStagedPanel(t *testing.T) {
	d := drive(t, 80, 24, true)
	files := sandbox.Memory()
	kept := state.Memory(sandbox.Memory())
	store := &clearance.Store{
		State: &kept, Real: realFiles{files},
		Targets: map[string]clearance.Target{"main": {Dir: "pub"}, "site": {Dir: "www"}},
	}
	d.m.o.Clearance = store
	work := &clearance.Work{Store: store, Run: "r", Worker: "main", Root: ".", Host: onFiles{files}}
	stage := func(name, text, target string) {
		t.Helper()
		if _, err := work.Commit(context.Background(), []clearance.File{{Source: ".", Path: name, Read: func() ([]byte, error) { return []byte(text), nil }}}, "about "+name, target); err != nil {
			t.Fatal(err)
		}
	}
	stage("a.txt", strings.Repeat("hello\n", 60)+"\x1b[2Jlast\n", "")
	stage("b.worker", "b\n", "")
	stage("c.txt", "c\n", "main")
	d.run(d.m.Init())
	d.has("[!] 3 staged")

	d.keys("/clearance")
	d.press("enter")
	d.has("staged changes", "1  pending  about a.txt  1 file  → in place", "3  pending  about c.txt  1 file  → main", "+hello", "more lines: PgDn")
	d.fits()
	d.press("p") // SPEC §7: a yes counts only after the end was shown
	d.has("A yes counts after all of the change was shown: PgDn or End, then p")
	d.press("y")
	if len(all(t, store)) != 3 {
		t.Fatal("a push without the end of its diff")
	}
	d.press("end")
	d.has(`+\u{1b}[2Jlast`)

	d.keys("home", "x") // a key that moves is no text before the letter
	d.has("Really discard item 1")
	d.press("n")
	d.keys("ex")
	d.has("Press x once more, after a moment")
	d.pause()
	d.press("x", "n")
	d.has("nothing was decided")
	d.press("p")
	d.has("Really push item 1: 1 file?")
	d.press("enter")
	d.has("nothing was decided")
	d.press("p", "y")
	if data, err := sandbox.ReadFile(files, "a.txt", 1<<20); err != nil || !strings.HasSuffix(string(data), "last\n") {
		t.Errorf("%q, %v", data, err)
	}
	d.has("pushed: item 1", "[!] 2 staged")

	d.has("! b.worker defines the project")
	d.press("p", "y")
	d.has("Really write b.worker, which defines the project?")
	d.press("n")
	if _, err := sandbox.ReadFile(files, "b.worker", 10); err == nil {
		t.Error("written without the second yes")
	}
	d.press("p", "y", "y")
	d.has("pushed: item 2")
	d.press("t")
	d.has("change in target site")
	d.press("d", "y")
	d.has("deferred: item 3")
	for _, size := range [][2]int{{40, 12}, {20, 6}, {110, 30}} {
		d.m.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		d.fits()
	}
	d.press("x", "y", "esc")
	d.hasNot("staged changes")
	if items, err := store.List(); err != nil || len(items) != 0 {
		t.Errorf("%v, %v", items, err)
	}
}

// If there is no item, the chat shows a line instead of an empty panel.
func TestEmptyPanelIsALine(t *testing.T) {
	d := drive(t, 80, 24, true)
	kept := state.Memory(sandbox.Memory())
	d.m.o.Clearance = &clearance.Store{State: &kept}
	d.m.o.Undo = &clearance.Store{State: &kept, Undo: true}
	d.keys("/clearance")
	d.press("enter")
	d.has("> /clearance", "nothing is staged")
	d.keys("/undo")
	d.press("enter")
	d.has("> /undo", "there is no run here that can be undone")
	d.hasNot("Esc: back", "nothing waits")
}

// In a form, Tab moves between fields, what is wrong stands beside its field until it
// is right, and Esc leaves. A question is shown in front of a form.
func TestForm(t *testing.T) {
	fields := []ui.Field{{Name: "path", Text: true, Type: "string", Required: true, About: "where\x1b[2J"}, {Name: "n", Type: "integer"}, {Name: "how", Text: true, Type: "string", Enum: []string{"a", "b"}}}
	d := drive(t, 80, 24, true)
	d.m.out.direct = true
	type result struct {
		answers []string
		ok      bool
	}
	show := func() chan result {
		select {
		case <-d.u.wake: // left by an earlier post
		default:
		}
		got := make(chan result, 1)
		go func() {
			answers, ok, _ := d.u.Form(context.Background(), "copy", fields)
			got <- result{answers, ok}
		}()
		<-d.u.wake
		d.m.Update(arrived{})
		return got
	}
	got := show()
	d.has("Call copy", "path (text)", `: where\u{1b}[2J`, "n (integer, may stay empty)", "how (one of a, b, may stay empty)")
	d.fits()
	d.keys("tab", "x", "tab", "c")
	d.has("✗ is needed", "✗ is not JSON")
	d.keys("enter")
	d.has("✗ is not one of the values (a, b)")
	d.keys("/b", "tab")
	d.ask(write)
	d.has("write_file")
	d.arm()
	d.keys("n", "enter")
	d.m.editor.SetText("")
	d.press("backspace", "3", "tab", "backspace", "b", "enter")
	if r := <-got; !r.ok || strings.Join(r.answers, " ") != "/b 3 b" {
		t.Errorf("%+v\n%s", r, d.screen())
	}
	d.hasNot("Call copy")

	d.m.out.keyed = 0
	got = show()
	for _, size := range [][2]int{{40, 12}, {20, 6}, {9, 4}} {
		d.m.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		d.keys("tab")
		d.fits()
	}
	d.keys("esc")
	if r := <-got; r.ok {
		t.Errorf("%+v", r)
	}
}

// A form of /tool that comes while the person writes leaves the keyboard to the message until
// Tab: no key of the message goes into a field, calls the tool or leaves the form.
func TestAFormWaitsForTab(t *testing.T) {
	fields := []ui.Field{{Name: "path", Text: true, Type: "string", Required: true}}
	for name, writes := range map[string]func(d *driver){
		"a draft":            func(d *driver) { d.m.editor.SetText("and ") },
		"keys since the end": func(d *driver) { d.keys("x", "backspace") },
	} {
		d := drive(t, 80, 24, true)
		d.m.out.direct = true
		writes(d)
		before := d.m.editor.Text()
		f := &form{title: "copy", fields: fields, values: make([]simple, 1), wrong: make([]string, 1), reply: make(chan []string, 1)}
		d.u.post(filling{form: f})
		d.m.Update(arrived{})
		d.has("Call copy", "Tab: fill this in. Other keys write your message.")
		d.keys("go on", "enter", "next", "esc")
		if len(f.reply) != 0 || f.over || f.values[0].Text() != "" || strings.Join(d.m.out.waiting.all(), "|") != before+"go on" {
			t.Errorf("%s: answers %d, over %v, field %q, sent %q", name, len(f.reply), f.over, f.values[0].Text(), d.m.out.waiting.all())
		}
		d.m.editor.SetText("")
		d.keys("tab", "/a", "enter")
		select {
		case answers := <-f.reply:
			if strings.Join(answers, "|") != "/a" {
				t.Errorf("%s: %q", name, answers)
			}
		default:
			t.Errorf("%s: no answers after Tab\n%s", name, d.screen())
		}
	}
	d := drive(t, 80, 24, true) // the person has sent /tool and typed nothing since: the form has the keyboard
	d.m.out.direct = true
	f := &form{title: "copy", fields: fields, values: make([]simple, 1), wrong: make([]string, 1), reply: make(chan []string, 1)}
	d.u.post(filling{form: f})
	d.m.Update(arrived{})
	d.keys("/b", "enter")
	if answers := <-f.reply; strings.Join(answers, "|") != "/b" {
		t.Errorf("%q", answers)
	}
}

// SPEC §7: text typed into the panel decides nothing: a decision and its yes need a moment
// before them.
func TestTextInThePanelDecidesNothing(t *testing.T) {
	for _, text := range []string{"python", "copy", "happy to do so", "dy px py"} {
		p := &staged{store: &clearance.Store{}, u: drive(t, 80, 24, false).u, items: []clearance.Item{{ID: "1"}}}
		at := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
		p.u.model.o.Now = func() time.Time { return at }
		for _, r := range text {
			at = at.Add(250 * time.Millisecond)
			p.key(string(r), string(r))
			if p.busy {
				t.Fatalf("%q decided", text)
			}
		}
	}
}

// realFiles has one tree for every source, and no repository. A worker defines the project.
type realFiles struct{ sandbox.FS }

func (r realFiles) Mount(string) (sandbox.FS, error) { return r.FS, nil }

func (realFiles) Branch(clearance.Target) (clearance.Branch, error) { return nil, clearance.ErrNoGit }

func (realFiles) Guard(place string) (bool, error) { return strings.HasSuffix(place, ".worker"), nil }

// onFiles is the host of work on files.
type onFiles struct{ sandbox.FS }

func (f onFiles) Base() (sandbox.FS, error) { return f.FS, nil }
func (onFiles) Life() context.Context       { return context.Background() }
func (onFiles) Trouble(*fault.Fault)        {}
