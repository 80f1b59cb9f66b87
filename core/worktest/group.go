package worktest

import (
	"cmp"
	"math"
	"slices"

	"golem/core/sorting"
	"golem/core/trace"
)

// Group is what the samples of one case with one model gave together. A case without samples
// is a group of one.
type Group struct {
	File     string      `json:"file"`
	Case     string      `json:"case"`
	Model    string      `json:"model"`
	Status   string      `json:"status"`
	Passed   int         `json:"passed"`
	Runs     int         `json:"runs"` // that could be judged
	Low      float64     `json:"low"`  // Wilson's interval of the pass rate, 95 %
	High     float64     `json:"high"`
	Usage    trace.Usage `json:"usage"`
	P50      int64       `json:"p50_ms"`
	P95      int64       `json:"p95_ms"`
	passRate float64
	all      []Verdict
}

// Groups returns the groups of verdicts, in their order.
func Groups(verdicts []Verdict) []Group {
	var out []Group
	for _, v := range verdicts {
		i := -1
		if v.Sample > 1 {
			i = slices.IndexFunc(out, func(g Group) bool { return g.File == v.File && g.Case == v.Case && g.Model == v.Model })
		}
		if i < 0 {
			out, i = append(out, Group{File: v.File, Case: v.Case, Model: v.Model, passRate: v.PassRate}), len(out)
		}
		out[i].all = append(out[i].all, v)
	}
	for i := range out {
		out[i].sum()
	}
	return out
}

func (g *Group) sum() {
	worst := Passed
	var took []int64
	for _, v := range g.all {
		switch v.Status {
		case Passed:
			g.Passed++
			g.Runs++
		case Failed:
			g.Runs++
		default:
			worst = v.Status
		}
		g.Usage = g.Usage.Plus(v.Usage)
		took = append(took, v.MS)
	}
	g.Low, g.High = Wilson(g.Passed, g.Runs)
	g.P50, g.P95 = percentile(took, 50), percentile(took, 95)
	g.Status = worst
	if worst == Passed && float64(g.Passed) < g.passRate*float64(g.Runs)-1e-9 {
		g.Status = Failed
	}
}

// Models returns one group for each model, over all cases: side by side, ordered as they come
// first.
func Models(verdicts []Verdict) []Group {
	var out []Group
	for _, v := range verdicts {
		i := slices.IndexFunc(out, func(g Group) bool { return g.Model == v.Model })
		if i < 0 {
			out, i = append(out, Group{Model: v.Model, passRate: 1}), len(out)
		}
		out[i].all = append(out[i].all, v)
	}
	for i := range out {
		out[i].sum()
	}
	return out
}

// Wilson returns Wilson's score interval at 95 % for passed of n; 0 and 1 for n = 0.
func Wilson(passed, n int) (low, high float64) {
	if n <= 0 {
		return 0, 1
	}
	const z = 1.959963984540054
	p, m := float64(passed)/float64(n), float64(n)
	middle := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return max(0, middle-half), min(1, middle+half)
}

// percentile returns the nearest-rank percentile; 0 for none.
func percentile(values []int64, p int) int64 {
	if len(values) == 0 {
		return 0
	}
	sorted := append([]int64{}, values...)
	sorting.By(sorted, func(a, b int64) int { return cmp.Compare(a, b) })
	return sorted[min(len(sorted)-1, (p*len(sorted)+99)/100-1)]
}

// Exit returns the exit code of golem test (SPEC §17): 1 if a case failed, 2 if one is stale
// or could not be judged, or if there is none; 1 wins over 2.
func Exit(verdicts []Verdict) int {
	code := 0
	if len(verdicts) == 0 {
		return 2
	}
	for _, g := range Groups(verdicts) {
		switch g.Status {
		case Failed:
			return 1
		case Passed:
		default:
			code = 2
		}
	}
	return code
}
