package model

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"golem/core/fault"
	"golem/core/yamltree"
)

// The keys of a script file, for checking and for hints.
var (
	scriptKeys = []string{"script", "workers"}
	ruleKeys   = []string{"when", "once", "say", "calls", "fail", "hang", "cut", "delay", "raw_args", "usage"}
	whenKeys   = []string{"text", "match", "tool", "error", "system", "turn"}
	callKeys   = []string{"tool", "args", "raw_args"}
	failKeys   = []string{"status", "retry_after"}
	usageKeys  = []string{"in", "out"}
)

// maxNesting bounds how deep a script's values may lie in each other.
const maxNesting = 64

// scriptFile reads a script and collects every fault, with its line.
type scriptFile struct {
	file   string
	faults fault.List
}

// parseScript reads a whole script. file is its name, for faults.
func parseScript(file string, data []byte) (map[string][]rule, error) {
	s := &scriptFile{file: file}
	root := s.document(data)
	workers := map[string][]rule{}
	if root != nil {
		top := s.mapping(root, "a script", scriptKeys)
		if v := top["script"]; v == nil || v.Value != "1" {
			s.bad(root, "write script: 1 at the top", "the script has no version")
		}
		if top["workers"] == nil {
			s.bad(root, "add workers: with the rules of each worker", "the script has no workers")
		} else {
			for id, node := range s.mapping(top["workers"], "workers", nil) {
				workers[id] = s.rules(node)
			}
		}
	}
	s.faults.Sort()
	return workers, s.faults.Err()
}

// document decodes exactly one YAML document.
func (s *scriptFile) document(data []byte) *yaml.Node {
	if yamltree.IsUTF16(data) {
		s.faults = append(s.faults, fault.New(fault.Config, "the file is UTF-16").At(s.file, 1, 1).Hinting("save it as UTF-8"))
		return nil
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	dec := yamltree.NewDecoder(data)
	var doc, more yaml.Node
	err := dec.Decode(&doc)
	switch {
	case err == io.EOF || err == nil && len(doc.Content) == 0:
		s.faults = append(s.faults, fault.New(fault.Config, "the script is empty").At(s.file, 1, 1).Hinting("begin with script: 1"))
		return nil
	case err != nil:
		s.faults = append(s.faults, yamltree.Diagnose(s.file, data, err))
		return nil
	}
	if err := dec.Decode(&more); !errors.Is(err, io.EOF) {
		s.faults = append(s.faults, fault.New(fault.Config, "a script must be one YAML document").At(s.file, doc.Line, doc.Column).Hinting("remove what follows the line ---"))
		return nil
	}
	return doc.Content[0]
}

// bad notes a fault at a node.
func (s *scriptFile) bad(n *yaml.Node, hint, format string, args ...any) {
	if len(s.faults) < 100 {
		s.faults = append(s.faults, fault.New(fault.Config, format, args...).At(s.file, n.Line, n.Column).Hinting("%s", hint))
	}
}

// mapping is a mapping's values by key; keys outside known (nil: any) and
// duplicate ones are faults.
func (s *scriptFile) mapping(n *yaml.Node, what string, known []string) map[string]*yaml.Node {
	out := map[string]*yaml.Node{}
	if n.Kind != yaml.MappingNode {
		s.bad(n, "write key: value", "%s is not a mapping", what)
		return out
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		switch {
		case k.Kind != yaml.ScalarNode || k.Tag == "!!merge":
			s.bad(k, "write a plain word", "a key of %s is not a word", what)
		case out[k.Value] != nil:
			s.bad(k, "remove one", "the key %q is given twice", k.Value)
		case known != nil && !slices.Contains(known, k.Value):
			s.bad(k, fault.DidYouMean(k.Value, known), "unknown key %q in %s", k.Value, what)
		default:
			out[k.Value] = v
		}
	}
	return out
}

func (s *scriptFile) list(n *yaml.Node, what string) []*yaml.Node {
	if n.Kind != yaml.SequenceNode {
		s.bad(n, "write a list, each entry after a dash", "%s is not a list", what)
		return nil
	}
	return n.Content
}

// text is a string; a plain number or the like counts as it is written.
func (s *scriptFile) text(n *yaml.Node, what string) string {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" || n.Tag == "!!binary" {
		s.bad(n, "write text, in quotes if need be", "%s is not text", what)
		return ""
	}
	return n.Value
}

func (s *scriptFile) integer(n *yaml.Node, what string, least, most int) int {
	var v int
	if n.Kind != yaml.ScalarNode || n.Tag != "!!int" || n.Decode(&v) != nil || v < least || v > most {
		s.bad(n, fmt.Sprintf("write a number from %d to %d", least, most), "%s is not a number in this range", what)
		return least
	}
	return v
}

func (s *scriptFile) truth(n *yaml.Node, what string) bool {
	var v bool
	if n.Kind != yaml.ScalarNode || n.Tag != "!!bool" || n.Decode(&v) != nil {
		s.bad(n, "write true or false", "%s is neither true nor false", what)
	}
	return v
}

func (s *scriptFile) duration(n *yaml.Node, what string) time.Duration {
	d, err := time.ParseDuration(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil || d < 0 || d > 24*time.Hour {
		s.bad(n, "write it like 200ms or 1s", "%s is not a duration", what)
		return 0
	}
	return d
}

func (s *scriptFile) regexp(n *yaml.Node, what string) *regexp.Regexp {
	re, err := regexp.Compile(s.text(n, what))
	if err != nil {
		s.bad(n, "write an RE2 expression", "%s: %s", what, strings.TrimPrefix(err.Error(), "error parsing regexp: "))
		return nil
	}
	return re
}

// value is YAML as JSON would have it.
func (s *scriptFile) value(n *yaml.Node, depth int) any {
	if depth > maxNesting {
		s.bad(n, "use fewer levels", "args are nested deeper than %d levels", maxNesting)
		return nil
	}
	switch n.Kind {
	case yaml.MappingNode:
		out := map[string]any{}
		for k, v := range s.mapping(n, "args", nil) {
			out[k] = s.value(v, depth+1)
		}
		return out
	case yaml.SequenceNode:
		out := make([]any, len(n.Content))
		for i, v := range n.Content {
			out[i] = s.value(v, depth+1)
		}
		return out
	case yaml.ScalarNode:
		return s.scalar(n)
	}
	s.bad(n, "write the value itself", "aliases are not allowed in a script")
	return nil
}

func (s *scriptFile) scalar(n *yaml.Node) any {
	switch n.Tag {
	case "!!null", "!!bool", "!!int", "!!float":
		var v any
		if err := n.Decode(&v); err != nil {
			s.bad(n, "write a JSON value", "%q is not a JSON value", n.Value)
		}
		if f, ok := v.(float64); ok && (math.IsNaN(f) || math.IsInf(f, 0)) {
			s.bad(n, "write a finite number", "JSON does not support %s", n.Value)
			return nil
		}
		return v
	case "!!str", "!!timestamp":
		return n.Value
	}
	s.bad(n, "write a JSON value", "a value has the tag %s", n.Tag)
	return nil
}
