package project

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/yamltree"
)

// toolsetFaults returns what is wrong with the toolsets of a worker on a platform.
func (p *Project) toolsetFaults(l *loaded, platform string) fault.List {
	var faults fault.List
	all := l.eff.Get("toolsets")
	if all == nil {
		return nil
	}
	for _, f := range all.Fields {
		if f.Value.Kind != yamltree.Mapping {
			continue
		}
		found := p.serverFaults(f, platform)
		if bad := p.toolsetFault(f, platform); bad != nil {
			found = fault.List{bad}
		} else if p.misread(l, f) {
			continue // its options are not those of the file
		} else if bad := p.optionFault(f); bad != nil {
			found = append(found, bad)
		}
		faults = append(faults, found...)
	}
	return faults
}

// misread reports whether a part of a toolset's options has a fault already, and was
// therefore left out.
func (p *Project) misread(l *loaded, set yamltree.Field) bool {
	return slices.ContainsFunc(slices.Concat(p.faults, l.own), func(f *fault.Fault) bool {
		keys := p.keysAt(l, f)
		return f.Severity != fault.Warning && len(keys) > 1 && keys[0] == "toolsets" && keys[1] == set.Name
	})
}

func (p *Project) toolsetFault(f yamltree.Field, platform string) *fault.Fault {
	on, limited := p.src.PlatformToolsets[f.Name]
	here := slices.Contains(p.src.Toolsets, f.Name)
	switch {
	case limited && !slices.Contains(on, platform):
		places := slices.Sorted(slices.Values(on))
		return f.Pos.Fault(fault.Platform, "the toolset %s does not exist on platform %s, only on %s", fault.Quoted(f.Name), fault.Quoted(platform), strings.Join(places, ", ")).
			Hinting("remove it, or run the project on a platform that has it")
	case here, limited:
		return nil
	case p.src.Toolsets == nil:
		return nil
	}
	if instead, later := laterToolsets[f.Name]; later {
		return f.Pos.Fault(fault.Config, "toolsets.%s: not in this version", f.Name).Hinting("%s", instead)
	}
	return f.Pos.Fault(fault.Config, "unknown toolset %s", fault.Quoted(f.Name)).Hinting("%s", p.foreignToolset(f.Name))
}

var quotedWord = regexp.MustCompile(`"([^"]{1,256})"|field \S*?\.?([A-Za-z0-9_-]+) of type`)

// optionFault returns the error of a toolset's factory about the options, at the
// position of the key that the error quotes.
func (p *Project) optionFault(f yamltree.Field) *fault.Fault {
	if p.src.CheckToolset == nil || p.src.Toolsets != nil && !slices.Contains(p.src.Toolsets, f.Name) {
		return nil // a toolset of another platform: its factory is not here
	}
	options, err := f.Value.With("approval", nil).JSON()
	if err != nil {
		options = json.RawMessage("{}")
	}
	err = p.src.CheckToolset(f.Name, options)
	if err == nil {
		return nil
	}
	bad := fault.Of(err, fault.Config)
	where := f.Pos
	for _, m := range quotedWord.FindAllStringSubmatch(bad.Message, -1) {
		if key := f.Value.KeyNamed(m[1]+m[2], 0); key.Line > 0 {
			where = key
			if instead := foreignOptions[m[1]+m[2]]; instead != "" {
				bad = bad.Hinting("write %s", instead)
			}
			break
		}
	}
	return bad.At(where.File, where.Line, where.Column)
}
