package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"golem/core/fault"
	"golem/core/trace"

	"golem/cmd/cli/traceview"
)

// canView reports whether golem trace show may use the full screen.
func (h *host) canView(plain bool) bool {
	return !plain && isTerminal(h.in) && h.escapes(h.out) && inForeground(h.out)
}

// viewTrace shows a trace in the full-screen viewer until the person leaves it.
func (h *host) viewTrace(header trace.Header, events []trace.Event, artifacts string, color bool) error {
	s := traceview.New(header, trace.Tree(events), h.prompts(artifacts), color)
	if err := s.Run(h.in, h.out, os.Environ()); err != nil {
		return fault.New(fault.Platform, "the terminal: %s", err).Hinting("--plain prints the tree")
	}
	return nil
}

// prompts returns a function that reads the prompts which --artifacts kept in a
// directory; nil if dir is empty.
func (h *host) prompts(dir string) func(id string) []traceview.Message {
	if dir == "" {
		return nil
	}
	root := h.path(dir)
	return func(id string) []traceview.Message {
		if strings.Trim(id, "0123456789.") != "" { // the trace may be from someone else: its ids must not be used as paths
			return nil
		}
		data, err := h.readFile(filepath.Join(root, id+".prompt.json"), maxLine)
		var kept []struct {
			Role  string `json:"role"`
			Text  string `json:"text"`
			Tool  string `json:"tool"`
			Calls []struct {
				Name string `json:"name"`
				Args string `json:"args"`
			} `json:"calls"`
		}
		if err != nil || json.Unmarshal(data, &kept) != nil {
			return nil
		}
		var out []traceview.Message
		for _, m := range kept {
			one := traceview.Message{Role: m.Role, Text: m.Text}
			if m.Tool != "" {
				one.Role += " " + m.Tool
			}
			for _, c := range m.Calls {
				one.Text = strings.TrimPrefix(one.Text+"\n→ "+c.Name+" "+c.Args, "\n")
			}
			out = append(out, one)
		}
		return out
	}
}
