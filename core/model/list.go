package model

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"golem/core/fault"
	"golem/core/sorting"
)

// Offer is one model that a provider offers.
type Offer struct {
	Name    string `json:"name"`              // in full, "openai:gpt-5-mini"
	Context int    `json:"context,omitempty"` // how many tokens it takes; 0: not known
	Price   *Price `json:"price,omitempty"`   // nil: not known
}

// Price is what a million tokens cost, in US dollars as decimal numbers:
// "0.25". Cached is the price of input that the provider has in its cache. ""
// means unknown.
type Price struct {
	In     string `json:"in"`
	Cached string `json:"cached,omitempty"`
	Out    string `json:"out"`
}

// Limits for a provider's list of models (SECURITY 22).
const (
	maxList   = 8 << 20 // bytes
	maxOffers = 5000
	maxOffer  = 200 // bytes of a name
	listTime  = 20 * time.Second
	nearTime  = 5 * time.Second
)

// List requests the provider's list of models and returns it sorted by name.
func List(ctx context.Context, provider string, c Config) ([]Offer, error) {
	row, err := c.row(provider)
	if err != nil {
		return nil, err
	}
	if row.unlisted != "" {
		return nil, fault.New(fault.Model, "%s does not list its models: %s", provider, row.unlisted)
	}
	if c.HTTP == nil {
		return nil, fault.New(fault.Model, "%s cannot be reached: this platform has no network", provider)
	}
	end, err := c.endpoint(row, "")
	if err != nil {
		return nil, err
	}
	if err := end.permit(); err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	offers, err := newRemote(provider, "its models", end, c).offers(limited)
	switch {
	case ctx.Err() != nil:
		return nil, ended(ctx, provider)
	case err != nil:
		return nil, err
	}
	for i, o := range offers {
		offers[i].Name = provider + ":" + o.Name
		known := row.listing(o.Name)
		offers[i].Context, offers[i].Price = cmp.Or(o.Context, known.Context), offered(known)
	}
	return offers, nil
}

// offered returns a price in the form for people; nil if it is not known.
func offered(l Listing) *Price {
	if !l.Priced {
		return nil
	}
	p := &Price{In: l.Price.Input.String(), Out: l.Price.Output.String()}
	if l.Price.Cached != l.Price.Input {
		p.Cached = l.Price.Cached.String()
	}
	return p
}

// Keyed reports whether a provider's key is set, and whether it needs no key.
// Both are false for a provider that does not list its models.
func (c Config) Keyed(provider string) (keyed, free bool) {
	row, err := c.row(provider)
	if err != nil || row.unlisted != "" {
		return false, false
	}
	for _, v := range row.Keys() {
		keyed = keyed || strings.TrimSpace(c.env(v)) != ""
	}
	return keyed, row.NoKey
}

// offers requests the models. They have the provider's names for them.
func (m *remote) offers(ctx context.Context) ([]Offer, error) {
	address := m.end.url.JoinPath("models")
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return nil, fault.New(fault.Model, "the request cannot be written: %w", err)
	}
	if m.end.row.apiAt(m.end.url) == Anthropic {
		req.Header.Set("anthropic-version", anthropicVersion)
		req.URL.RawQuery = "limit=1000" // the default is 20
	}
	m.end.sign(req)
	resp, err := m.config.HTTP.Do(req)
	if err != nil || resp == nil || resp.Body == nil {
		return nil, m.unreachable(err)
	}
	defer resp.Body.Close()
	switch {
	case otherHost(req.URL, resp):
		return nil, m.redirectedError(req.URL, resp)
	case resp.StatusCode == http.StatusNotFound, resp.StatusCode == http.StatusMethodNotAllowed, resp.StatusCode == http.StatusNotImplemented:
		return nil, m.noList(fmt.Sprintf("it answers with %d", resp.StatusCode))
	case resp.StatusCode != http.StatusOK:
		return nil, m.refused(resp, resp.Body)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxList+1))
	switch {
	case err != nil:
		return nil, broken(fmt.Sprintf("the list of %s ended early: %s", m.end.row.Name, m.clean(err.Error())), err)
	case len(data) > maxList:
		return nil, m.noList(fmt.Sprintf("it is longer than %d bytes", maxList))
	}
	offers, ok := readOffers(data)
	if !ok {
		if says := m.clean(complain(data).message); says != "" {
			return nil, m.noList(says)
		}
		return nil, m.noList("its answer has no models")
	}
	return slices.DeleteFunc(offers, func(o Offer) bool { return m.clean(o.Name) != o.Name }), nil
}

func (m *remote) noList(why string) error {
	now := " (now " + m.end.url.Host + "), or look for the names on the provider's pages"
	return (&failure{noList: true, message: fmt.Sprintf("%s does not list its models: %s", m.end.row.Name, why)}).
		fault(fault.Model, hintOrPage("check "+BaseURLVar(m.end.row.Name)+now, "check the address in the settings"+now))
}

