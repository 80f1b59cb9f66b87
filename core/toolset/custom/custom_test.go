package custom_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"golem/core/approval"
	"golem/core/coretest"
	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/tool"
	"golem/core/toolset"
	"golem/core/toolset/custom"
	"golem/core/wasmtool"
)

// undescribed, as the sidecar, makes a module without any description.
const undescribed = "-"

// module returns a module with the code of a fixture. Its description is the text
// sidecar; "": the one inside the fixture.
func module(t interface{ Fatal(...any) }, path string, level int, fixture, sidecar string) custom.Module {
	data, err := coretest.Fixture(fixture, sidecar == "")
	if err != nil {
		t.Fatal(err)
	}
	file := wasmtool.MemoryFile{Module: data}
	if sidecar != "" && sidecar != undescribed {
		file.Description = []byte(sidecar)
	}
	return custom.Module{
		Path: path, Stem: strings.TrimSuffix(path[strings.LastIndex(path, "/")+1:], ".wasm"), Level: level, File: file,
	}
}

// open opens the toolset for a worker with these options.
func open(options string, found custom.Discovery, network bool) (tool.Toolset, error) {
	library := func() (*wasmtool.Library, error) { return &wasmtool.Library{}, nil }
	factory := custom.Toolset(custom.NewCache(library), found)
	env := toolset.Env{Worker: "main", Files: sandbox.Memory(), Network: network}
	return toolset.NewRegistry(factory).Open(context.Background(), "custom", json.RawMessage(options), env)
}

// specs returns the Specs of the tools that the toolset offers, by name.
func specs(t interface{ Fatal(...any) }, options string, found custom.Discovery) map[string]tool.Spec {
	set, err := open(options, found, false)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]tool.Spec{}
	for _, tl := range set.Tools() {
		out[tl.Spec().Name] = tl.Spec()
	}
	if err := set.Close(); err != nil {
		t.Fatal(err)
	}
	return out
}

// Only the nearest module of a name gets the grants for it. Neither a grant nor what a
// module says of itself makes golem less strict with a tool.
func TestGrantsAndSpecs(t *testing.T) {
	modules := []custom.Module{
		module(t, "workers/w/tools/math.wasm", 0, "add_v2", ""), module(t, "tools/math.wasm", 1, "mul", ""),
		module(t, "tools/forge.wasm", 1, "forge", ""), module(t, "tools/count.wasm", 1, "counter", ""),
	}
	found := custom.Discovery{Modules: modules}
	got := specs(t, `{"tools": ["add", "mul", "net", "claims", "count"], "modules": {"math": {"fs": true, "timeout": "2m"}, "count": {"stateful": true, "timeout": 0}}}`, found)
	for name, want := range map[string]tool.Spec{
		"add":    {Timeout: 2 * time.Minute},
		"mul":    {Confined: true},
		"net":    {Network: true},
		"claims": {Confined: true},
		"count":  {Confined: true, Stateful: true, Timeout: -1},
	} {
		s := got[name]
		s = tool.Spec{Confined: s.Confined, Network: s.Network, Risk: s.Risk, Timeout: s.Timeout, Stateful: s.Stateful, Target: s.Target}
		if fmt.Sprintf("%+v", s) != fmt.Sprintf("%+v", want) {
			t.Errorf("%s: %+v, want %+v", name, s, want)
		}
	}
}

// A module's tool that provides a worker is approved like a call of that worker. The
// original tool is unchanged.
func TestModuleAsWorker(t *testing.T) {
	set, err := open("{}", custom.Discovery{Modules: []custom.Module{module(t, "tools/math.wasm", 1, "mul", "")}}, false)
	if err != nil {
		t.Fatal(err)
	}
	mul := set.Tools()[0]
	worker := custom.AsWorker(mul, "reports/mul")
	if s := worker.Spec(); s.Target != "reports/mul" || !slices.Equal(s.Rules, []string{"worker.call"}) || s.Name != "mul" || !s.Confined {
		t.Errorf("%+v", s)
	}
	if s := mul.Spec(); s.Target != "" || len(s.Rules) > 0 {
		t.Errorf("the module's own tool has changed: %+v", s)
	}
	if _, ok := worker.(tool.Identifier); !ok {
		t.Error("it does not tell its module's digest")
	}
	if err := set.Close(); err != nil {
		t.Fatal(err)
	}
}

