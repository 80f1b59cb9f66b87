package batch

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"golem/core/fault"
	"golem/core/money"
	"golem/core/sorting"
	"golem/core/trace"
)

// Summary is what became of a batch.
type Summary struct {
	Golem    string         `json:"golem"`    // "batch-summary"
	V        int            `json:"v"`        // 1
	Batch    string         `json:"batch"`    // its name
	Items    int            `json:"items"`    // how many
	Statuses map[Status]int `json:"statuses"` // how many items have each status
	// The failed items by the code of their error.
	Failures map[fault.Code]int `json:"failures,omitempty"`
	Denied   int                `json:"denied,omitempty"` // calls that were not run, because nobody could be asked
	Usage    trace.Usage        `json:"usage"`            // tokens and cost of all items
	// Percentiles of the milliseconds that an item took: p50, p90, p99 and max.
	MS map[string]int64 `json:"ms,omitempty"`
	// The same of what an item cost, in US dollars.
	ItemCost map[string]money.USD `json:"item_cost,omitempty"`
}

// Summary returns what became of the batch so far.
func (l *Local) Summary() (Summary, error) {
	s := Summary{Golem: "batch-summary", V: Version, Batch: l.Head.Name, Statuses: map[Status]int{}, Failures: map[fault.Code]int{}}
	var times []int64
	var costs []money.USD
	err := l.Results(func(r Result) error {
		s.Items++
		s.Statuses[r.Status]++
		if r.Error != nil && r.Status == Failed {
			s.Failures[r.Error.Code]++
		}
		s.Denied += r.Denied
		if r.Usage != nil {
			s.Usage = s.Usage.Plus(*r.Usage)
		}
		if r.Status.Ended() && r.Status != Cancelled {
			times = append(times, r.MS)
			cost := money.USD(0)
			if r.Usage != nil {
				cost = r.Usage.Cost
			}
			costs = append(costs, cost)
		}
		return nil
	})
	s.MS = percentiles(times)
	if s.Usage.Cost > 0 {
		s.ItemCost = percentiles(costs)
	}
	return s, err
}

// percentiles returns p50, p90, p99 and max of values; nil of none. A percentile is the smallest
// value that is not smaller than that part of all.
func percentiles[T ~int64](values []T) map[string]T {
	if len(values) == 0 {
		return nil
	}
	sorting.By(values, func(a, b T) int { return int(min(max(a-b, -1), 1)) })
	at := func(percent int) T { return values[(len(values)*percent+99)/100-1] }
	return map[string]T{"p50": at(50), "p90": at(90), "p99": at(99), "max": values[len(values)-1]}
}

// Exit returns the exit code of the batch: 1 if an item failed, 3 if some are only parked, or
// calls were denied because nobody could be asked.
func (s Summary) Exit() int {
	switch {
	case s.Statuses[Failed] > 0:
		return 1
	case s.Statuses[Parked] > 0 || s.Denied > 0:
		return 3
	}
	return 0
}

// Text returns the summary for people.
func (s Summary) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", s.Batch, fault.Count(s.Items, "item"))
	for _, status := range []Status{OK, NeedsInput, Failed, Parked, Cancelled, Open} {
		if n := s.Statuses[status]; n > 0 {
			fmt.Fprintf(&b, ", %d %s", n, status)
		}
	}
	b.WriteByte('\n')
	codes := slices.Collect(maps.Keys(s.Failures))
	sorting.By(codes, func(a, b fault.Code) int {
		if s.Failures[a] != s.Failures[b] {
			return s.Failures[b] - s.Failures[a]
		}
		return strings.Compare(string(a), string(b))
	})
	for _, code := range codes {
		fmt.Fprintf(&b, "  %-20s %d\n", code, s.Failures[code])
	}
	if s.MS != nil {
		fmt.Fprintf(&b, "time per item: %s median, %s 90th percentile, %s 99th percentile, %s longest\n", elapsed(s.MS["p50"]), elapsed(s.MS["p90"]), elapsed(s.MS["p99"]), elapsed(s.MS["max"]))
	}
	if s.Usage.In+s.Usage.Out > 0 {
		fmt.Fprintf(&b, "tokens: %d in, %d out", s.Usage.In, s.Usage.Out)
		if cost := s.Usage.CostText(); cost != "" {
			fmt.Fprintf(&b, "; cost: %s", cost)
			if s.ItemCost != nil {
				fmt.Fprintf(&b, " (per item %s median, %s highest)", s.ItemCost["p50"].Text(), s.ItemCost["max"].Text())
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// elapsed returns milliseconds for people.
func elapsed(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	if d >= 10*time.Second {
		return d.Round(time.Second).String()
	}
	return d.String()
}
