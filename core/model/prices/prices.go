// Package prices is the built-in table of what models cost and how much they
// read, with its date (SPEC §10). It knows list prices of tokens and nothing
// else: no discounts, no tiers by length, no fees of a provider's own tools.
//
// table.txt is written by .ci/prices (make prices); nothing of it is parsed
// before somebody asks.
package prices

import (
	_ "embed"
	"strconv"
	"strings"

	"golem/core/money"
)

//go:embed table.txt
var table string

// Price is what a million tokens cost, in US dollars.
type Price struct {
	Input  money.USD
	Output money.USD // reasoning included
	Cached money.USD // input read from the provider's cache; Input where the table has no price for it
	// Written is input that the provider puts into its cache; Input where the
	// table has no price for it.
	Written money.USD
}

// Of returns what tokens cost. in includes cached and written.
func (p Price) Of(in, cached, written, out int) money.USD {
	plain := max(0, in-cached-written)
	return p.Input.Of(plain).Plus(p.Cached.Of(cached)).Plus(p.Written.Of(written)).Plus(p.Output.Of(out))
}

// Listing is what is known of a model.
type Listing struct {
	Context int   // tokens it reads at most; 0 = not known
	Price   Price // holds if Priced
	Priced  bool  // false: nobody said what it costs
}

// Of returns what the table knows about a model, by the provider's name for it; false
// if nothing. A name without a date finds the row with that name and a date, if there
// is only one: for providers such a name means the newest.
func Of(provider, model string) (Listing, bool) {
	rows := section(provider)
	if rows == "" || model == "" || strings.ContainsAny(model, " \n") {
		return Listing{}, false
	}
	if line, there := row(rows, model+" "); there {
		return listing(line), true
	}
	var found string
	for rest := rows; ; {
		_, after, more := strings.Cut(rest, "\n"+model+"-")
		if !more {
			break
		}
		suffix, line, _ := strings.Cut(after, " ")
		if dated(suffix) {
			if found != "" {
				return Listing{}, false
			}
			found = line
		}
		rest = after
	}
	if found == "" {
		return Listing{}, false
	}
	line, _, _ := strings.Cut(found, "\n")
	return listing(line), true
}

// Source returns where the table is from and its date (2006-01-02): "charm.land/catwalk
// v0.51.0", "2026-07-23".
func Source() (from, date string) {
	for line := range strings.Lines(table) {
		if line[0] != '#' {
			if i := strings.LastIndexByte(line, ' '); i > 0 {
				return line[:i], strings.TrimSpace(line[i:])
			}
			break
		}
	}
	return "", ""
}

// section returns a provider's rows, each after a line break.
func section(provider string) string {
	_, rest, _ := strings.Cut(table, "\n@"+provider+"\n")
	if rest == "" {
		return ""
	}
	rows, _, _ := strings.Cut(rest, "\n@")
	return "\n" + rows
}

// row returns the rest of the line that begins with begin.
func row(rows, begin string) (string, bool) {
	_, rest, there := strings.Cut(rows, "\n"+begin)
	line, _, _ := strings.Cut(rest, "\n")
	return line, there
}

// dated reports whether a suffix is a day: 20250929 or 2025-09-29.
func dated(s string) bool {
	digits := strings.ReplaceAll(s, "-", "")
	return len(digits) == 8 && strings.Trim(digits, "0123456789") == "" && (len(s) == 8 || len(s) == 10 && s[4] == '-' && s[7] == '-')
}

// listing reads the columns after a model's name.
func listing(line string) Listing {
	cols := strings.Fields(line)
	var l Listing
	if len(cols) > 0 {
		l.Context, _ = strconv.Atoi(cols[0]) // "-" is 0
	}
	if len(cols) < 3 {
		return l
	}
	at := func(i int, without money.USD) money.USD {
		if i < len(cols) {
			if v, err := money.Parse(cols[i], 6); err == nil {
				return v
			}
		}
		return without
	}
	p := Price{Input: at(1, 0), Output: at(2, 0)}
	p.Cached, p.Written = at(3, p.Input), at(4, p.Input)
	l.Price, l.Priced = p, true
	return l
}
