package worktest

import (
	"encoding/json"
	"path"
	"regexp"
	"strings"

	"golem/core/config"
	"golem/core/fault"
	"golem/core/sorting"
	"golem/core/yamltree"
)

// Bounds of a file of tests.
const (
	MaxFile  = 4 << 20 // bytes
	maxCases = 10_000
)

// IsTest reports whether a YAML file is one of tests: it has the key test or cases, or it is
// empty or not valid YAML, so that a file that is only begun is not passed over.
func IsTest(data []byte) bool {
	root, _ := yamltree.ParsePart("", data)
	return root == nil || root.Get("test") != nil || root.Get("cases") != nil
}

// Read reads a file of tests. file is its path from the project root. Every fault has a
// line and a column; with faults the file must not be run.
func Read(file string, data []byte) (File, fault.List) {
	out := File{Path: file, Samples: 1, PassRate: 1}
	root, faults := yamltree.Parse(file, data)
	if len(faults) > 0 {
		return out, faults
	}
	if root == nil {
		return out, fault.List{fault.New(fault.Config, "the file is empty").At(file, 1, 1).Hinting("begin with test: 1 and cases:")}
	}
	c := &yamltree.Conformer{}
	n := c.Conform(formed(c, root), config.TestShape, "")
	if len(c.Faults) > 0 || n == nil {
		c.Faults.Sort()
		return out, c.Faults
	}
	r := reader{c}
	if worker := n.Get("worker"); worker != nil {
		out.WorkerAt = worker.Pos
	}
	out.Worker, out.Models, out.Samples = n.Get("worker").String(), n.Get("model").Texts(), n.Get("samples").Count(1)
	if rate := n.Get("pass_rate"); rate != nil {
		out.PassRate, _ = config.Rate(rate)
	}
	if out.Models == nil {
		out.Models = []string{config.Replay}
	}
	plain := map[string]string{}
	for _, m := range out.Models {
		if other, twice := plain[plainName(m)]; twice {
			c.Fail(n.Get("model").Pos, "remove one of them, or write it into a file of its own", "the models %s and %s have the same recordings", other, m)
		}
		plain[plainName(m)] = m
	}
	names := map[string]bool{}
	for _, one := range n.Get("cases").Items {
		this := r.testCase(one)
		if names[this.Name] {
			c.Fail(one.Get("name").Pos, "give each case a name of its own", "two cases have the name %s", fault.Quoted(this.Name))
		}
		names[this.Name] = true
		out.Cases = append(out.Cases, this)
	}
	if len(out.Cases) > maxCases {
		c.Fail(n.Get("cases").Pos, "write several files", "the file has %d cases; at most %d are read", len(out.Cases), maxCases)
	}
	c.Faults.Sort()
	return out, c.Faults
}

// formed returns a file with the key test, and adds a fault if it has none.
func formed(c *yamltree.Conformer, root *yamltree.Node) *yamltree.Node {
	if root.Kind != yamltree.Mapping || root.Get("test") != nil {
		return root
	}
	c.Fail(root.Pos, "write test: 1 as its first line, or let golem check --fix do it", "a file of tests begins with the key test: 1, and this one has none")
	version := yamltree.Field{Name: "test", Pos: root.Pos, Value: &yamltree.Node{Pos: root.Pos, Kind: yamltree.Scalar, Tag: yamltree.TagText, Text: "1"}}
	out := *root
	out.Fields = append([]yamltree.Field{version}, root.Fields...)
	return &out
}

// reader makes cases of a checked tree.
type reader struct{ *yamltree.Conformer }

func (r reader) testCase(n *yamltree.Node) Case {
	out := Case{
		Name: n.Get("name").String(), At: n.Pos, Attach: n.Get("attach").Texts(), Files: n.Get("files").TextMap(),
		FilesFrom: n.Get("files_from").String(), Expect: r.expect(n.Get("expect")),
	}
	out.Input = r.input(n)
	if answers := n.Get("answers"); answers != nil {
		for _, a := range answers.Items {
			word := strings.ToLower(a.Get("decide").String())
			out.Answers = append(out.Answers, Answer{a.Get("tool").String(), word == "yes" || word == "true", a.Get("reason").String()})
		}
	}
	if results := n.Get("results"); results != nil {
		for _, one := range results.Items {
			out.Results = append(out.Results, r.result(one))
		}
	}
	return out
}

