package project

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"golem/core/fault"
)

// laterToolsets are known names without tools in this version.
var laterToolsets = []string{"clearance"}

// toolsetFaults holds the worker's toolsets against what a platform has. seen,
// if given, keeps faults that stand in the manifest from being told once per
// worker.
func (p *Project) toolsetFaults(l *loaded, platform string, seen map[string]bool) fault.List {
	var faults fault.List
	all := l.eff.get("toolsets")
	if all == nil {
		return nil
	}
	for _, f := range all.fields {
		if f.value.kind != dict {
			continue
		}
		bad := p.toolsetFault(f, platform)
		if bad == nil {
			bad = p.optionFault(f)
		}
		if bad == nil || seen[bad.Error()] {
			continue
		}
		if seen != nil {
			seen[bad.Error()] = true
		}
		faults = append(faults, bad)
	}
	return faults
}

func (p *Project) toolsetFault(f field, platform string) *fault.Fault {
	on, limited := p.src.PlatformToolsets[f.name]
	here := slices.Contains(p.src.Toolsets, f.name)
	switch {
	case limited && !slices.Contains(on, platform):
		places := slices.Sorted(slices.Values(on))
		return f.at.fault(fault.Platform, "toolset %s is not on platform %s, only on %s", quoted(f.name), quoted(platform), strings.Join(places, ", ")).
			Hinting("remove it, or run the project where it is")
	case here, limited:
		return nil
	case slices.Contains(laterToolsets, f.name):
		return f.at.fault(fault.Config, "toolsets.%s: not in this version", f.name).Hinting("remove it, or wait for the version that has it")
	case p.src.Toolsets == nil:
		return nil
	}
	hint := fault.DidYouMean(f.name, p.src.Toolsets)
	if ours := foreignToolsets[snake(f.name)]; slices.Contains(p.src.Toolsets, ours) {
		hint = "did you mean " + ours
	}
	return f.at.fault(fault.Config, "unknown toolset %s", quoted(f.name)).Hinting("%s", hint)
}

var quotedWord = regexp.MustCompile(`"([^"]{1,256})"|field \S*?\.?([A-Za-z0-9_-]+) of type`)

// optionFault lets the toolset's factory judge the options, and points at the
// key that its error quotes.
func (p *Project) optionFault(f field) *fault.Fault {
	if p.src.CheckToolset == nil || p.src.Toolsets != nil && !slices.Contains(p.src.Toolsets, f.name) {
		return nil // a toolset of another platform: its factory is not here
	}
	options, err := f.value.with("approval", nil).json()
	if err != nil {
		options = json.RawMessage("{}")
	}
	err = p.src.CheckToolset(f.name, options)
	if err == nil {
		return nil
	}
	bad := fault.Of(err, fault.Config)
	where := f.at
	for _, m := range quotedWord.FindAllStringSubmatch(bad.Message, -1) {
		if key := f.value.keyNamed(m[1]+m[2], 0); key.line > 0 {
			where = key
			break
		}
	}
	return bad.At(where.file, where.line, where.column)
}

// keyNamed finds a key anywhere in a value.
func (n *node) keyNamed(name string, depth int) at {
	if depth > maxDepth {
		return at{}
	}
	for _, f := range n.fields {
		if f.name == name {
			return f.at
		}
	}
	for _, f := range n.fields {
		if found := f.value.keyNamed(name, depth+1); found.line > 0 {
			return found
		}
	}
	for _, item := range n.items {
		if found := item.keyNamed(name, depth+1); found.line > 0 {
			return found
		}
	}
	return at{}
}