// readOffers reads a list of models: a JSON list, or an object with the list as data or
// models. ok is false for anything else. Offers are sorted by name.
func readOffers(data []byte) (offers []Offer, ok bool) {
	var all []json.RawMessage
	if data = bytes.TrimSpace(data); len(data) > 0 && data[0] == '[' {
		ok = json.Unmarshal(data, &all) == nil
	} else {
		var o struct{ Data, Models []json.RawMessage }
		ok = json.Unmarshal(data, &o) == nil && (o.Data != nil || o.Models != nil)
		all = append(o.Data, o.Models...)
	}
	for _, one := range all[:min(len(all), maxOffers)] {
		if o := readOffer(one); o.Name != "" {
			offers = append(offers, o)
		}
	}
	sorting.By(offers, func(a, b Offer) int { return cmp.Compare(a.Name, b.Name) })
	return slices.CompactFunc(offers, func(a, b Offer) bool { return a.Name == b.Name }), ok
}

// contexts lists the providers' names for the number of tokens that a model takes.
var contexts = []string{"context_length", "context_window", "max_context_length", "max_model_len", "max_input_tokens", "top_provider.context_length"}

// readOffer reads one model. Its Name is "" if the provider's name cannot be used in a
// request.
func readOffer(raw json.RawMessage) Offer {
	var o struct {
		ID, Name  json.RawMessage
		Providers []json.RawMessage // used by Hugging Face
	}
	if json.Unmarshal(raw, &o) != nil {
		return Offer{Name: offerName(str(raw))}
	}
	out := Offer{Name: offerName(cmp.Or(str(o.ID), str(o.Name)))}
	for _, one := range append([]json.RawMessage{raw}, o.Providers...) {
		figures := readCounts(one)
		for _, name := range contexts {
			out.Context = max(out.Context, figures[name])
		}
	}
	return out
}

// offerName returns a model's name as requests have it; "" if it cannot be used.
func offerName(name string) string {
	name = strings.TrimPrefix(name, "models/") // Google's
	odd := func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }
	if len(name) > maxOffer || !utf8.ValidString(name) || strings.ContainsFunc(name, odd) {
		return ""
	}
	return name
}

// withNear adds the names that a person may have meant to the fault of a model
// that the provider does not have. Without a list the fault stays as it is.
func (m *remote) withNear(ctx context.Context, err error) error {
	f := fault.Of(err, fault.Model)
	if m.end.row.unlisted != "" {
		return f
	}
	ctx, cancel := context.WithTimeout(ctx, nearTime)
	defer cancel()
	m.near.Lock() // workers that run beside each other ask once
	defer m.near.Unlock()
	if m.near.hint == "" {
		offers, wrong := m.offers(ctx)
		if wrong != nil || len(offers) == 0 {
			return f
		}
		m.near.hint = nearHint(m.end.row.Name, m.model, offers)
	}
	out := *f
	out.Hint, out.Page = m.near.hint, nil
	return &out
}

// nearby is what a person may have meant instead of a model that is not there.
type nearby struct {
	sync.Mutex
	hint string // "" until it is known
}

// maxNear is how many names a hint offers.
const maxNear = 4

func nearHint(provider, name string, offers []Offer) string {
	names := make([]string, len(offers))
	for i, o := range offers {
		names[i] = o.Name
	}
	if slices.Contains(names, name) {
		return fmt.Sprintf("%s lists it: this account may have no access to it, or it needs another api", provider)
	}
	found := nearNames(name, names)
	if len(found) == 0 {
		some := names[:min(len(names), 2*maxNear)]
		more := ""
		if n := len(names) - len(some); n > 0 {
			more = fmt.Sprintf(" and %d more", n)
		}
		return fmt.Sprintf("%s has %s%s", provider, strings.Join(some, ", "), more)
	}
	for i, n := range found {
		found[i] = provider + ":" + n
	}
	return "did you mean " + strings.Join(found, ", ")
}

// nearNames returns the names that somebody may have meant: first those that differ in few
// letters, then those that contain the name or are contained in it.
func nearNames(name string, names []string) []string {
	var found, parts []string
	rest := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return lengthDifference(n, name) > len(name)/3+1 }) // their lengths differ too much
	for len(found) < maxNear {
		next := fault.Nearest(name, rest)
		if next == "" {
			break
		}
		found = append(found, next)
		rest = slices.DeleteFunc(rest, func(n string) bool { return n == next })
	}
	want := letters(name)
	for _, n := range names {
		got := letters(n)
		if slices.Contains(found, n) {
			continue
		}
		if len(want) > 2 && strings.Contains(got, want) || len(got) > 3 && strings.Contains(want, got) {
			parts = append(parts, n)
		}
	}
	sorting.By(parts, func(a, b string) int { return cmp.Compare(lengthDifference(a, name), lengthDifference(b, name)) })
	found = append(found, parts...)
	return found[:min(len(found), maxNear)]
}

// letters returns what is compared of a name: its letters and digits, in lower case.
func letters(name string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

func lengthDifference(a, b string) int { return max(len(a)-len(b), len(b)-len(a)) }
