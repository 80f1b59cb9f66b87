package config

import (
	"fmt"
	"path"
	"regexp"
	"strings"

	"golem/core/fault"
	"golem/core/money"
	"golem/core/sandbox"
	"golem/core/yamltree"
)

// shapes are the keys of a mapping.
type shapes = map[string]*yamltree.Shape

// TestShape has the keys of a file of tests, tests/NAME.yaml (SPEC §17).
var TestShape = newTestShape()

func newTestShape() *yamltree.Shape {
	s := yamltree.KeysOf(shapes{
		"test":      key("1, the version of the form.", inJSON(`{"const": 1}`, yamltree.ScalarOf("1", testVersion))),
		"worker":    key("The worker under test, by reference; without it the entry of the project.", yamltree.Text(yamltree.NameProblem)),
		"model":     key("replay, the default: answers come from tests/recordings; script:FILE, from the project root; provider:name or a list of them counts only with --model tests or --record.", testModelsShape()),
		"samples":   key("How often each case runs with a real model.", yamltree.Count(1, 1000)),
		"pass_rate": key("The part of the samples of a case that must pass, from 0 to 1; without it all of them.", rateShape()),
		"cases":     key("The cases.", &yamltree.Shape{Kind: yamltree.List, Each: testCaseShape(), Needed: true}),
	})
	s.Musts = []string{"test", "cases"}
	return s
}

func testCaseShape() *yamltree.Shape {
	s := yamltree.KeysOf(shapes{
		"name":       key("The name of the case, unique in the file.", yamltree.Text(yamltree.NameProblem)),
		"input":      key("The input: a text, or a mapping for a worker with an input_schema.", inputShape()),
		"input_file": key("A file of the project that has the input: of a .json file an object, of any other the text.", yamltree.Text(placeProblem)),
		"attach":     key("Files of the project that go with the input.", yamltree.ListOf(yamltree.Text(placeProblem))),
		"files":      key("Files, by their path from the project root, that replace the project's own, or are added, while the case runs.", placesOf(yamltree.Text(nil))),
		"files_from": key("A directory of the project whose files replace the project's own, or are added, under their paths in it.", yamltree.Text(placeProblem)),
		"answers":    key("A person's answers to the questions of tools, in order. A question without one is answered no.", yamltree.ListOf(answerShape())),
		"results":    key("Results of calls that do not run in a test: those of risk network and command, and of MCP servers.", yamltree.ListOf(resultShape())),
		"expect":     key("What must be true after the run; without status it must be ok.", expectShape()),
	})
	s.Musts = []string{"name"}
	return s
}

// testModelsShape is modelsShape with the word replay.
func testModelsShape() *yamltree.Shape {
	s, each := *modelsShape(), *modelShape()
	check := each.Check
	each.Check = func(n *yamltree.Node) (problem, hint string) {
		switch {
		case n.Text == Replay:
			return "", ""
		case strings.HasPrefix(n.Text, Replay+":"):
			return "a test reads no recording but its own, in tests/recordings", "write replay"
		}
		return check(n)
	}
	s.Name, s.Each = "", &each
	return &s
}

// Replay is the model of tests whose answers come from tests/recordings.
const Replay = "replay"

func answerShape() *yamltree.Shape {
	s := yamltree.KeysOf(shapes{
		"tool":   key("The tool that asks.", yamltree.Text(yamltree.NameProblem)),
		"decide": key("yes or no.", decideShape()),
		"reason": key("With no: what the model is told.", yamltree.Text(nil)),
	})
	s.Musts = []string{"tool", "decide"}
	return s
}

func resultShape() *yamltree.Shape {
	failure := yamltree.KeysOf(shapes{
		"code":    key("The code of the error.", yamltree.ScalarOf("an error code", codeProblem)),
		"message": key("What the model is told.", yamltree.Text(nil)),
	})
	failure.Musts = []string{"code", "message"}
	s := yamltree.KeysOf(shapes{
		"tool":   key("The tool.", yamltree.Text(yamltree.NameProblem)),
		"when":   key("Arguments that a call must have for this result; the others do not matter.", &yamltree.Shape{Any: true, JSON: `{"type": "object"}`, Rewrite: onlyMapping}),
		"return": key("The result: a text, or any value as JSON.", &yamltree.Shape{Any: true, JSON: `{}`}),
		"error":  key("The error that the call ends with, in place of a result.", failure),
	})
	s.Musts = []string{"tool"}
	return s
}