func (r reader) input(n *yamltree.Node) Input {
	in, file := n.Get("input"), n.Get("input_file")
	switch {
	case in != nil && file != nil:
		r.Fail(file.Pos, "keep one of them", "the case has an input and an input_file")
	case file != nil:
		return Input{File: file.Text}
	case in == nil:
	case in.Kind == yamltree.Mapping:
		return Input{JSON: r.json(in)}
	default:
		return Input{Text: in.Text}
	}
	return Input{}
}

func (r reader) result(n *yamltree.Node) Result {
	out := Result{Tool: n.Get("tool").String()}
	if when := n.Get("when"); when != nil {
		out.When = map[string]json.RawMessage{}
		for _, f := range when.Fields {
			out.When[f.Name] = r.json(f.Value)
		}
	}
	value, failure := n.Get("return"), n.Get("error")
	switch {
	case (value == nil) == (failure == nil):
		r.Fail(n.Pos, "write return: or error:", "a result has exactly one of return and error")
	case failure != nil:
		out.Error = fault.New(fault.Code(failure.Get("code").String()), "%s", failure.Get("message").String())
	case value.Kind == yamltree.Scalar && value.Tag == yamltree.TagText:
		out.Text = value.Text
	default:
		out.JSON = r.json(value)
	}
	return out
}

func (r reader) expect(n *yamltree.Node) Expect {
	out := Expect{Status: "ok", Output: r.want(n.Get("output"))}
	if status := n.Get("status"); status != nil {
		out.Status = status.Text
	}
	if judge := n.Path("output", "judge"); judge != nil {
		out.Judge = &Judge{Worker: judge.Get("worker").String()}
		out.Judge.AtLeast, _ = config.Rate(judge.Get("at_least"))
	}
	if files := n.Get("files"); files != nil {
		for _, f := range files.Fields {
			out.Files = append(out.Files, FileWant{path.Clean(f.Name), f.Value.Get(config.Absent) != nil, r.want(f.Value)})
		}
	}
	sorting.By(out.Files, func(a, b FileWant) int { return strings.Compare(a.Path, b.Path) })
	out.Must, out.Never = n.Path("calls", "must").Texts(), n.Path("calls", "never").Texts()
	if most := n.Path("calls", "at_most"); most != nil {
		out.AtMost = map[string]int{}
		for _, f := range most.Fields {
			out.AtMost[f.Name] = f.Value.Count(0)
		}
	}
	if denied := n.Get("denied"); denied != nil {
		out.Denied = append([]string{}, denied.Texts()...)
	}
	out.Limits = Limits{Turns: count(n.Path("limits", "turns")), Tokens: count(n.Path("limits", "tokens"))}
	if cost := n.Path("limits", "cost"); cost != nil {
		most := config.Dollars(cost)
		out.Limits.Cost = &most
	}
	return out
}

func count(n *yamltree.Node) *int64 {
	if n == nil {
		return nil
	}
	most := int64(n.Count(0))
	return &most
}

func (r reader) want(n *yamltree.Node) Want {
	if n == nil {
		return Want{}
	}
	out := Want{Contains: n.Get("contains").Texts()}
	if equals := n.Get("equals"); equals != nil {
		out.Equals = r.json(equals)
	}
	if pattern := n.Get("matches"); pattern != nil {
		out.Matches, _ = regexp.Compile(pattern.Text) // the shape has compiled it once
	}
	switch schema := n.Get("schema"); {
	case schema == nil:
	case schema.Kind == yamltree.Scalar:
		out.SchemaRef = schema.Text
	default:
		out.Schema = r.json(schema)
	}
	if values := n.Get("json"); values != nil {
		for _, f := range values.Fields {
			out.JSON = append(out.JSON, Pointed{f.Name, r.json(f.Value)})
		}
	}
	return out
}

// json returns a value as JSON; null, with a fault, if JSON cannot have it.
func (r reader) json(n *yamltree.Node) json.RawMessage {
	data, err := n.JSON()
	if err != nil {
		r.Fail(n.Pos, "write a number that JSON has", "this value cannot be written as JSON")
		return json.RawMessage("null")
	}
	return data
}
