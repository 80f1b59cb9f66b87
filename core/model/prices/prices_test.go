package prices

import (
	"slices"
	"strings"
	"testing"
	"time"

	"golem/core/money"
)

func usd(t *testing.T, s string) money.USD {
	t.Helper()
	v, err := money.Parse(s, 6)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestSourceHasADate(t *testing.T) {
	from, date := Source()
	if _, err := time.Parse(time.DateOnly, date); err != nil || !strings.HasPrefix(from, "charm.land/catwalk v") {
		t.Errorf("the table is from %q of %q: %v", from, date, err)
	}
}

// Each row of the table is found by its name and is plausible: input from the cache
// costs no more than input, writing to it no less.
func TestEveryRow(t *testing.T) {
	provider, rows := "", 0
	var names, providers []string
	for line := range strings.Lines(table) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#' || strings.HasPrefix(line, "charm.land/"):
			continue
		case line[0] == '@':
			if !slices.IsSorted(names) {
				t.Errorf("the models of %s are not in order", provider)
			}
			provider, names = line[1:], nil
			providers = append(providers, provider)
			continue
		}
		rows++
		cols := strings.Fields(line)
		names = append(names, cols[0])
		got, known := Of(provider, cols[0])
		if !known || len(cols) != 2 && len(cols) < 4 || len(cols) > 6 || got.Priced != (len(cols) > 3) || (got.Context == 0) != (cols[1] == "-") {
			t.Errorf("%s:%s is %+v, from %q", provider, cols[0], got, line)
			continue
		}
		if p := got.Price; got.Priced && (p.Input <= 0 || p.Output <= 0 || p.Cached <= 0 || p.Cached > p.Input || p.Written < p.Input || p.Input > 1000*money.Dollar) {
			t.Errorf("%s:%s has the prices %+v", provider, cols[0], p)
		}
	}
	if rows < 100 || !slices.IsSorted(providers) {
		t.Errorf("%d rows of %v", rows, providers)
	}
}

// The columns have the right meaning, compared with one row of each kind, as of catwalk
// v0.51.0.
func TestColumns(t *testing.T) {
	defer func(was string) { table = was }(table)
	table = "# x\nsrc v1 2026-01-02\n@a\nfull 100 3 15 0.3 3.75\nno-cache 5 2 8\nread - 1.25 10 0.125\nsize 7\nwrite 9 1 2 - 1.5\n@b\nfull 1 1 1\n"
	for model, want := range map[string]Price{
		"full":     {usd(t, "3"), usd(t, "15"), usd(t, "0.3"), usd(t, "3.75")},
		"no-cache": {usd(t, "2"), usd(t, "8"), usd(t, "2"), usd(t, "2")},
		"read":     {usd(t, "1.25"), usd(t, "10"), usd(t, "0.125"), usd(t, "1.25")},
		"write":    {usd(t, "1"), usd(t, "2"), usd(t, "1"), usd(t, "1.5")},
	} {
		if got, known := Of("a", model); !known || !got.Priced || got.Price != want {
			t.Errorf("%s costs %+v", model, got)
		}
	}
	if got, known := Of("a", "size"); !known || got.Priced || got.Context != 7 {
		t.Errorf("a model of which only the size is known is %+v", got)
	}
	if got, _ := Of("b", "full"); got.Context != 1 {
		t.Errorf("the model of another provider is %+v", got)
	}
}

func TestNamesWithoutADate(t *testing.T) {
	defer func(was string) { table = was }(table)
	table = "\n@a\nm-1-20250102 1 1 1\nm-1-mini 2 1 1\nn-20250102 3 1 1\nn-20250203 4 1 1\np-2025-01-02 5 1 1\n"
	for name, context := range map[string]int{"m-1": 1, "m-1-20250102": 1, "m-1-mini": 2, "p": 5, "n": 0, "m": 0, "": 0, "m-1-2": 0, "m-1-20250102 1": 0, "p-2025": 0} {
		if got, known := Of("a", name); got.Context != context || known != (context > 0) {
			t.Errorf("%q is %+v, %v", name, got, known)
		}
	}
	if _, known := Of("", "m-1"); known {
		t.Error("there is a provider without a name")
	}
	if _, known := Of("a\nm-1-mini 2 1 1", "n"); known {
		t.Error("a provider's name can hold rows")
	}
}

// The cost is as calculated by hand: 1,000 of input of which 700 were read from the
// cache and 200 written to it, 50 of output.
func TestCost(t *testing.T) {
	p := Price{Input: usd(t, "3"), Output: usd(t, "15"), Cached: usd(t, "0.3"), Written: usd(t, "3.75")}
	if got := p.Of(1000, 700, 200, 50).String(); got != "0.00201" { // 100×3 + 700×0.3 + 200×3.75 + 50×15 = 2010 millionths
		t.Errorf("it costs %s", got)
	}
	if got := p.Of(10, 700, 0, 0); got != usd(t, "0.3").Of(700) {
		t.Errorf("more cached than input costs %s", got)
	}
}

// BenchmarkOf measures the slowest case: the last provider, a name that is not there.
func BenchmarkOf(b *testing.B) {
	for b.Loop() {
		if _, known := Of("zai", "glm-0"); known {
			b.Fatal("there is a glm-0")
		}
		if _, known := Of("openrouter", "z-ai/glm-0"); known {
			b.Fatal("there is a glm-0")
		}
	}
}