func expectShape() *yamltree.Shape {
	return yamltree.KeysOf(shapes{
		"status": key("ok, the default; needs_input: the worker asked a question; or the code of the error.", yamltree.ScalarOf("ok, needs_input or an error code", statusProblem)),
		"output": key("What the answer must be. All keys must fit.", outputShape(true)),
		"files":  key("What files must be afterwards, by their path from the project root; absent: there must be none.", placesOf(fileShape())),
		"calls": key("Calls of tools, by the root and all workers below it.", yamltree.KeysOf(shapes{
			"must":    key("Tools that must be called.", yamltree.ListOf(yamltree.Text(yamltree.NameProblem))),
			"never":   key("Tools that must not be called.", yamltree.ListOf(yamltree.Text(yamltree.NameProblem))),
			"at_most": key("How often a tool may be called.", yamltree.MapOf(yamltree.Count(0, 1_000_000))),
		})),
		"denied": key("The tools whose calls were denied, each as often as it was, in any order.", yamltree.ListOf(yamltree.Text(yamltree.NameProblem))),
		"limits": key("What the run may use at most.", yamltree.KeysOf(shapes{
			"turns":  key("Model requests, of all workers.", yamltree.Count(0, 1_000_000)),
			"tokens": key("Tokens, read and written.", yamltree.Count(0, 1<<40)),
			"cost":   key("Dollars. On a recording, those that the recorded model would take today.", dollarShape()),
		})),
	})
}

// outputShape returns the shape of what an answer, or a file, must be.
func outputShape(judged bool) *yamltree.Shape {
	keys := shapes{
		"equals":   key("The whole value: a text, or JSON, whose keys may be in any order.", &yamltree.Shape{Any: true, JSON: `{}`}),
		"contains": key("A text that is in it, or a list of such texts.", containsShape()),
		"matches":  key("A regular expression (RE2) that matches somewhere in it.", yamltree.Text(patternProblem)),
		"schema":   key("A JSON Schema that it fits: a mapping, file.json or file.json#/$defs/Name.", schemaShape()),
		"json":     key("Values in it, by JSON pointer: {/total: 12}.", &yamltree.Shape{Kind: yamltree.Mapping, Key: pointerProblem, Each: &yamltree.Shape{Any: true, JSON: `{}`}}),
	}
	if judged {
		judge := yamltree.KeysOf(shapes{
			"worker":   key("A worker without tools that gets {input, output} and answers with a number from 0 to 1, or {score, reason}.", yamltree.Text(yamltree.NameProblem)),
			"at_least": key("The least score that passes.", rateShape()),
		})
		judge.Musts = []string{"worker", "at_least"}
		keys["judge"] = key("A worker that gives the answer a score.", judge)
	}
	return yamltree.KeysOf(keys)
}

// fileShape returns the shape of what a file must be.
func fileShape() *yamltree.Shape {
	s := outputShape(false)
	s.Or = []string{`{"const": "absent"}`}
	s.Want = "absent or a mapping such as {contains: TEXT}"
	s.Rewrite = func(_ *yamltree.Conformer, n *yamltree.Node, _ string) *yamltree.Node {
		if n.Kind != yamltree.Scalar || n.Tag != yamltree.TagText || n.Text != "absent" {
			return n
		}
		return (&yamltree.Node{Pos: n.Pos, Kind: yamltree.Mapping}).With(Absent, n)
	}
	s.Keys[Absent] = key("Not a key: the word absent in place of the mapping says that there must be no such file.", &yamltree.Shape{Any: true, JSON: `{"not": {}}`})
	return s
}

// Absent is the one key of the mapping that stands for the word absent: where a test says that
// there must be no file, the reader makes that mapping of the word.
const Absent = "absent"

func testVersion(n *yamltree.Node) (problem, hint string) {
	if n.Text != "1" {
		return "this is not a version that golem reads", "write test: 1"
	}
	return "", ""
}

func decideShape() *yamltree.Shape {
	return inJSON(`{"enum": ["yes", "no", true, false]}`, yamltree.ScalarOf("yes or no", func(n *yamltree.Node) (problem, hint string) {
		switch strings.ToLower(n.Text) {
		case "yes", "no", "true", "false":
			return "", ""
		}
		return fault.Quoted(n.Text) + " is not yes or no", ""
	}))
}

