package model

import (
	"context"
	"net/http"
	"sync"

	"golem/core/fault"
)

// WithFallback returns a model that asks the given models in order: if one is
// overloaded, cannot be reached, or fails before its answer begins, it asks the
// next, and stays with that one. tell is called at each change, in the caller's
// goroutine. Each given model should already be wrapped by WithRetry.
func WithFallback(models []Model, tell func(from, to Model, why *fault.Fault)) Model {
	if len(models) == 1 {
		return models[0]
	}
	return &fallback{models: models, tell: tell}
}

type fallback struct {
	models []Model
	tell   func(from, to Model, why *fault.Fault)

	mu sync.Mutex
	at int // index of the model that is asked
}

var _ Model = (*fallback)(nil)

// Name returns the name of the model that is asked.
func (f *fallback) Name() string { return f.current().Name() }

func (f *fallback) current() Model {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.models[f.at]
}

func (f *fallback) unwrap() Model { return f.current() }

// Generate asks the models in order, from the one that answered last.
func (f *fallback) Generate(ctx context.Context, r Request, show func(Delta)) (Turn, error) {
	var lost Usage // the usage of the models that gave no answer
	for {
		f.mu.Lock()
		at := f.at
		f.mu.Unlock()
		shown, thought := false, false
		turn, err := f.models[at].Generate(ctx, r, func(d Delta) {
			if thought = !d.Reset && (thought || d.Reasoning != ""); d.Reasoning == "" {
				shown = !d.Reset
			}
			if show != nil {
				show(d)
			}
		})
		if err == nil || at+1 == len(f.models) || shown || ctx.Err() != nil || !anotherMayHelp(err) {
			turn.Usage = lost.Add(turn.Usage)
			if turn.Model == "" && turn.Usage != (Usage{}) { // it is paid for, although the last model gave no answer
				turn.Model = f.models[at].Name()
			}
			return turn, err
		}
		lost = lost.Add(turn.Usage)
		if thought && show != nil { // the next model reasons anew
			show(Delta{Reset: true})
		}
		f.mu.Lock()
		f.at = max(f.at, at+1)
		f.mu.Unlock()
		f.tell(f.models[at], f.models[at+1], fault.Of(err, fault.Model))
		r.fellBack = true
	}
}

// anotherMayHelp reports whether another model may do what this one failed to do.
func anotherMayHelp(err error) bool {
	f := failureOf(err)
	return f != nil && (f.retry || f.status == http.StatusNotFound || f.status == http.StatusGone)
}

// modelsOf returns the models of a fallback, which may be inside decorators. For any other
// model it returns that model without its decorators.
func modelsOf(m Model) []Model {
	for {
		if f, ok := m.(*fallback); ok {
			return f.models
		}
		w, ok := m.(interface{ unwrap() Model })
		if !ok {
			return []Model{m}
		}
		m = w.unwrap()
	}
}
