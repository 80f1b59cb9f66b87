package tui

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"golem/core/fault"
	"golem/core/ui"
)

// form is an overlay that asks for several values: Tab goes from field to field, what
// is wrong with a value stands beside it, and Esc leaves.
type form struct {
	title  string
	fields []ui.Field
	values []simple
	wrong  []string // what is wrong with each field; "" if nothing is
	at     int
	reply  chan []string // the answers; closed without any if the person left
	over   bool
	away   bool // the editor has the keyboard until Tab, because the person is writing there
}

// filling is the message that shows a form, or withdraws it.
type filling struct {
	*form
	withdrawn bool
}

var _ ui.Former = (*UI)(nil)

// Form shows a form until the person fills it in or leaves it, or ctx ends. ok is false
// if the person left it.
func (u *UI) Form(ctx context.Context, title string, fields []ui.Field) (answers []string, ok bool, err error) {
	f := &form{title: title, fields: fields, values: make([]simple, len(fields)), wrong: make([]string, len(fields)), reply: make(chan []string, 1)}
	u.post(filling{form: f})
	select {
	case answers, ok = <-f.reply:
		return answers, ok, nil
	case <-ctx.Done():
		u.post(filling{form: f, withdrawn: true})
		return nil, false, ctx.Err()
	case <-u.over:
		return nil, false, errGone
	}
}

// fill opens a form, or closes one that was withdrawn.
func (m *model) fill(f filling) {
	if !f.withdrawn {
		f.away = !m.out.direct || m.out.keyed > 0 || m.editor.Text() != ""
		m.overlays.open(f.form)
		return
	}
	for i, o := range m.overlays {
		if o == overlay(f.form) {
			m.overlays = slices.Delete(m.overlays, i, i+1)
			return
		}
	}
}

func (f *form) closed() {
	if !f.over {
		f.over = true
		close(f.reply)
	}
}

// paste puts text into the field.
func (f *form) paste(text string) { f.values[f.at].Paste(text) }

func (f *form) key(name, text string) (tea.Cmd, bool) {
	switch name {
	case "esc", "ctrl+c":
		return nil, true
	case "tab", "down", "enter":
		f.check(f.at)
		if name == "enter" && f.at == len(f.fields)-1 {
			return nil, f.send()
		}
		f.at = (f.at + 1) % len(f.fields)
	case "shift+tab", "up":
		f.check(f.at)
		f.at = (f.at + len(f.fields) - 1) % len(f.fields)
	default:
		f.values[f.at].Key(name, text)
		if f.wrong[f.at] != "" {
			f.check(f.at)
		}
	}
	return nil, false
}

// check sets what is wrong with a field, and reports whether its value is valid.
func (f *form) check(i int) bool {
	f.wrong[i] = ""
	text := f.values[i].Text()
	if strings.TrimSpace(text) == "" && f.fields[i].Required {
		f.wrong[i] = "is needed"
	} else if _, err := f.fields[i].Value(text); err != nil {
		one := fault.Of(err, fault.ToolInput)
		f.wrong[i] = strings.TrimPrefix(one.Message, f.fields[i].Name+" ")
		if one.Hint != "" {
			f.wrong[i] += " (" + one.Hint + ")"
		}
	}
	return f.wrong[i] == ""
}

// send ends the form if every field is valid. Otherwise it goes to the first one that
// is not.
func (f *form) send() bool {
	bad := -1
	answers := make([]string, len(f.fields))
	for i := range f.fields {
		answers[i] = f.values[i].Text()
		if !f.check(i) && bad < 0 {
			bad = i
		}
	}
	if bad >= 0 {
		f.at = bad
		return false
	}
	f.over = true
	f.reply <- answers
	return true
}

// view draws the form so that the field being edited is always visible.
func (f *form) view(width, height int, color bool) (lines []string, x, y int) {
	out := []string{rule(width, color, yellow, "Call "+line(f.title), "Esc: leave")}
	foot := []string{rule(width, color, yellow, "", ""), paint(color, dim, cut(f.hint(), width))}
	var body []string
	first, last := 0, 0
	for i, field := range f.fields {
		if i == f.at {
			first = len(body)
		}
		body = append(body, f.label(i, field, width, color)...)
		rows, cx, cy := f.values[i].View(width-4, 4, color)
		for n, l := range rows {
			lead := "  "
			if n == 0 {
				lead = "> "
			}
			if i != f.at {
				lead = "  "
			}
			if i == f.at && n == cy && !f.away {
				x, y = 2+cx, len(body)
			}
			body = append(body, lead+l)
		}
		if i == f.at {
			last = len(body)
		}
	}
	room := max(height-len(out)-len(foot), 1)
	top := max(min(first, len(body)-room), 0)
	top = max(top, min(last-room, y))
	y += len(out) - top
	out = append(out, body[top:min(top+room, len(body))]...)
	for len(out) < height-len(foot) {
		out = append(out, "")
	}
	return append(out, foot...), x, y
}

// hint returns what Tab and Enter do in this field.
func (f *form) hint() string {
	if f.away {
		return "Tab: fill this in. Other keys write your message."
	}
	if f.at < len(f.fields)-1 {
		return "Tab or Enter: the next field."
	}
	return "Enter calls the tool. Tab: first field."
}

// label returns the lines above a field: its name, its type, and what is wrong with its
// value.
func (f *form) label(i int, field ui.Field, width int, color bool) []string {
	name := line(field.Name)
	about := line(field.About)
	kind := field.Type
	if len(field.Enum) > 0 {
		kind = "one of " + line(strings.Join(field.Enum, ", "))
	} else if kind == "string" {
		kind = "text"
	} else if kind == "" {
		kind = "JSON"
	}
	if !field.Required {
		kind += ", may stay empty"
	}
	head := name + " (" + kind + ")"
	if about != "" {
		head += ": " + about
	}
	var out []string
	for n, l := range wrap(head, width) {
		style := dim
		if n == 0 && i == f.at {
			style = bold
		}
		out = append(out, paint(color, style, l))
	}
	if f.wrong[i] != "" {
		for _, l := range wrap("✗ "+line(f.wrong[i]), width) {
			out = append(out, paint(color, red, l))
		}
	}
	return out
}