func rateShape() *yamltree.Shape {
	return inJSON(`{"type": "number", "minimum": 0, "maximum": 1}`, yamltree.ScalarOf("a number from 0 to 1", func(n *yamltree.Node) (problem, hint string) {
		if rate, ok := Rate(n); !ok || rate < 0 || rate > 1 {
			return fault.Quoted(n.Text) + " is not a number from 0 to 1", ""
		}
		return "", ""
	}))
}

// Rate returns the number of a node that fits a rate; false if it is not a number.
func Rate(n *yamltree.Node) (rate float64, ok bool) {
	if n == nil || n.Tag != yamltree.TagInt && n.Tag != yamltree.TagFloat {
		return 0, false
	}
	value, err := n.Plain()
	if err != nil {
		return 0, false
	}
	switch v := value.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

func codeProblem(n *yamltree.Node) (problem, hint string) {
	known := make([]string, 0, len(fault.Codes()))
	for _, c := range fault.Codes() {
		if n.Text == string(c) {
			return "", ""
		}
		known = append(known, string(c))
	}
	if near := fault.Nearest(n.Text, known); near != "" {
		hint = "did you mean " + near
	}
	return "there is no error code " + fault.Quoted(n.Text), hint
}

func statusProblem(n *yamltree.Node) (problem, hint string) {
	if n.Text == "ok" || n.Text == "needs_input" {
		return "", ""
	}
	if !strings.HasPrefix(n.Text, "E_") {
		return fault.Quoted(n.Text) + " is neither ok nor needs_input nor an error code", "write an error code such as E_BUDGET"
	}
	return codeProblem(n)
}

func containsShape() *yamltree.Shape {
	s := yamltree.ListOf(yamltree.Text(nil))
	s.Want, s.Needed = "a text or a list of texts", true
	s.Or = []string{`{"type": "string"}`}
	s.Rewrite = func(_ *yamltree.Conformer, n *yamltree.Node, _ string) *yamltree.Node {
		if n.Kind != yamltree.Scalar || n.Tag == yamltree.TagNull {
			return n
		}
		return &yamltree.Node{Pos: n.Pos, Kind: yamltree.List, Items: []*yamltree.Node{n}}
	}
	return s
}

func patternProblem(s string) string {
	if len(s) > 64<<10 {
		return "has more than 64 KB"
	}
	if _, err := regexp.Compile(s); err != nil {
		return fmt.Sprintf("is not a regular expression of RE2: %s", fault.Brief(err.Error()))
	}
	return ""
}

func pointerProblem(s string) string {
	if s != "" && !strings.HasPrefix(s, "/") {
		return fault.Quoted(s) + " is not a JSON pointer: it begins with /"
	}
	return ""
}

// placeProblem returns what is wrong with the path of a file of the project; "" if nothing
// is.
func placeProblem(s string) string {
	if strings.HasPrefix(s, "/") || path.Clean(s) == ".." || strings.HasPrefix(path.Clean(s), "../") {
		return fault.Quoted(s) + " leads out of the project: write a path from the project root"
	}
	if _, err := sandbox.Clean(s); err != nil {
		return fault.Of(err, fault.Path).Message
	}
	if sandbox.Secret(path.Clean(s)) {
		return fault.Quoted(s) + " is a file that no worker can read: .env, .golem or .git"
	}
	return ""
}

// placesOf returns the shape of a mapping from paths of the project.
func placesOf(each *yamltree.Shape) *yamltree.Shape {
	return &yamltree.Shape{Kind: yamltree.Mapping, Each: each, Key: placeProblem}
}

func inputShape() *yamltree.Shape {
	return &yamltree.Shape{Any: true, JSON: `{"type": ["string", "number", "boolean", "object"]}`, Rewrite: func(c *yamltree.Conformer, n *yamltree.Node, path string) *yamltree.Node {
		if n.Kind == yamltree.List || n.Kind == yamltree.Scalar && n.Tag == yamltree.TagNull {
			c.Fail(n.Pos, "", "%s: expected a text or a mapping, found %s", path, n.Found())
			return nil
		}
		return n
	}}
}

func onlyMapping(c *yamltree.Conformer, n *yamltree.Node, path string) *yamltree.Node {
	if n.Kind != yamltree.Mapping {
		c.Fail(n.Pos, "", "%s: expected a mapping of arguments, found %s", path, n.Found())
		return nil
	}
	return n
}

// Dollars returns the amount of a checked value; 0 for nil.
func Dollars(n *yamltree.Node) money.USD { return dollars(n, 0) }
