package project

import (
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"
	"sync"

	"golem/core/config"
	"golem/core/fault"
	"golem/core/yamltree"
)

// ToolsetFaults returns what is wrong with the toolsets of a worker on a platform.
func (ws *Workers) ToolsetFaults(l *Loaded, platform string) fault.List {
	var faults fault.List
	all := l.Keys.Get("toolsets")
	if all == nil {
		return nil
	}
	for _, f := range all.Fields {
		if f.Value.Kind != yamltree.Mapping {
			continue
		}
		found := ws.setup.Platform.serverFaults(f, platform)
		if bad := ws.toolsetFault(f, platform); bad != nil {
			found = fault.List{bad}
		} else if ws.misread(l, f) {
			continue // its options are not those of the file
		} else {
			found = append(found, ws.setup.Platform.optionFaults(f)...)
		}
		faults = append(faults, found...)
	}
	return faults
}

// misread reports whether a part of a toolset's options has a fault already, and was
// therefore left out.
func (ws *Workers) misread(l *Loaded, set yamltree.Field) bool {
	return slices.ContainsFunc(slices.Concat(ws.faults, l.Own), func(f *fault.Fault) bool {
		keys := ws.keysAt(l, f)
		return f.Severity != fault.Warning && len(keys) > 1 && keys[0] == "toolsets" && keys[1] == set.Name
	})
}

func (ws *Workers) toolsetFault(f yamltree.Field, platform string) *fault.Fault {
	on, limited := ws.setup.Platform.Limited[f.Name]
	here := slices.Contains(ws.setup.Platform.Toolsets, f.Name)
	switch {
	case limited && !slices.Contains(on, platform):
		places := slices.Sorted(slices.Values(on))
		return f.Pos.Fault(fault.Platform, "the toolset %s does not exist on platform %s, only on %s", fault.Quoted(f.Name), fault.Quoted(platform), strings.Join(places, ", ")).
			Hinting("remove it, or run the project on a platform that has it")
	case here, limited:
		return nil
	case ws.setup.Platform.Toolsets == nil:
		return nil
	}
	return f.Pos.Fault(fault.Config, "unknown toolset %s", fault.Quoted(f.Name)).Hinting("%s", ws.foreignToolset(f.Name))
}

var quotedWord = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"([^"]{1,256})"|field \S*?\.?([A-Za-z0-9_-]+) of type`)
})

// optionFaults returns the errors of a toolset's factory about the options, each at the
// position of the key that it quotes.
func (pl Platform) optionFaults(f yamltree.Field) (out fault.List) {
	if pl.Options == nil || pl.Toolsets != nil && !slices.Contains(pl.Toolsets, f.Name) {
		return nil // a toolset of another platform: its factory is not here
	}
	options, err := f.Value.With("approval", nil).JSON()
	if err != nil {
		options = json.RawMessage("{}")
	}
	err = pl.Options.Check(f.Name, options)
	var all fault.List
	if err != nil && !errors.As(err, &all) {
		all = fault.List{fault.Of(err, fault.Config)}
	}
	for _, bad := range all {
		out = append(out, atQuoted(f, bad))
	}
	return out
}

// atQuoted returns an error about a toolset's options at the position of the key that it
// quotes.
func atQuoted(f yamltree.Field, bad *fault.Fault) *fault.Fault {
	where := f.Pos
	for _, m := range quotedWord().FindAllStringSubmatch(bad.Message, -1) {
		if key := f.Value.KeyNamed(m[1]+m[2], 0); key.Line > 0 {
			where = key
			if instead := config.ForeignOptions[m[1]+m[2]]; instead != "" {
				bad = bad.Hinting("write %s", instead)
			}
			break
		}
	}
	return bad.At(where.File, where.Line, where.Column)
}

// foreignToolset returns the hint for a toolset that golem does not have. llm-do lists
// workers, and the tools of Python modules, among the toolsets.
func (ws *Workers) foreignToolset(name string) string {
	for _, ref := range []string{name, "./" + name} {
		if l, f := ws.names.Resolve("", ref, false); f == nil {
			return "it is a worker: write allow_workers: [" + l.asReference(ref) + "]"
		}
	}
	if ours := config.ForeignToolsets[yamltree.Snake(name)]; slices.Contains(ws.setup.Platform.Toolsets, ours) {
		return "did you mean " + ours
	}
	if strings.HasSuffix(name, "_tools") {
		return "for the tools of a module write custom: {}"
	}
	return fault.DidYouMean(name, ws.setup.Platform.Toolsets)
}
