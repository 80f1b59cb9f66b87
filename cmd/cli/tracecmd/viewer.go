package tracecmd

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"golem/core/fault"
	"golem/core/trace"
	"golem/core/ui/view"

	"golem/cmd/cli/console"
	"golem/cmd/cli/newcases"
	"golem/cmd/cli/target"
	"golem/cmd/cli/traceview"
)

// canView reports whether golem trace show may use the full screen.
func canView(c *console.Console, plain bool) bool {
	return !plain && console.IsTerminal(c.In) && c.Escapes(c.Out) && console.InForeground(c.Out)
}

// viewTrace shows a trace in the full-screen viewer until the person leaves it, perhaps to make
// a test of its run.
func viewTrace(c *console.Console, header trace.Header, events []trace.Event, artifacts string, color bool) error {
	s := traceview.New(header, view.Read(events), Prompts(c, artifacts), color)
	s.OfferTest()
	if err := s.Run(c.In, c.Out, os.Environ()); err != nil {
		return fault.New(fault.Platform, "the terminal: %s", err).Hinting("--plain prints the tree")
	}
	if !s.WantsTest() {
		return nil
	}
	return makeCases(c, newcases.Wanted{Runs: []string{header.Run}, Command: "golem test --accept=" + console.ShellWord(header.Run)})
}

// makeCases makes cases of runs of the project that golem trace is about.
func makeCases(c *console.Console, w newcases.Wanted) error {
	p, _, err := target.Find(c, target.Wanted{Command: "trace"}, target.OrHere(c, "", nil))
	if err != nil {
		return err
	}
	return newcases.Of(c, p, nil, w)
}

// Prompts returns a function that reads the prompts which --artifacts kept in a
// directory; nil if dir is empty.
func Prompts(c *console.Console, dir string) func(id string) []traceview.Message {
	if dir == "" {
		return nil
	}
	root := c.Path(dir)
	return func(id string) []traceview.Message {
		if strings.Trim(id, "0123456789.") != "" { // the trace may be from someone else: its ids must not be used as paths
			return nil
		}
		data, err := c.ReadFile(filepath.Join(root, id+".prompt.json"), console.MaxLine)
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
			for _, call := range m.Calls {
				one.Text = strings.TrimPrefix(one.Text+"\n→ "+call.Name+" "+call.Args, "\n")
			}
			out = append(out, one)
		}
		return out
	}
}
