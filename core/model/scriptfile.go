package model

import (
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/yamltree"
)

// scriptShape has the keys of a script file and what each may hold.
var scriptShape = func() *yamltree.Shape {
	type keys = map[string]*yamltree.Shape
	fail := yamltree.KeysOf(keys{"status": yamltree.Count(400, 599), "retry_after": yamltree.Duration()})
	fail.Musts = []string{"status"}
	call := yamltree.KeysOf(keys{"tool": word, "args": {Any: true}, "raw_args": word})
	call.Musts = []string{"tool"}
	tokens := yamltree.Count(0, 1<<40)
	rule := yamltree.KeysOf(keys{
		"when": yamltree.KeysOf(keys{
			"text": word, "match": word, "tool": word, "error": yamltree.ScalarOf("an error code", code), "system": word, "turn": yamltree.Count(1, 1<<30),
		}),
		"once": yamltree.Flag(), "say": word, "calls": yamltree.ListOf(call), "raw_args": word, "fail": fail, "hang": yamltree.Flag(),
		"cut": yamltree.Count(0, maxScript), "delay": yamltree.Duration(), "usage": yamltree.KeysOf(keys{"in": tokens, "out": tokens}),
	})
	return yamltree.KeysOf(keys{
		"script":  yamltree.ScalarOf("1", version1),
		"workers": {Kind: yamltree.Mapping, Each: yamltree.ListOf(rule)},
	})
}()

// word accepts any scalar as a text; a number, for example, counts as it is written.
var word = yamltree.ScalarOf("text", func(*yamltree.Node) (problem, hint string) { return "", "" })

func version1(n *yamltree.Node) (problem, hint string) {
	if n.Text != "1" {
		return "this is not a version that golem reads", "write script: 1"
	}
	return "", ""
}

func code(n *yamltree.Node) (problem, hint string) {
	known := make([]string, 0, len(fault.Codes()))
	for _, c := range fault.Codes() {
		known = append(known, string(c))
	}
	if slices.Contains(known, n.Text) {
		return "", ""
	}
	if near := fault.Nearest(n.Text, known); near != "" {
		return "there is no error code " + fault.Quoted(n.Text), "did you mean " + near
	}
	return "there is no error code " + fault.Quoted(n.Text), "write a code such as E_NOT_FOUND"
}

// scriptFile makes rules of a script's tree and collects every fault, with its line.
type scriptFile struct{ faults fault.List }

// parseScript reads a whole script. file is its name, for faults.
func parseScript(file string, data []byte) (map[string][]rule, error) {
	root, faults := yamltree.ParsePart(file, data)
	if root == nil && len(faults) > 0 {
		return nil, faults.Err()
	}
	if root == nil {
		return nil, fault.New(fault.Config, "the script is empty").At(file, 1, 1).Hinting("begin with script: 1")
	}
	c := yamltree.Conformer{Faults: faults}
	s := &scriptFile{}
	workers := map[string][]rule{}
	if fitting := c.Conform(root, scriptShape, ""); fitting != nil {
		misread := map[string]bool{} // keys at the top, and workers.NAME, that have faults
		for _, f := range c.Faults {
			keys := root.KeysAt(yamltree.At(file, f.Where.Line, f.Where.Column))
			for i := range keys {
				misread[strings.Join(keys[:i+1], ".")] = true
				if root.Get(keys[0]) != nil && scriptShape.Keys[keys[0]] == nil {
					misread[fault.Nearest(keys[0], scriptShape.Names())] = true
				}
			}
		}
		if fitting.Get("script") == nil && root.Get("script") == nil && !misread["script"] {
			s.addFault(root, "write script: 1 at the top", "the script has no version")
		}
		if root.Get("workers") == nil && !misread["workers"] {
			s.addFault(root, "add workers: with the rules of each worker", "the script has no workers")
		}
		if all := fitting.Get("workers"); all != nil {
			for _, w := range all.Fields {
				if !misread["workers."+w.Name] { // otherwise its rules are not those of the file
					workers[w.Name] = s.rules(w.Value)
				}
			}
		}
	}
	s.faults = append(s.faults, c.Faults...)
	s.faults.Sort()
	return workers, s.faults[:min(len(s.faults), maxScriptFaults)].Err()
}

// maxScriptFaults is how many faults of one script are reported.
const maxScriptFaults = 100

// addFault adds a fault at a node.
func (s *scriptFile) addFault(n *yamltree.Node, hint, format string, args ...any) {
	s.faults = append(s.faults, n.Fault(fault.Config, format, args...).Hinting("%s", hint))
}
