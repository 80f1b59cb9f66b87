//go:build unix

package main

import (
	"fmt"
	"strings"
)

// A benchCase is one command line in one project, and a text that its standard output must
// contain a number of times.
type benchCase struct {
	name    string
	project testProject
	args    []string
	stdin   string
	want    string
	times   int
	fresh   bool // delete golem's cache of compiled tools before each run
}

// turnsAllowed is the limit of turns, which is above the longest case: 1600 reads and an answer.
const turnsAllowed = 2000

// cases returns the cases to measure, in the order of bench/README.md.
func cases() []benchCase {
	ask := func(name, model string, p testProject) benchCase {
		return benchCase{
			name: name, project: p, want: "done", times: 1,
			args: []string{"run", ".", "go", "--model", "openai:" + model},
		}
	}
	small := testProject{dataFiles: 1}
	unused := ask("one turn, ten MCP servers of a worker that is not called", "hello", testProject{dataFiles: 1, servers: 10})
	unused.args = append(unused.args, "--trust")
	list := []benchCase{
		{name: "start (golem version)", args: []string{"version"}, want: "golem", times: 1},
		ask("one turn", "hello", small),
		ask("one turn, ten modules of 3 MB in tools/", "hello", testProject{dataFiles: 1, modules: 10}),
		unused,
		ask("100 reads, one a turn", "reads-100", testProject{dataFiles: 100}),
		ask("400 reads, one a turn", "reads-400", testProject{dataFiles: 400}),
		ask("1600 reads, one a turn", "reads-1600", testProject{dataFiles: 1600}),
		ask("100 reads in one turn", "batch-100", testProject{dataFiles: 100}),
		ask("20 delegations, one a turn", "delegate-20", small),
		ask("20 delegations in one turn, 200 ms of model delay", "fan-20-200ms", small),
		{
			name: "chat of 500 turns", project: small, want: "done", times: 500,
			args:  []string{"chat", ".", "--model", "openai:hello"},
			stdin: strings.Repeat("hello\n", 500),
		},
	}
	for _, many := range []struct {
		name    string
		workers int
	}{{"5", 5}, {"5,000", 5000}} {
		p := testProject{dataFiles: 1, workers: many.workers}
		c := ask("run one worker of "+many.name, "hello", p)
		c.args = append(c.args, "--entry", "area3/w0003")
		list = append(list, c)
	}
	for _, m := range []struct{ name, file string }{{"7 KB", "small.wasm"}, {"3 MB", "big.wasm"}} {
		c := benchCase{
			name: "tool call, module of " + m.name + ", first", project: testProject{modules: 1}, fresh: true,
			args: []string{"tool", "call", m.file, "count", `{"text":"to be or not to be"}`}, want: `"words":6`, times: 1,
		}
		list = append(list, c)
		c.name, c.fresh = "tool call, module of "+m.name+", cached", false
		list = append(list, c)
	}
	list = append(list, benchCase{
		name: "list 5,000 workers", project: testProject{workers: 5000},
		args: []string{"workers", "."}, want: "area", times: 5000,
	})
	for _, n := range []int{100, 200, 400, 800} {
		list = append(list, benchCase{
			name: fmt.Sprintf("check %d workers", n), project: testProject{workers: n},
			args: []string{"check", "."}, want: "0 errors, 0 warnings", times: 1,
		})
	}
	return list
}
