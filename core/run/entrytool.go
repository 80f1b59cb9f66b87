package run

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/project"
	"golem/core/tool"
)

// runTool runs the tool that is the entry (S3-24) as the root call, for a worker that
// has only the manifest's settings.
func (r *Runner) runTool(ctx context.Context, w *project.Worker, in Input) Result {
	if len(in.Attachments) > 0 {
		return r.Refuse(in, fault.New(fault.Attachment, "the entry %s is a tool, and tools get no attachments", w.Tool).
			Hinting("put the files into the project, where the tool's sandbox has them"))
	}
	s, err := r.OpenWorker(ctx, w)
	if err != nil {
		return r.Refuse(in, err)
	}
	if err := hasEntryTool(s.run.toolbox, w); err != nil {
		s.run.close()
		return r.Refuse(in, err)
	}
	if k := r.Keeping.Kept; k != nil && k.Messages() > 0 {
		in = inputOf(k.Steps[len(k.Steps)-1].Input)
		k.Reopen()
		s.tree.replay = newReplay(r, k, len(k.Steps)-1)
	}
	args, err := toolArgs(s.run.toolbox, w.Tool, in)
	if err != nil {
		s.run.close()
		return r.Refuse(in, err)
	}
	return s.callTool(ctx, w.Tool, args, in)
}

// hasEntryTool returns an error unless a module provides the tool that the manifest's
// entry names.
func hasEntryTool(box *toolbox, w *project.Worker) error {
	if t, ok := box.Get(w.Tool); ok && t.Spec().Kind == tool.Wasm {
		return nil
	}
	missing := fault.Of(w.Missing(), fault.WorkerNotFound)
	var names []string
	for _, t := range box.Find(func(s tool.Spec) bool { return s.Kind == tool.Wasm }) {
		names = append(names, t.Spec().Name)
	}
	slices.Sort(names)
	if near := fault.Nearest(w.Tool, names); near != "" {
		return missing.Hinting("did you mean the tool %s", near)
	}
	return missing.Hinting("no tool has that name either; the tools are: %s", listOr(names, "none"))
}

// toolArgs returns a tool's arguments for an input: an object is used unchanged, a text
// goes to the field that textField finds.
func toolArgs(box *toolbox, name string, in Input) (json.RawMessage, error) {
	if len(in.JSON) > 0 {
		return in.JSON, nil
	}
	text := strings.TrimSpace(strings.TrimPrefix(in.Text, "\uFEFF"))
	if text == "" {
		return json.RawMessage("{}"), nil
	}
	if text[0] == '{' && json.Valid([]byte(text)) {
		return json.RawMessage(text), nil
	}
	t, ok := box.Get(name)
	if !ok { // the call reports an unknown name
		return in.Raw(), nil
	}
	field, fields := textField(t.Spec().Input)
	if field == "" {
		return nil, fault.New(fault.ToolInput, "%s needs a JSON object as input, but the input is plain text", name).
			Hinting("write the input as JSON, with the fields %s", listOr(fields, "that it takes"))
	}
	var out bytes.Buffer
	key, value := quote(field), quote(in.Text)
	out.WriteString("{")
	out.Write(key)
	out.WriteString(":")
	out.Write(value)
	out.WriteString("}")
	return out.Bytes(), nil
}

// textField returns the field of an object schema that a plain text goes to: the one
// called input, or the only required one, or the only one, if it is a string. all are
// the names of all fields.
func textField(schema json.RawMessage) (field string, all []string) {
	var s struct {
		Properties map[string]struct {
			Type any `json:"type"`
		} `json:"properties"`
		Required []string `json:"required"`
	}
	if json.Unmarshal(schema, &s) != nil {
		return "", nil
	}
	all = slices.Sorted(maps.Keys(s.Properties))
	_, named := s.Properties["input"]
	switch {
	case named:
		field = "input"
	case len(s.Required) == 1:
		field = s.Required[0]
	case len(all) == 1 && len(s.Required) == 0:
		field = all[0]
	default:
		return "", all
	}
	if p, ok := s.Properties[field]; !ok || p.Type != "string" {
		return "", all
	}
	return field, all
}

// callTool runs one tool of the worker for a person, as the root call. Its time limit
// is that of a worker, because it stands in the place of one.
func (s *Session) callTool(ctx context.Context, name string, args json.RawMessage, in Input) Result {
	s.beginRun(in)
	s.run.toolbox.begin()
	if k := s.tree.replay; k == nil {
		keepInput(s.tree.r.Keeping.Journal, s.run.conversation.Calls, in)
	} else {
		s.tree.staging.resume(&s.run.place)
		if k.kept.Taint {
			s.tree.taint.mark(s.run.event(nil), beforeResume)
		}
	}
	limited, stop := s.tree.clock.timeout(ctx, s.run.worker.Limits.WorkerTimeout, "tool "+name)
	defer stop()
	var f *fault.Fault
	s.out, f = s.run.call(limited, callRequest{id: rootID, name: name, args: tool.ReadArguments(args)})
	if f != nil {
		s.err = f
	}
	s.tree.staging.close(ctx, &s.run.place)
	s.keepDone()
	res := s.result()
	s.tree.staging.announce(&s.run.place)
	s.run.close()
	s.run.emit(endOf(res, s.tree.r.Project.Trees.Opened(), s.tree.r.now().Sub(s.started).Milliseconds()))
	return res
}
