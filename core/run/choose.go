package run

import (
	"context"
	"encoding/json"
	"maps"

	"golem/core/fault"
	"golem/core/model"
	"golem/core/project"
	"golem/core/trace"
)

// fromChat is the origin, in the trace and in errors, of a model that was chosen in a chat.
const fromChat = "/model"

// UseModel makes every worker of the session use the named model from its next request
// on, as --model would. It returns an error, and the session keeps the model it had, if
// the model cannot be opened, compatible_models does not admit it, or nobody trusts its
// provider. Before the first message, trust is not checked yet: the first message asks
// for it.
func (s *Session) UseModel(ctx context.Context, name string) error {
	f, before := s.frame, s.tree.chosen
	w := *f.worker
	w.Model, w.Fallbacks, w.ModelIsLast = name, nil, false
	w.Origins = map[string]string{}
	maps.Copy(w.Origins, f.worker.Origins)
	w.Origins["model"] = project.CommandLine // a person names it: a script is read from the person's current directory
	s.tree.chosen = &w
	open, was := f.model, f.conversation.Name
	var err error
	if s.begun {
		err = f.openModel(ctx)
	} else { // the first message opens it and asks for trust
		f.model = nil
		if err = f.worker.FitsModel(name, fromChat); err == nil {
			var m model.Model
			if m, err = s.r.Model(ctx, &w); err == nil {
				err = fitsRecorded(f.worker, name, m)
			}
		}
		if err != nil && fault.Of(err, fault.Model).Code == fault.Trust {
			err = nil
		}
	}
	if err != nil {
		s.tree.chosen, f.model = before, open
		return err
	}
	if open != nil {
		model.Forget(open, was)
	}
	if s.begun {
		f.emit(trace.Message{Role: "user", Text: "/model " + name})
	}
	return nil
}

// Model returns the name of the model that the next request goes to; "" if there is none.
func (s *Session) Model() string {
	if by, _ := s.frame.modelChoice(); by != nil {
		return by.Model
	}
	return ""
}

// Set changes settings of the models for the rest of the session, as --set would. A
// null value removes what an earlier Set changed.
func (s *Session) Set(changes model.Settings) error {
	t := s.tree
	if t.settings == nil {
		t.settings = model.Settings{}
	}
	for name, value := range changes {
		if string(value) == "null" {
			delete(t.settings, name)
		} else {
			t.settings[name] = value
		}
		if s.begun {
			s.frame.emit(trace.Message{Role: "user", Text: "/set " + name + "=" + string(value)})
		}
	}
	return s.frame.readSettings()
}

// Settings returns the settings of the next request, by name.
func (s *Session) Settings() (model.Settings, error) {
	err := s.frame.readSettings()
	return s.frame.modelSettings, err
}

// readSettings sets modelSettings to the worker's settings, with those that the person
// set in the chat over them.
func (f *frame) readSettings() error {
	own, err := model.ReadSettings(f.worker.ModelSettings)
	if err != nil {
		return fault.Of(err, fault.Config).InChain(f.chain)
	}
	if own == nil && len(f.tree.settings) > 0 {
		own = map[string]json.RawMessage{}
	}
	maps.Copy(own, f.tree.settings)
	f.modelSettings = own
	return nil
}

// ID returns the name of the kept conversation; "" if it is not kept.
func (s *Session) ID() string {
	if s.r.Journal == nil {
		return ""
	}
	return s.r.Journal.ID
}

// Answer returns the last answer as text; "" if the last exchange had none.
func (s *Session) Answer() string { return s.out.String() }

// Spent returns the usage of the session so far.
func (s *Session) Spent() trace.Usage { return usage(s.frame.budget.spent()) }

// Context returns about how many tokens the next request has, and how many it may have;
// 0 if that is not known.
func (s *Session) Context() (tokens, limit int) {
	f := s.frame
	if limit = f.worker.MaxContextTokens; f.model != nil {
		limit, _, _ = f.room()
	}
	return f.size.Request(f.conversation.Messages, f.offered(), f.output), limit
}

// Attach adds files to the next message.
func (s *Session) Attach(files ...File) { s.attached = append(s.attached, files...) }

// Attached returns the files that go with the next message.
func (s *Session) Attached() []File { return s.attached }
