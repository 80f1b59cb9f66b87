package config

import (
	"fmt"
	"strings"

	"golem/core/fault"
	"golem/core/money"
	"golem/core/yamltree"
)

// ModelFacts is what providers: says about a model: the largest number of tokens that
// it reads (0: not known) and its price (nil: not known).
type ModelFacts struct {
	Context int        `json:"context,omitempty"`
	Price   *ModelCost `json:"price,omitempty"`
}

// ModelCost is the price of a million tokens. Cached is for input that the provider
// reads from its cache, Written for input that it writes there; a file that does not
// give these means the price of Input.
type ModelCost struct {
	Input   money.USD `json:"input"`
	Output  money.USD `json:"output"`
	Cached  money.USD `json:"cached_input"`
	Written money.USD `json:"cache_write"`
}

// priceDecimals is the largest number of decimals of a price per million tokens: the
// price of one token is then a whole number of money's units.
const priceDecimals = 6

// dollarShape returns the shape of an amount of US dollars with at most priceDecimals
// decimals.
func dollarShape() *yamltree.Shape {
	return named("dollars", inJSON(`{"type": "number", "minimum": 0}`, yamltree.ScalarOf("a number of US dollars", func(n *yamltree.Node) (string, string) {
		hint := "write US dollars as a plain number: 0.50"
		switch n.Tag {
		case yamltree.TagInt, yamltree.TagFloat:
			if _, err := money.Parse(n.Text, priceDecimals); err != nil {
				return fault.Brief(n.Text) + " " + err.Error(), hint
			}
			return "", ""
		case yamltree.TagText:
			s := strings.TrimSpace(strings.TrimPrefix(n.Text, "$"))
			if _, err := money.Parse(s, priceDecimals); err == nil {
				hint = "write " + s
			}
		}
		return fmt.Sprintf("expected a number of US dollars, found %s", n.Found()), hint
	})))
}

// dollars returns the amount of a node that fits dollarShape, or the default if n is
// nil.
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

// factsShape returns the shape of models in a provider's row.
func factsShape() *yamltree.Shape {
	price := yamltree.KeysOf(map[string]*yamltree.Shape{
		"input": key("What a model reads.", dollarShape()), "output": key("What a model writes, with its reasoning.", dollarShape()),
		"cached_input": key("Input read from the provider's cache; without it, as input.", dollarShape()), "cache_write": key("Input that the provider puts into its cache; without it, as input.", dollarShape()),
	})
	price.Musts = []string{"input", "output"}
	return yamltree.MapOf(yamltree.KeysOf(map[string]*yamltree.Shape{"context": key("Tokens that the model reads at most.", yamltree.Count(1, 1e9)), "price": key("US dollars a million tokens, at most six decimals.", price)}))
}

// facts returns the models of a provider's row; nil if n is nil.
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
