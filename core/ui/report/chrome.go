package report

import (
	"cmp"
	"encoding/json"
	"io"
	"slices"
	"time"

	"golem/core/sorting"
	"golem/core/trace"
	"golem/core/ui/view"
)

// chromeEvent is one record of the Chrome trace-event format. Times are
// microseconds.
type chromeEvent struct {
	Name     string         `json:"name"`
	Category string         `json:"cat,omitempty"`
	Phase    string         `json:"ph"`
	TS       int64          `json:"ts"`
	Duration int64          `json:"dur"`
	PID      int            `json:"pid"`
	TID      int            `json:"tid"`
	Args     map[string]any `json:"args,omitempty"`
}

// exportChrome writes each call and each model request as a slice of the Chrome
// trace-event format. Slices in one lane must be nested, so calls that ran in
// parallel get lanes of their own.
func exportChrome(w io.Writer, h trace.Header, root *view.Call) error {
	c := chrome{start: micros(root.Started)}
	c.layOut(root, 0)
	c.events = append(c.events, chromeEvent{
		Name: "process_name", Phase: "M", PID: 1, Args: map[string]any{"name": "golem " + h.Project + " " + h.Entry},
	})
	data, err := json.Marshal(map[string]any{"traceEvents": c.events, "displayTimeUnit": "ms"})
	if err != nil {
		return err
	}
	_, err = w.Write(append(trace.EscapeJSON(data), '\n'))
	return err
}

type chrome struct {
	start  int64
	lanes  int // the number of lanes used so far
	events []chromeEvent
}

// span is when a call or turn ran, in microseconds since the start.
type span struct{ from, to int64 }

func (c *chrome) span(started string, ms int64) span {
	from := c.start
	if started != "" {
		from = micros(started)
	}
	from = max(from-c.start, 0)
	return span{from, from + max(ms, 0)*1000}
}

// layOut writes a call into a lane, and the calls below it into the same lane
// or, where they overlap, into new ones.
func (c *chrome) layOut(n *view.Call, lane int) {
	at := c.span(n.Started, n.MS)
	c.emit(n.Called(), kindOf(n), at, lane, detailsOf(n))
	for _, t := range n.Run.Turns {
		args := map[string]any{"turn": t.Turn, "model": t.Model, "in": t.Usage.In, "out": t.Usage.Out, "attempts": t.Attempts}
		if cost := t.Usage.CostText(); cost != "" {
			args["cost"] = cost
		}
		c.emit("model", "model", c.span(t.Started, t.MS), lane, args)
	}
	children := slices.Clone(n.Children)
	sorting.By(children, func(a, b *view.Call) int {
		return cmp.Compare(c.span(a.Started, a.MS).from, c.span(b.Started, b.MS).from)
	})
	type use struct {
		lane  int
		until int64
	}
	used := []use{{lane: lane}}
	for _, child := range children {
		s := c.span(child.Started, child.MS)
		i := slices.IndexFunc(used, func(u use) bool { return u.until <= s.from })
		if i < 0 {
			c.lanes++
			used = append(used, use{lane: c.lanes})
			i = len(used) - 1
		}
		used[i].until = s.to
		c.layOut(child, used[i].lane)
	}
}

func (c *chrome) emit(name, category string, s span, lane int, args map[string]any) {
	c.events = append(c.events, chromeEvent{
		Name: name, Category: category, Phase: "X", TS: s.from, Duration: s.to - s.from, PID: 1, TID: lane, Args: args,
	})
}

func detailsOf(c *view.Call) map[string]any {
	args := map[string]any{"id": c.ID, "status": string(c.Outcome())}
	if c.Run.Worker != "" {
		args["worker"] = c.Run.Worker
	}
	if c.Approval != nil {
		args["approval"] = c.Approval.Setting + ": " + c.Approval.Decision
	}
	if c.Error != nil {
		args["error"] = joinCode(c.Error.Code, c.Error.Message)
	}
	if used := c.Used(); used.In != 0 || used.Out != 0 {
		args["tokens"] = spent(used)
	}
	return args
}

func micros(ts string) int64 {
	t, err := time.Parse(time.RFC3339Nano, ts)
	if err != nil {
		return 0
	}
	return t.UnixMicro()
}
