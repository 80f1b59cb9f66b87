package tui

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"golem/core/approval"
)

// program is a bubbletea program without a terminal: it carries out the commands of a model,
// in simulated time.
type program struct {
	model tea.Model
	msgs  chan tea.Msg
}

func play(m tea.Model) *program {
	p := &program{model: m, msgs: make(chan tea.Msg, 64)}
	p.do(m.Init())
	return p
}

// do starts a command. Its message is handled in a later pass.
func (p *program) do(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	go func() {
		switch msg := cmd().(type) {
		case tea.BatchMsg:
			for _, one := range msg {
				p.do(one)
			}
		case nil, tea.QuitMsg:
		default:
			p.msgs <- msg
		}
	}()
}

func (p *program) send(msg tea.Msg) {
	_, cmd := p.model.Update(msg)
	p.model.View()
	p.do(cmd)
}

// pass lets time pass, and handles the messages that come meanwhile.
func (p *program) pass(d time.Duration) {
	end := time.After(d)
	for {
		select {
		case msg := <-p.msgs:
			p.send(msg)
		case <-end:
			synctest.Wait()
			return
		}
	}
}

func (p *program) key(k tea.Key) { p.send(tea.KeyPressMsg(k)) }

// rune presses the key of a character.
func (p *program) rune(r rune) {
	switch r {
	case '\n':
		p.key(tea.Key{Code: tea.KeyEnter})
	case '\t':
		p.key(tea.Key{Code: tea.KeyTab})
	default:
		p.key(tea.Key{Code: r, Text: string(r)})
	}
}

// person types as people do: 60 to 250 ms a key, and pauses of 0.3 to 2 s between words.
type person struct {
	p    *program
	dice *rand.Rand
}

func (w person) types(text string) {
	for _, r := range text {
		w.p.rune(r)
		w.p.pass(time.Duration(60+w.dice.IntN(190)) * time.Millisecond)
		if r == ' ' || r == '\n' {
			w.p.pass(time.Duration(300+w.dice.IntN(1700)) * time.Millisecond)
		}
	}
}

// sentences are what people type; some begin with, or are, letters that answer a question.
var sentences = []string{
	"and also say which files you used", "git status and git add the rest", "Please tell me what you see", "y también di por qué, a mí",
	"n'oublie pas a b c d e", "a new file, please", "s is the size r the rest", "yes do that\nno wait\n", "d n s a r t v y", "是的，请写入文件 y n 好", "ещё раз, да",
	"say yes\ny tu\n", "try it\nvery well\n",
}

// SPEC §7, scenario 69: a message that a person types beside a question answers
// nothing, whatever its rhythm, and arrives in the editor as it was typed.
func TestTypingBesideAQuestionAnswersNothing(t *testing.T) {
	for n, text := range sentences {
		for _, r := range []approval.Request{write, trust, {ID: "q-3", Kind: approval.KindInput, Title: "main asks you", Answers: []approval.Answer{approval.Yes, approval.No}}} {
			synctest.Test(t, func(t *testing.T) {
				d := drive(t, 80, 24, false)
				d.m.o.Now = nil
				p := play(d.m)
				w := person{p, rand.New(rand.NewPCG(1, uint64(n)))}
				at := w.dice.IntN(utf8.RuneCountInString(text))
				runes := []rune(text)
				w.types(string(runes[:at]))
				d.u.post(asked{r, d.replies})
				p.send(arrived{})
				w.types(string(runes[at:]))
				p.pass(time.Minute)
				var sent []string
				sent = append(sent, d.m.out.waiting.all()...)
				sent = append(sent, d.m.editor.Text())
				if len(d.replies) != 0 || d.m.dialog == nil || strings.Join(sent, "\n") != text {
					t.Errorf("%q, %s at %d: %d answers, in the editor %q", text, r.Kind, at, len(d.replies), sent)
				}
			})
		}
	}
}

