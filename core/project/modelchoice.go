package project

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"golem/core/config"
	"golem/core/fault"
	"golem/core/yamltree"
)

// model chooses the model by the precedence of SPEC §3: command line, worker file,
// environment, manifest, person's config. There is no default (S1-74).
func (b *built) model() {
	names, origin, where, found := b.models()
	if !found {
		b.w.Origins["model"] = "default"
		return
	}
	b.w.Model, b.w.Fallbacks, b.w.Origins["model"] = names[0], names[1:], origin
	if b.ws.trees.TreeOf(b.d.Location).Bare && origin != config.CommandLine {
		b.w.ModelIsLast = true
	}
	for _, name := range names {
		if p := config.ModelProblem(name); p != "" {
			b.add(Placed(where, fault.New(fault.Model, "model from %s: %s", origin, p).Hinting("%s", config.ModelHint(name))))
			return
		}
		if patterns := b.d.Node.Get("compatible_models"); patterns != nil && !b.w.ModelIsLast {
			if f := b.w.Unfit(name, origin); f != nil {
				b.add(Placed(patterns.Pos, f))
			}
		}
	}
}

// models returns the model names of the first place in that order that has any, at
// least one, with their origin and position.
func (b *built) models() (names []string, origin string, where yamltree.Pos, found bool) {
	fromEnv, variable := config.Variable(b.ws.setup.Env, "MODEL")
	own, project, person := b.d.Node.Get("model"), b.ws.trees.Own().Keys.Get("model"), b.ws.setup.Person.Get("model")
	switch {
	case b.ws.setup.Options.Model != "":
		return []string{b.ws.setup.Options.Model}, config.CommandLine, yamltree.Pos{}, true
	case len(own.Texts()) > 0:
		return own.Texts(), own.Pos.String(), own.Pos, true
	case fromEnv != "":
		return []string{fromEnv}, "environment " + variable, yamltree.Pos{}, true
	case len(project.Texts()) > 0:
		return project.Texts(), project.Pos.String(), project.Pos, true
	case len(person.Texts()) > 0:
		b.w.ModelIsLast = true
		return person.Texts(), person.Pos.String(), person.Pos, true
	}
	return nil, "", yamltree.Pos{}, false
}

// Models returns the worker once for each of its models, in the order in which they are
// used: first w itself, then a copy for each of its Fallbacks. For a worker without a
// model, it returns only w.
func (w *Worker) Models() []*Worker {
	out := []*Worker{w}
	for _, name := range w.Fallbacks {
		one := *w
		one.Model, one.Fallbacks = name, nil
		out = append(out, &one)
	}
	return out
}

// Unfit returns a fault if compatible_models do not allow a model. A script is no
// language model and fits always. So does a recording here: it is judged by the model
// that it names, once it is read.
func (w *Worker) Unfit(name, origin string) *fault.Fault {
	provider, _, _ := strings.Cut(name, ":")
	if w.CompatibleModels == nil || provider == "script" || provider == "replay" || matchesAny(w.CompatibleModels, name) {
		return nil
	}
	return fault.New(fault.Model, "model %s (%s) is not among this worker's compatible_models: %s",
		fault.Quoted(name), origin, strings.Join(w.CompatibleModels, ", ")).
		Hinting("choose a matching model with --model or model:").InPage("", "choose a matching model")
}

// FitsModel returns an error if compatible_models do not allow the worker to run with a
// model: its caller's, one chosen in a chat, or the one that a recording names. origin
// says in the message where the model was set.
func (w *Worker) FitsModel(name, origin string) error {
	if f := w.Unfit(name, origin); f != nil {
		return f.At(w.File, 0, 0)
	}
	return nil
}

// ModelWarnings returns a warning for each of a worker's compatible_models that no model
// can match; known has all that the name of a model can begin with. golem check calls it an
// error.
func (ws *Workers) ModelWarnings(w *Worker, known []string) fault.List {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	got := w.loaded
	if got == nil || got.Definition == nil {
		return nil
	}
	out := StrangePatterns(got, known)
	for _, f := range out {
		f.Severity = fault.Warning
	}
	return out
}

// StrangePatterns returns a fault for each of a worker's compatible_models whose
// provider is not known.
func StrangePatterns(got *Loaded, known []string) fault.List {
	patterns := got.Definition.Node.Get("compatible_models")
	if patterns == nil {
		return nil
	}
	var out fault.List
	for _, item := range patterns.Items {
		provider, rest, ok := strings.Cut(item.Text, ":")
		switch {
		case !ok && !strings.ContainsAny(item.Text, "*?[{"):
			out = append(out, item.Pos.Fault(fault.Model, "no model matches %s in compatible_models: it has no provider", fault.Quoted(item.Text)).Hinting("%s", config.ModelHint(item.Text)))
		case !ok || strings.ContainsAny(provider, "{[") && !strings.ContainsAny(provider, "}]"):
		case !slices.ContainsFunc(known, func(name string) bool { return matchesAny([]string{provider}, name) }):
			f := item.Pos.Fault(fault.Model, "no model matches %s in compatible_models: there is no provider %s", fault.Quoted(item.Text), fault.Quoted(provider))
			if ours := config.OtherProviders[strings.ToLower(provider)]; ours != "" {
				out = append(out, f.Hinting("write %s", fault.Brief(ours+":"+rest)))
			} else {
				out = append(out, f.Hinting("%s", fault.DidYouMean(provider, known)))
			}
		}
	}
	return out
}

// Placed gives a fault a position, if there is one: the value of a flag has none.
func Placed(a yamltree.Pos, f *fault.Fault) *fault.Fault {
	if a.File == "" {
		return f
	}
	return f.At(a.File, a.Line, a.Column)
}

// matchesAny reports whether one of the patterns matches a model. Case does not count,
// and * also matches slashes.
func matchesAny(globs []string, model string) bool {
	flat := func(s string) string { return strings.ReplaceAll(strings.ToLower(s), "/", "\x01") }
	for _, g := range globs {
		if ok, err := doublestar.Match(flat(g), flat(model)); err == nil && ok {
			return true
		}
	}
	return false
}

// NeedModel returns an error if the worker has no model and needs one; an entry that
// is a tool needs none. Call it before a run: for a check this is a
// warning, because a project may leave the choice to whoever runs it.
func (w *Worker) NeedModel() error {
	if w.Model != "" || w.Tool != "" {
		return nil
	}
	return fault.New(fault.Model, "no model for worker %s: none of --model, %s, GOLEM_MODEL, the manifest, your config.yaml and a caller names one", fault.Quoted(w.ID), w.File).
		Hinting("golem login chooses your default and keeps its key; --model openai:gpt-5-mini is for one run").At(w.File, 1, 1).
		InPage(fmt.Sprintf("no model for worker %s: none is chosen here, and %s, the project and your configuration name none", fault.Quoted(w.ID), w.File), "choose a model")
}