// Each error names the tools and files involved.
func TestCustomRefuses(t *testing.T) {
	a, b := module(t, "tools/a.wasm", 1, "add_v1", ""), module(t, "tools/b.wasm", 1, "add_v2", "")
	locked := a
	locked.Locked = true
	changed := locked
	changed.Digest = strings.Repeat("0", 64)
	described := "tools: [{name: helper}]"
	for name, c := range map[string]struct {
		options string
		modules []custom.Module
		inert   bool
		want    string
	}{
		"two at one level": {"{}", []custom.Module{a, b}, false, "tools/a.wasm and tools/b.wasm both have a tool named add"},
		"misspelt":         {`{"tools": ["ad"]}`, []custom.Module{a}, false, "did you mean add"},
		"wrong option":     {`{"tool": ["add"]}`, []custom.Module{a}, false, "did you mean tools"},
		"built-in":         {"{}", []custom.Module{module(t, "tools/r.wasm", 1, "bare", "tools: [{name: read_result}]")}, false, "name of a built-in tool"},
		"no contract":      {"{}", []custom.Module{module(t, "tools/r.wasm", 1, "bare", undescribed)}, false, "it exports"},
		"not locked":       {"{}", []custom.Module{locked}, false, "is not in tools.lock: the file has sha256 "},
		"changed":          {"{}", []custom.Module{changed}, false, "tools.lock has sha256 0000"},
		"changed, checked": {"{}", []custom.Module{changed}, true, "tools.lock has sha256 0000"},
		"bad export":       {`{"tools": ["takes"]}`, []custom.Module{module(t, "tools/r.wasm", 1, "bare", described)}, false, "no module has such a tool"},
	} {
		_, err := open(c.options, custom.Discovery{Modules: c.modules, Inert: c.inert}, false)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	var warnings []string
	near := module(t, "workers/w/tools.wasm", 0, "add_v2", "")
	if _, err := open(`{"tools": ["nope"]}`, custom.Discovery{Modules: []custom.Module{near, a}}, false); err == nil || strings.Count(err.Error(), "add") != 1 {
		t.Errorf("a name that two modules have is offered twice: %v", err)
	}
	found := custom.Discovery{Modules: []custom.Module{near, a}, Worker: warning{to: func(f *fault.Fault) { warnings = append(warnings, f.Error()) }}}
	if got := specs(t, "{}", found); got["add"].Module != "workers/w/tools.wasm" || got["sub"].Module != "tools/a.wasm" || len(warnings) != 1 {
		t.Errorf("%v, warned %v", slices.Sorted(maps.Keys(got)), warnings)
	}
}

// strict orders settings by strictness.
var strict = map[approval.Setting]int{approval.PreApproved: 1, approval.Ask: 2, approval.Blocked: 3}

// What a module says of itself, and what it is granted, never makes its calls less
// strictly approved than those of a module that says nothing and has no grants.
func TestNothingMakesAModuleLessAsked(t *testing.T) {
	settings := []approval.Setting{"", approval.PreApproved, approval.Ask, approval.Blocked}
	rapid.Check(t, func(t *rapid.T) {
		say := func(claims bool) string {
			var b bytes.Buffer
			b.WriteString("tools: [{name: helper")
			if claims {
				if risk := rapid.SampledFrom([]string{"", "read", "write", "network", "destructive", "command"}).Draw(t, "risk"); risk != "" {
					b.WriteString(", risk: " + risk)
				}
				if word := rapid.SampledFrom([]string{"", "true", "false"}).Draw(t, "needs_approval"); word != "" {
					b.WriteString(", needs_approval: " + word)
				}
			}
			b.WriteString("}]")
			return b.String()
		}
		grants := rapid.SampledFrom([]string{
			"{}", `{"fs": true}`, `{"allowed_hosts": ["a.example"]}`, `{"config": {"k": "v"}}`, `{"stateful": true}`, `{"fuel": 1}`,
			`{"fs": true, "allowed_hosts": ["a.example"], "config": {"k": "v"}}`,
		}).Draw(t, "grants")
		network := rapid.Bool().Draw(t, "network")
		provides := rapid.Bool().Draw(t, "provides a worker")
		policy := approval.Policy{
			WorkerTools:    map[string]approval.Setting{rapid.SampledFrom([]string{"helper", "worker.call"}).Draw(t, "named"): rapid.SampledFrom(settings).Draw(t, "tool")},
			WorkerDefaults: map[string]approval.Setting{"custom": rapid.SampledFrom(settings).Draw(t, "toolset")},
			ProjectDefault: rapid.SampledFrom(settings).Draw(t, "default"),
		}
		g := approval.NewGate(approval.Interactive, nil)
		ask := func(sidecar, grants string) int {
			found := custom.Discovery{Modules: []custom.Module{module(t, "tools/m.wasm", 1, "bare", sidecar)}}
			set, err := open(`{"modules": {"m": `+grants+`}}`, found, network)
			if err != nil {
				t.Fatal(err)
			}
			helper := set.Tools()[0]
			if provides {
				helper = custom.AsWorker(helper, "helper")
			}
			s, rule := g.Setting(helper.Spec(), policy)
			if strict[s] == 0 {
				t.Fatal("no setting", rule)
			}
			return strict[s]
		}
		plain := ask(say(false), "{}")
		if claimed := ask(say(true), "{}"); claimed < plain {
			t.Fatalf("its own word made it %d from %d", claimed, plain)
		}
		if granted := ask(say(true), grants); granted < plain {
			t.Fatalf("grants made it %d from %d", granted, plain)
		}
	})
}

// warning is a worker whose warnings a function gets.
type warning struct {
	custom.Plain
	to func(*fault.Fault)
}

func (w warning) Warn(f *fault.Fault) { w.to(f) }

// Workers that are called at the same time open their toolsets from one factory.
func TestOneFactoryForWorkersBesideEachOther(t *testing.T) {
	registry := toolset.NewRegistry(custom.Toolset(nil, custom.Discovery{}))
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			set, err := registry.Open(context.Background(), "custom", nil, toolset.Env{Worker: "main", Files: sandbox.Memory()})
			if err != nil {
				t.Error(err)
				return
			}
			if err := set.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}