// The same for text that begins just after the person gave the keyboard to the question,
// and for pasted text: it goes to the editor. Two keys answer.
func TestAnswerBesideTheEditor(t *testing.T) {
	for _, c := range []struct {
		keys   []string
		draft  string
		answer approval.Answer
		text   string
	}{
		{[]string{"tab", "and also this"}, "", "", "and also this"},
		{[]string{"tab", "yes do"}, "", "", "yes do"},
		{[]string{"tab", "very nice"}, "", "", "very nice"},
		{[]string{"tab", " y"}, "", "", " y"},
		{[]string{"tab", "enter"}, "my draft", "", "my draft"},
		{[]string{"tab", "y", "pause"}, "my draft", "", "my draft"},
		{[]string{"tab", "y", "enter"}, "my draft", approval.Yes, "my draft"},
		{[]string{"tab", "y", "pause"}, "", approval.Yes, ""},
		{[]string{"tab", "n", "pause"}, "", approval.No, ""},
		{[]string{"tab", "s", "pause", "pause"}, "", "", ""},
		{[]string{"tab", "s", "enter"}, "", approval.Session, ""},
		{[]string{"tab", "a", "pause", "enter"}, "", approval.Always, ""},
		{[]string{"tab", "tab", "y", "pause", "enter"}, "", "", ""}, // the message "y" was sent
		{[]string{"tab", "esc"}, "", approval.No, ""},
		{[]string{"y", "enter", "pause"}, "", "", ""},
		{[]string{"esc", "pause"}, "", "", ""},
	} {
		d := drive(t, 80, 24, false)
		d.ask(write)
		d.m.editor.SetText(c.draft)
		for _, k := range c.keys {
			if k == "pause" {
				d.pause()
			} else {
				d.keys(k)
			}
		}
		var got approval.Answer
		if len(d.replies) > 0 {
			got = (<-d.replies).Answer
		}
		if got != c.answer || d.m.editor.Text() != c.text {
			t.Errorf("%q: %q, in the editor %q", c.keys, got, d.m.editor.Text())
		}
	}
	d := drive(t, 80, 24, false)
	d.ask(write)
	for _, text := range []string{"y\n", "a\n", "\tyield\n"} {
		d.m.Update(tea.PasteMsg{Content: text})
		d.keys("tab")
		d.m.Update(tea.PasteMsg{Content: text})
	}
	if len(d.replies) != 0 || d.m.editor.Text() != "y\ny\na\na\n\tyield\n\tyield\n" {
		t.Errorf("%d answers, in the editor %q", len(d.replies), d.m.editor.Text())
	}
	d = drive(t, 80, 24, false) // pasted into a terminal that does not mark it: no time between the keys
	d.ask(write)
	for _, code := range []rune{tea.KeyTab, 'y', tea.KeyEnter} {
		k := tea.Key{Code: code}
		if code == 'y' {
			k.Text = "y"
		}
		d.m.Update(tea.KeyPressMsg(k))
	}
	if len(d.replies) != 0 {
		t.Errorf("answered: %+v", <-d.replies)
	}
}

// SPEC §7: in a run there is no editor. Text that a person types for the shell answers
// nothing, at whatever moment of it the question comes.
func TestTypingInARunAnswersNothing(t *testing.T) {
	for n, text := range sentences {
		for _, r := range []approval.Request{write, trust, {ID: "q-3", Kind: approval.KindInput, Title: "main asks you", Answers: []approval.Answer{approval.Yes, approval.No}}} {
			for _, idle := range []time.Duration{0, time.Second, time.Minute} {
				synctest.Test(t, func(t *testing.T) {
					q := &askProgram{d: newDialog(asked{Request: r}, false, time.Now), width: 80, height: 24}
					p := play(q)
					p.pass(idle)
					person{p, rand.New(rand.NewPCG(2, uint64(n)))}.types(text)
					p.pass(time.Minute)
					if q.answered {
						t.Errorf("%q after %s answered %s: %+v", text, idle, r.Kind, q.answer)
					}
					// A person can always answer on purpose.
					p.key(tea.Key{Code: tea.KeyEscape})
					p.pass(200 * time.Millisecond)
					p.key(tea.Key{Code: 'y', Text: "y"})
					p.pass(200 * time.Millisecond)
					p.key(tea.Key{Code: tea.KeyEnter})
					if !q.answered || q.answer.Answer != approval.Yes {
						t.Errorf("%q after %s: %s was not answered: %+v", text, idle, r.Kind, q.answer)
					}
					p.pass(time.Minute) // the timers end
				})
			}
		}
	}
}

