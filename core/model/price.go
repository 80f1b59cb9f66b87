package model

import (
	"encoding/json"
	"net/netip"
	"slices"

	"golem/core/model/prices"
)

// Known is what a person or a project says about a provider's model (providers:
// NAME: models:).
type Known struct {
	Context int           // the most tokens that it reads; 0: not given
	Price   *prices.Price // nil: not given
}

// anyModel stands in Provider.Models for all models that it does not name.
const anyModel = "*"

// The values of Listing.From: who gave the price of a model.
const (
	ByPerson  = "person"   // the person's config
	ByTable   = "table"    // golem's own, see package prices
	ByProject = "project"  // the manifest
	ByNature  = "no price" // it runs on this machine and takes no key
)

// Listing is what is known about a model, and who gave its price ("": nobody).
type Listing struct {
	prices.Listing
	From string
}

// Listing returns context size and price of provider:model, if known. The person's
// values count first, then the built-in table, then the project's: these can fill gaps
// but replace nothing. A local server on this machine that gets no key costs nothing,
// unless one of them has a price.
func (c Config) Listing(name string) Listing {
	provider, model, err := Split(name)
	if err != nil {
		return Listing{}
	}
	row, err := c.row(provider)
	if err != nil {
		return Listing{}
	}
	if row.local {
		if end, err := c.endpoint(row, model); err == nil {
			return end.listing(model)
		}
	}
	return row.listing(model)
}

func (p Provider) listing(model string) Listing {
	var l Listing
	add := func(o prices.Listing, from string) {
		if l.Context == 0 {
			l.Context = o.Context
		}
		if !l.Priced && o.Priced {
			l.Price, l.Priced, l.From = o.Price, true, from
		}
	}
	say := func(m map[string]Known, from string) {
		for _, name := range []string{model, anyModel} {
			k := m[name]
			o := prices.Listing{Context: k.Context, Priced: k.Price != nil}
			if o.Priced {
				o.Price = *k.Price
			}
			add(o, from)
		}
	}
	say(p.Models, ByPerson)
	if o, known := prices.Of(p.Name, model); known {
		add(o, ByTable)
	}
	say(p.Suggested, ByProject)
	return l
}

// listing returns the row's listing of a model. A local server on this machine that
// gets no key costs nothing, unless it has a price.
func (e *endpoint) listing(model string) Listing {
	l := e.row.listing(model)
	if !l.Priced && e.row.local && e.key == "" && loopback(e.url.Hostname()) {
		l.Price, l.Priced, l.From = prices.Price{}, true, ByNature
	}
	return l
}

func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// usual are the values of service_tier that cost what the table says.
var usual = []string{`"auto"`, `"default"`, `"standard"`, `"standard_only"`, `"on_demand"`}

// bill returns u with the cost of the answer, or with Unpriced if nobody knows it.
func (m *remote) bill(u Usage, s Settings) Usage {
	tier, set := s["service_tier"]
	switch l := m.listing; {
	case !l.Priced, set && (l.From == ByTable || l.From == ByProject) && !slices.Contains(usual, compact(tier)):
		u.Unpriced = true
	default:
		u.Cost = l.Price.Of(u.In, u.Cached, u.Written, u.Out)
		u.Suggested = l.From == ByProject
	}
	return u
}

func compact(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return string(raw)
	}
	return string(quote(s))
}

// Prospect returns what will be known about the cost of a model's answers,
// before there are any: Unpriced and Suggested of their Usage; for a list of
// models, if it is true for any of them. name is the model that it is true for.
func Prospect(m Model, s Settings) (u Usage, name string) {
	name = m.Name()
	for _, one := range modelsOf(m) {
		r, ok := undecorated(one).(*remote)
		if !ok {
			continue
		}
		next := r.bill(Usage{}, s)
		if !u.Unpriced && (next.Unpriced || next.Suggested && !u.Suggested) {
			name = r.name
		}
		u = u.Add(next)
	}
	return u, name
}

// Context returns how many tokens the model reads at most, of a list the fewest; 0
// if that is not known.
func Context(m Model) (tokens int) {
	for _, one := range modelsOf(m) {
		known := 0
		switch one := undecorated(one).(type) {
		case *remote:
			known = one.listing.Context
		case *replay: // its requests are those of the recorded model
			known = one.context
		}
		if known > 0 && (tokens == 0 || known < tokens) {
			tokens = known
		}
	}
	return tokens
}

// CanTitle reports whether a model can be asked for a title: a script and a recording cannot.
func CanTitle(m Model) bool {
	_, replayed := undecorated(m).(*replay)
	return CanSummarise(m) && !replayed
}

// CanSummarise reports whether a model can be asked for a summary: a script cannot.
func CanSummarise(m Model) bool {
	_, scripted := undecorated(m).(*script)
	return m != nil && !scripted
}
