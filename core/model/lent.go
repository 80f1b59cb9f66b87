package model

import (
	"net/url"
	"slices"
	"strings"

	"golem/core/fault"
)

// The two kinds of models that a platform lends: page:NAME is a function of the
// page that embeds golem, device: the browser's own model.
const (
	page   = "page"
	device = "device"
)

// Lends reports whether the models of a provider are lent by a platform.
func Lends(provider string) bool { return slices.Contains(Lenders(), provider) }

// Lenders returns the beginnings of the names of models that a platform lends.
func Lenders() []string { return []string{page, device} }

// NotLent returns the error, E_PLATFORM, of using a model on a platform that lends none.
func NotLent(name string) error {
	what := "a model that a web page provides"
	if strings.HasPrefix(name, device) {
		what = "the model of a browser"
	}
	return fault.New(fault.Platform, "%s is %s, and there is none here", name, what).
		Hinting("choose another model with --model, or run the project in a web page").InPage("", "choose another model")
}

// openLent opens a lent model. Requests and answers are chat completions, as with a
// provider, so that its answers pass the same limits.
func openLent(name, rest string, c Config) (Model, error) {
	if c.Lent == nil {
		return nil, NotLent(name)
	}
	doer := c.Lent[name]
	switch {
	case doer != nil:
	case name == device+":":
		return nil, fault.New(fault.Platform, "this browser has no model of its own").
			Hinting("choose another model; Chrome and Edge have one on computers that can run it")
	case strings.HasPrefix(name, device):
		return nil, fault.New(fault.Model, "a browser has one model, and it has no name: %s", name).Hinting("write %s:", device)
	default:
		var names []string
		for n := range c.Lent {
			if n != device+":" {
				names = append(names, n)
			}
		}
		return nil, fault.New(fault.Platform, "this page provides no model %s", name).
			Hinting("%s; a page provides models with golem.provide", fault.DidYouMean(name, names))
	}
	row := Provider{Name: name, NoKey: true, API: Chat, Image: true, Quirks: Quirks{NoUsage: true}}
	c.HTTP, c.Pace = doer, nil
	end := &endpoint{row: row, url: &url.URL{Scheme: "http", Host: page}} // no request leaves golem
	m := newRemote(name, rest, end, c)
	if name == device+":" {
		// The browser's model accepts only text, has no settings, and keeps to an output schema.
		m.end.row.Image, m.end.row.JSON = false, JSONSchema
		m.end.row.Quirks.Settings = lacks("temperature top_p max_output_tokens reasoning_effort seed stop parallel_tool_calls service_tier verbosity")
		m.listing = Listing{From: ByNature}
		m.listing.Priced = true
	}
	return m, nil
}