// In a run two keys answer, after two seconds without a key.
func TestAnswerInARun(t *testing.T) {
	for keys, want := range map[string]approval.Answer{
		"y": "", "yn": "", "y\n": approval.Yes, "n\n": approval.No, "s\n": approval.Session, "a\n": approval.Always, "d\n": approval.Never, "\n": approval.No, "gy\n": "", "y \n": "",
		"\ty": approval.Yes, "\tn": approval.No, "\ts": "", "\ts\n": approval.Session, "\tye": "",
	} {
		synctest.Test(t, func(t *testing.T) {
			q := &askProgram{d: newDialog(asked{Request: write}, false, time.Now), width: 80, height: 24}
			p := play(q)
			p.pass(3 * time.Second)
			for _, r := range keys {
				p.rune(r)
				p.pass(100 * time.Millisecond)
			}
			p.pass(time.Minute)
			if q.answer.Answer != want {
				t.Errorf("%q: %+v, want %q", keys, q.answer, want)
			}
		})
	}
}

// In a run, a key of an answer that comes too early answers nothing, and does not lock the
// question: after two seconds without a key, two keys answer. Other text locks it until Esc.
func TestAnswerTooEarlyInARun(t *testing.T) {
	for keys, want := range map[string]approval.Answer{
		"y": approval.Yes, "y\n": approval.Yes, "yyy": approval.Yes, "\n": approval.Yes, "\t": approval.Yes, "n\nn": approval.Yes,
		"yes": "", "y ": "", "x": "", "no": "", " ": "",
	} {
		synctest.Test(t, func(t *testing.T) {
			q := &askProgram{d: newDialog(asked{Request: write}, false, time.Now), width: 80, height: 24}
			p := play(q)
			for _, r := range keys {
				p.pass(time.Second)
				p.rune(r)
			}
			if p.pass(3 * time.Second); q.answered {
				t.Fatalf("%q answered too early: %+v", keys, q.answer)
			}
			p.key(tea.Key{Code: 'y', Text: "y"})
			p.pass(200 * time.Millisecond)
			p.key(tea.Key{Code: tea.KeyEnter})
			p.pass(time.Minute)
			if q.answer.Answer != want {
				t.Errorf("%q, and then y Enter: %+v, want %q", keys, q.answer, want)
			}
		})
	}
}

// SPEC §7, scenario 70: a yes counts only after the last line of a question was on the
// screen; a no always counts. What was seen once stays seen, and a new size of the screen
// does not make lines seen that were not drawn.
func TestAYesCountsAfterTheEnd(t *testing.T) {
	servers := approval.Request{ID: "q-1", Kind: approval.KindTrust, Title: "Allow it?", Answers: []approval.Answer{approval.Yes, approval.No}}
	for n := range 41 {
		servers.Lines = append(servers.Lines, approval.Line{Path: fmt.Sprintf("mcp.s%d.command", n), Value: "npx server", Means: "this program runs on this machine"})
	}
	command := write
	command.Type, command.Tool, command.Diff, command.Paths = "command", "run_command", "", nil
	command.Args = []byte(`{"command":"` + strings.Repeat(`: nothing\n`, 120) + `rm -rf /"}`)
	diff := write
	diff.Diff = "--- a/x\n+++ b/x\n@@ -1,1 +1,10001 @@\n" + strings.Repeat("+line\n", 10000)
	for name, r := range map[string]approval.Request{"trust": servers, "command": command, "diff": diff} {
		for _, inline := range []bool{false, true} {
			press := func(keys ...string) (answer approval.Answer) {
				d := drive(t, 80, 24, false)
				d.ask(r)
				if inline {
					d.m.dialog.shared = false
				}
				d.arm()
				for _, k := range keys {
					if k == "resize" {
						d.m.Update(tea.WindowSizeMsg{Width: 60, Height: 20})
						d.screen()
						continue
					}
					d.keys(k)
				}
				if len(d.replies) > 0 {
					answer = (<-d.replies).Answer
				} else {
					d.has("A yes counts only after the end: End.")
				}
				return answer
			}
			for keys, want := range map[string]approval.Answer{
				"y enter": "", "down enter": "", "pgdown y enter": "", "resize y enter": "", "pgdown resize pgdown y enter": "", "y enter pgdown enter": "",
				"n enter": approval.No, "esc": approval.No, "end y enter": approval.Yes, "y enter end enter": approval.Yes, "end home resize y enter": approval.Yes,
			} {
				if got := press(strings.Fields(keys)...); got != want {
					t.Errorf("%s, inline %v, %q: %q, want %q", name, inline, keys, got, want)
				}
			}
		}
	}
}
