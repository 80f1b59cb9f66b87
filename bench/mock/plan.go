package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A plan is what the model does, as its name says.
type plan struct {
	kind  string // hello, reads, batch, delegate, fan
	n     int
	delay time.Duration
}

// parsePlan reads a model name; see the package comment.
func parsePlan(model string) (plan, error) {
	parts := strings.Split(model, "-")
	p := plan{kind: parts[0]}
	var err error
	switch {
	case p.kind == "hello" && len(parts) == 1:
	case (p.kind == "reads" || p.kind == "batch" || p.kind == "delegate") && len(parts) == 2:
		p.n, err = strconv.Atoi(parts[1])
	case p.kind == "fan" && len(parts) == 3:
		if p.n, err = strconv.Atoi(parts[1]); err == nil {
			p.delay, err = time.ParseDuration(parts[2])
		}
	default:
		err = fmt.Errorf("unknown model %q", model)
	}
	return p, err
}

// A call is one tool call of an answer.
type call struct{ id, name, args string }

// next returns the answer to a request with this number of tool results in its history: either
// calls or a text. child says that the request is from a child worker.
func (p plan) next(results int, child bool) (text string, calls []call) {
	if child || results >= p.n {
		return "done", nil
	}
	one := func(i int) call {
		id := fmt.Sprintf("call_%d", i)
		if p.kind == "delegate" || p.kind == "fan" {
			return call{id, "child", fmt.Sprintf(`{"input":"task %d"}`, i)}
		}
		return call{id, "read_file", fmt.Sprintf(`{"path":"/data/%d.txt"}`, i)}
	}
	switch p.kind {
	case "reads", "delegate":
		return "", []call{one(results)}
	}
	for i := range p.n {
		calls = append(calls, one(i))
	}
	return "", calls
}
