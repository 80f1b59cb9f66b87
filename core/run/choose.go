package run

import (
	"context"
	"maps"

	"golem/core/config"
	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/model"
	"golem/core/trace"
)

// fromChat is the origin, in the trace and in errors, of a model that was chosen in a chat.
const fromChat = "/model"

// UseModel makes every worker of the session use the named model from its next request
// on, as --model would. It returns an error, and the session keeps the model it had, if
// the model cannot be opened, compatible_models does not admit it, or nobody trusts its
// provider. Before the first message, trust is not checked yet: the first message asks
// for it. The choice is kept with the conversation.
func (s *Session) UseModel(ctx context.Context, name string) error {
	if err := choose(ctx, s, name); err != nil {
		return err
	}
	s.tree.r.Keeping.Journal.Add(conversation.Entry{T: conversation.ModelEntry, Text: name})
	if s.begun {
		s.run.emit(trace.Message{Role: "user", Text: "/model " + name})
	}
	return nil
}

// chooseKept chooses the model that the person chose in the conversation that is resumed,
// unless the command line names one. If it cannot be used now, it returns a warning, and the
// model is that of the files.
func chooseKept(ctx context.Context, s *Session, name string) *trace.Warning {
	if name == "" || s.run.worker.Origins["model"] == config.CommandLine {
		return nil
	}
	err := choose(ctx, s, name)
	if err == nil {
		return nil
	}
	f := fault.Of(err, fault.Model)
	return &trace.Warning{Code: f.Code, Message: "the model " + name + " of this conversation cannot be used now: " + f.Text()}
}

// choose does what UseModel does, without keeping it.
func choose(ctx context.Context, s *Session, name string) error {
	f, before := s.run, s.tree.models.chosen
	w := *f.worker
	w.Model, w.Fallbacks, w.ModelIsLast = name, nil, false
	w.Origins = map[string]string{}
	maps.Copy(w.Origins, f.worker.Origins)
	w.Origins["model"] = config.CommandLine // a person names it: a script is read from the person's current directory
	s.tree.models.chosen = &w
	open, was := f.model, f.conversation.Name
	var err error
	if s.begun {
		err = f.openModel(ctx)
	} else { // the first message opens it and asks for trust
		f.model = nil
		if err = f.worker.FitsModel(name, fromChat); err == nil {
			var m model.Model
			if m, err = s.tree.r.Models.Open(ctx, &w); err == nil {
				err = fitsRecorded(f.worker, name, m)
			}
		}
		if err != nil && fault.Of(err, fault.Model).Code == fault.Trust {
			err = nil
		}
	}
	if err != nil {
		s.tree.models.chosen, f.model = before, open
		return err
	}
	if open != nil {
		model.Forget(open, was)
	}
	return nil
}

// Model returns the name of the model that the next request goes to; "" if there is none.
func (s *Session) Model() string {
	if by, _ := s.tree.models.choice(&s.run.place); by != nil {
		return by.Model
	}
	return ""
}

// Set changes settings of the models for the rest of the session, as --set would. A
// null value removes what an earlier Set changed.
func (s *Session) Set(changes model.Settings) error {
	t := &s.tree.models
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
			s.run.emit(trace.Message{Role: "user", Text: "/set " + name + "=" + string(value)})
		}
	}
	_, err := s.Settings()
	return err
}

// Settings returns the settings of the next request, by name.
func (s *Session) Settings() (model.Settings, error) {
	own, err := s.tree.models.settingsOf(&s.run.place)
	if err == nil {
		s.run.settings = own
	}
	return s.run.settings, err
}

// ID returns the name of the kept conversation; "" if it is not kept.
func (s *Session) ID() string {
	if j := s.tree.r.Keeping.Journal; j != nil {
		return j.ID
	}
	return ""
}

// Answer returns the last answer as text; "" if the last exchange had none.
func (s *Session) Answer() string { return s.out.String() }

// Spent returns the usage of the session so far.
func (s *Session) Spent() trace.Usage { return usage(s.run.budget.spent()) }

// Context returns about how many tokens the next request has, and how many it may have;
// 0 if that is not known.
func (s *Session) Context() (tokens, limit int) {
	f := s.run
	if limit = f.worker.MaxContextTokens; f.model != nil {
		limit, _, _ = requestLimit(f.worker, f.model)
	}
	return f.nextSize(), limit
}

// Attach adds files to the next message.
func (s *Session) Attach(files ...File) { s.attached = append(s.attached, files...) }

// Attached returns the files that go with the next message.
func (s *Session) Attached() []File { return s.attached }
