package coretest_test

import (
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golem/core/coretest"
)

const caller = `A caller of slugify, whatever that is.
-- project/main.worker --
---
allow_workers: [slugify]
---
Name the file.
-- project/script.yaml --
script: 1
workers:
  main:
    - calls: [{tool: slugify, args: {title: "Hello World"}}]
    - when: {tool: slugify, match: "(.+)"}
      say: named $1
    - say: nothing came
  slugify:
    - {say: hello-world}
-- case.json --
{"inputs": ["x"], "quiet": true}
`

const slugWorker = `-- project/workers/slugify.worker --
---
description: Turns a title into a file name.
input_schema: {type: object, properties: {title: {type: string}}, required: [title], additionalProperties: false}
---
Slugify.
`

// inside matches the trace lines of the callee. standing matches what the trace says about
// whether a worker or a tool has the name, and which of its files were opened.
var (
	inside   = regexp.MustCompile(`(?m)^0\.1(\.\d+)* \S+ slugify .*\n`)
	standing = regexp.MustCompile(`"kind":"(wasm|worker)"|,"module":"[^"]*"|,"(tools/slug\.wasm|workers/slugify\.worker)"`)
)

// A caller that lists the name among its tools, with what it says about approval.
var lister = strings.Replace(caller, "allow_workers: [slugify]", "toolsets: {custom: {tools: [slugify], approval: {tools: {slugify: preApproved}}}}", 1)

// S3-24: for a caller, a worker and a tool of the same name and schema make no difference, in
// its messages and in its trace, whether it lists the name among the workers or among the tools.
func TestSwapWorkerForTool(t *testing.T) {
	for _, text := range []string{caller, lister} {
		swap(t, text)
	}
}

func swap(t *testing.T, caller string) {
	t.Helper()
	play := func(name, text string) coretest.Outcome {
		c, err := coretest.Parse(name, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		o := coretest.Run(t.Context(), c)
		for _, d := range coretest.Compare(c, o) {
			t.Errorf("%s: %s", name, d)
		}
		return o
	}
	worker := play("worker", caller+slugWorker)
	code := play("tool", strings.Replace(caller, "\n", "\nwasm: tools/slug.wasm = slugify\n", 1))
	if worker.Output != "named hello-world" || code.Output != worker.Output {
		t.Errorf("worker %q, tool %q", worker.Output, code.Output)
	}
	plain := func(o coretest.Outcome) string {
		return standing.ReplaceAllString(inside.ReplaceAllString(o.Trace, ""), "")
	}
	if plain(worker) != plain(code) {
		t.Errorf("the caller's traces differ: worker\n%s\ntool\n%s", plain(worker), plain(code))
	}
	own := func(o coretest.Outcome) (lines []string) {
		for l := range strings.Lines(o.Requests) {
			if strings.HasPrefix(l, "0 ") {
				lines = append(lines, l)
			}
		}
		return lines
	}
	if a, b := strings.Join(own(worker), ""), strings.Join(own(code), ""); a != b || a == "" {
		t.Errorf("the caller's messages differ: worker\n%s\ntool\n%s", a, b)
	}
}

const twice = `Two calls in one turn.
wasm: tools/p.wasm = pipeline
-- project/main.worker --
---
allow_workers: [slow]
toolsets: {custom: {GRANT}}
---
Forward.
-- project/workers/slow.worker --
---
description: Takes its time.
input_schema: {type: object, properties: {name: {type: string}}}
---
S.
-- project/script.yaml --
script: 1
workers:
  main:
    - calls: [{tool: forward, args: {name: slow}}, {tool: forward, args: {name: slow}}]
    - say: done
  slow:
    - {say: at last, delay: 5s}
-- case.json --
{"inputs": ["x"], "approval": "approve_all"}
`

// Two calls of a module without grants run in parallel, like two workers, because the module
// can change nothing. With access to files, or with state, the calls keep their order.
func TestModulesWithoutGrantsRunBesideEachOther(t *testing.T) {
	for grant, want := range map[string]time.Duration{
		"": 5 * time.Second, "modules: {p: {fs: true}}": 10 * time.Second, "modules: {p: {stateful: true}}": 10 * time.Second,
	} {
		synctest.Test(t, func(t *testing.T) {
			c, err := coretest.Parse("twice", []byte(strings.Replace(twice, "GRANT", grant, 1)))
			if err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			o := coretest.Run(t.Context(), c)
			if took := time.Since(start); o.Output != "done" || took < want || took > want+time.Second {
				t.Errorf("%q: %s after %s, want %s", grant, o.Output, took, want)
			}
		})
	}
}
