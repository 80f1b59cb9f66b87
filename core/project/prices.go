package project

import (
	"fmt"
	"strings"

	"golem/core/fault"
	"golem/core/money"
	"golem/core/yamltree"
)

// ModelFacts are what providers: says of a model: the tokens it reads at most
// (0: not said) and what it costs (nil: not said).
type ModelFacts struct {
	Context int        `json:"context,omitempty"`
	Price   *ModelCost `json:"price,omitempty"`
}

// ModelCost is what a million tokens cost. Cached is input read from the
// provider's cache, Written input that it puts there; without a word on them
// they cost what Input does.
type ModelCost struct {
	Input   money.USD `json:"input"`
	Output  money.USD `json:"output"`
	Cached  money.USD `json:"cached_input"`
	Written money.USD `json:"cache_write"`
}

// priceDecimals are those of a million tokens' price: one token's is then a
// whole number of money's units.
const priceDecimals = 6

// dollarShape is an amount of US dollars with at most so many decimals.
func dollarShape(most int) *yamltree.Shape {
	return yamltree.ScalarOf("a number of US dollars", func(n *yamltree.Node) (string, string) {
		hint := "write US dollars as a plain number: 0.50"
		switch n.Tag {
		case yamltree.TagInt, yamltree.TagFloat:
			if _, err := money.Parse(n.Text, most); err != nil {
				return fault.Brief(n.Text) + " " + err.Error(), hint
			}
			return "", ""
		case yamltree.TagText:
			s := strings.TrimSpace(strings.TrimPrefix(n.Text, "$"))
			if _, err := money.Parse(s, most); err == nil {
				hint = "write " + s
			}
		}
		return fmt.Sprintf("expected a number of US dollars, found %s", n.Found()), hint
	})
}

// dollars is the amount behind a dollarShape, or the default if n is nil.
func dollars(n *yamltree.Node, without money.USD) money.USD {
	if n == nil {
		return without
	}
	v, err := money.Parse(n.Text, priceDecimals)
	if err != nil {
		return without
	}
	return v
}

// factsShape are the models of a provider's row.
func factsShape() *yamltree.Shape {
	price := yamltree.KeysOf(map[string]*yamltree.Shape{
		"input": dollarShape(priceDecimals), "output": dollarShape(priceDecimals),
		"cached_input": dollarShape(priceDecimals), "cache_write": dollarShape(priceDecimals),
	})
	price.Musts = []string{"input", "output"}
	return yamltree.MapOf(yamltree.KeysOf(map[string]*yamltree.Shape{"context": yamltree.Count(1, 1e9), "price": price}))
}

// facts are the models of a provider's row; nil without any.
func facts(n *yamltree.Node) map[string]ModelFacts {
	if n == nil {
		return nil
	}
	out := map[string]ModelFacts{}
	for _, f := range n.Fields {
		m := ModelFacts{Context: f.Value.Get("context").Count(0)}
		if p := f.Value.Get("price"); p != nil {
			in := dollars(p.Get("input"), 0)
			m.Price = &ModelCost{
				Input: in, Output: dollars(p.Get("output"), 0),
				Cached: dollars(p.Get("cached_input"), in), Written: dollars(p.Get("cache_write"), in),
			}
		}
		out[f.Name] = m
	}
	return out
}
