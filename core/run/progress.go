package run

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"golem/core/approval"
	"golem/core/model"
	"golem/core/tool"
	"golem/core/trace"
)

// The states of a worker's call, as front ends show them (S4-33).
const (
	progressPending  = "pending"
	progressRunning  = "running"
	progressComplete = "complete"
	progressFailed   = "failed"
)

// maxTask is how many bytes of a task are shown beside a worker's name.
const maxTask = 500

// progress emits the state of a worker's call, under the call's id, which is also the
// child's.
func (f *frame) progress(call, status, worker, task string) {
	e := trace.Event{ID: call, Parent: parentID(call), Worker: worker, Depth: f.depth + 1}
	e.Body = trace.Progress{Status: status, Description: worker, Task: task}
	f.tree.emit(e)
}

// announce emits that a worker's call waits and cannot start yet.
func (f *frame) announce(id string, c model.Call) {
	tl, ok := f.tools.Get(c.Name)
	if !ok || tl.Spec().Kind != tool.Worker || f.tree.kept != nil && f.tree.kept.End(id) != nil {
		return
	}
	worker, task := readDelegation(tl.Spec(), json.RawMessage(c.Args))
	f.progress(id, progressPending, worker, task)
}

// path returns the worker runs from the root to this one (S4-28, S4-29).
func (f *frame) path() []approval.Worker {
	var out []approval.Worker
	for n := f; n != nil; n = n.parent {
		out = append(out, approval.Worker{ID: n.id, Worker: n.worker.ID, Depth: n.depth, Task: n.task})
	}
	slices.Reverse(out)
	return out
}

// parentID returns the id of the call that contains another; "" for the root's.
func parentID(id string) string {
	i := strings.LastIndexByte(id, '.')
	return id[:max(i, 0)]
}

// readDelegation reads from a delegation's arguments which worker gets which task,
// before anything is checked.
func readDelegation(spec tool.Spec, args json.RawMessage) (worker, task string) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(args, &fields) != nil {
		return spec.Target, ""
	}
	worker = spec.Target
	if worker == "" && json.Unmarshal(fields["worker"], &worker) != nil {
		worker = spec.Name
	}
	for _, k := range extras {
		delete(fields, k)
	}
	input, one := fields["input"]
	if !one {
		if input = unescaped(fields); len(fields) == 0 {
			return worker, ""
		}
	}
	var text string
	if json.Unmarshal(input, &text) == nil {
		return worker, shortTask(text)
	}
	return worker, shortTask(shortObject(input))
}

// shortObject returns an object with its long values cut, so that it is JSON of at most
// maxTask bytes. An object with too many fields is returned unchanged.
func shortObject(raw json.RawMessage) string {
	var all map[string]json.RawMessage
	if len(raw) <= maxTask || json.Unmarshal(raw, &all) != nil {
		return string(raw)
	}
	for most := maxTask / 2; most > 0; most /= 2 {
		for name, value := range all {
			text := string(value)
			if _ = json.Unmarshal(value, &text); len(text) > most { // a value that is not a string is cut as JSON
				all[name] = unescaped(strings.ToValidUTF8(text[:most], "") + "…")
			}
		}
		if out := unescaped(all); len(out) <= maxTask {
			return string(out)
		}
	}
	return string(raw)
}

// unescaped returns a value as JSON on one line, for people: <, > and & are not
// escaped.
func unescaped(v any) json.RawMessage {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // it cannot fail: v has only texts and what was JSON before
	return bytes.TrimSpace(out.Bytes())
}

// shortTask returns the beginning of a task, on one line of at most maxTask bytes.
func shortTask(text string) string {
	if len(text) > 2*maxTask {
		text = text[:2*maxTask]
	}
	var line bytes.Buffer
	for _, word := range strings.Fields(strings.ToValidUTF8(text, "\uFFFD")) {
		if line.Len() > 0 {
			line.WriteByte(' ')
		}
		line.WriteString(word)
	}
	if line.Len() <= maxTask {
		return line.String()
	}
	cut := line.Bytes()[:maxTask-len("…")]
	for len(cut) > 0 && !utf8.Valid(cut) {
		cut = cut[:len(cut)-1]
	}
	return string(cut) + "…"
}
