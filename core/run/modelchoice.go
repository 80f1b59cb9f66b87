package run

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"

	"golem/core/fault"
	"golem/core/model"
	"golem/core/project"
	"golem/core/trace"
)

// models are the models of a tree, with the person's choices in the chat between two
// exchanges. Each model is opened once, because scripts have a position.
type models struct {
	models   Models
	trust    Trust
	opened   onces[model.Model]
	chosen   *project.Worker // the root worker with the chosen model; nil: the files decide
	settings model.Settings  // they replace the workers' own
}

// choice returns the worker whose configuration names the model of a worker run: the one
// with the person's choice, else the worker itself, else the nearest caller that names one
// (SPEC §5); nil if none does. from is the origin for the trace.
func (m *models) choice(p *place) (by *project.Worker, from string) {
	if m.chosen != nil {
		return m.chosen, fromChat
	}
	for n := p; n != nil; n = n.caller {
		if n.worker.Model == "" || n.caller != nil && n.worker.ModelIsLast {
			continue
		}
		if n == p {
			return n.worker, n.worker.Origins["model"]
		}
		return n.worker, "caller " + n.worker.ID
	}
	return nil, ""
}

// settingsOf returns a worker's settings, with those that the person chose over them.
func (m *models) settingsOf(p *place) (model.Settings, error) {
	own, err := model.ReadSettings(p.worker.ModelSettings)
	if err != nil {
		return nil, fault.Of(err, fault.Config).InChain(p.chain)
	}
	if own == nil && len(m.settings) > 0 {
		own = map[string]json.RawMessage{}
	}
	maps.Copy(own, m.settings)
	return own, nil
}

// open returns the model of a worker run, with its fallbacks and retries. It is called
// before anything is spent, so that a missing key or a wrong name fails first.
func (m *models) open(ctx context.Context, p *place, by *project.Worker, ask Asker) (model.Model, error) {
	if m.trust != nil {
		if err := m.trust.Settings(ctx, p.worker, ask); err != nil {
			return nil, err
		}
	}
	var all []model.Model
	for _, one := range by.Models() {
		opened, err := m.shared(ctx, one, ask)
		if err == nil {
			err = fitsRecorded(p.worker, one.Model, opened)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, model.WithRetry(opened, model.RetryPolicy{Attempts: m.attempts(p.worker.Retry), Patient: accountOf(m.models) != nil && len(by.Models()) == 1}, func(r model.Retry) {
			p.emit(trace.Retry{Turn: r.Turn, Attempt: r.Attempt, Code: r.Code, Message: r.Message, WaitMS: r.Wait.Milliseconds()})
		}))
	}
	return model.WithFallback(all, func(from, to model.Model, why *fault.Fault) {
		p.emit(trace.Warning{Code: fault.Model, Message: fmt.Sprintf("%s answers instead of %s: %s", to.Name(), from.Name(), why.Message)})
	}), nil
}

// shared opens a model once for the whole tree. A script's name is opened once for each
// origin, which decides where the script is read.
func (m *models) shared(ctx context.Context, w *project.Worker, ask Asker) (model.Model, error) {
	return m.opened.get(ctx, w.Model+"\x00"+w.Origins["model"], true, func() (model.Model, error) {
		if m.trust != nil {
			if err := m.trust.Model(ctx, w, ask); err != nil {
				return nil, err
			}
		}
		return m.models.Open(ctx, w)
	})
}

// fitsRecorded returns an error if m is a recording of a model that the worker's
// compatible_models do not allow.
func fitsRecorded(w *project.Worker, name string, m model.Model) error {
	if recorded := model.Recorded(m); recorded != "" {
		return w.FitsModel(recorded, "recorded in "+name)
	}
	return nil
}
