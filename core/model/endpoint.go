package model

import (
	"net/http"
	"net/url"
	"strings"

	"golem/core/fault"
)

// endpoint is where a provider's requests go and with which key. The key is
// kept out of every message.
type endpoint struct {
	row     Provider
	url     *url.URL
	key     string
	keyVar  string // the environment variable that has the key
	foreign bool   // a manifest chose the host and nobody trusted it
}

// endpoint resolves a row: address, key, and whether the key may go there.
func (c Config) endpoint(row Provider, model string) (*endpoint, error) {
	e := &endpoint{row: row}
	address, baseVar, own := c.address(row)
	if address == "" {
		return nil, fault.New(fault.Model, "%s has no default address", row.Name).
			Hinting("set %s, for example to https://NAME.openai.azure.com/openai/v1", BaseURLVar(row.Name)).
			InPage("", "enter the address in the settings, for example https://NAME.openai.azure.com/openai/v1")
	}
	var err error
	if e.url, err = baseURL(address, baseVar); err != nil {
		return nil, err
	}
	if row.Name == azure {
		e.atAzure(model)
	}
	for _, v := range []string{row.KeyVar, row.altKeyVar} {
		if v == "" || e.key != "" {
			continue
		}
		if k := strings.TrimSpace(c.env(v)); k != "" {
			e.key, e.keyVar = k, v
		}
	}
	if e.key == "" && !row.NoKey {
		return nil, fault.New(fault.Model, "there is no key for %s: %s is not set", row.Name, row.KeyVar).
			Hinting("golem login %s asks for the key and keeps it; or set %s in the environment, or choose another model with --model", row.Name, row.KeyVar).
			InPage("there is no key for "+row.Name, "enter its key in the settings, or choose another model")
	}
	if strings.ContainsFunc(e.key, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return nil, fault.New(fault.Model, "the key in %s contains blanks or other characters that are not allowed in keys", e.keyVar).
			Hinting("copy the key again, as one word")
	}
	e.foreign = e.key != "" && !own && !row.Trusted && !home(e.url, e.keyVar)
	return e, checkHeaders(row)
}

// address returns the URL that a row's requests go to, the name of the setting that has
// it, and whether a person set it. The URL is "" if it is set nowhere.
func (c Config) address(row Provider) (address, from string, own bool) {
	from = BaseURLVar(row.Name)
	address = c.env(from)
	if address == "" && row.Name == azure {
		address = c.env(azureEndpoint)
	}
	if address == "" {
		return row.BaseURL, "providers: " + row.Name, false
	}
	return address, from, true
}

// parsed returns the address of a row, nil if it has none that is valid.
func (c Config) parsed(row Provider) *url.URL {
	address, from, _ := c.address(row)
	u, _ := baseURL(address, from) // endpoint reports the error
	return u
}

// Host returns the host that requests of a model would go to; "" if they go to none,
// as those of script:, or if it is not known.
func (c Config) Host(name string) string {
	provider, _, err := Split(name)
	if err != nil || provider == "script" || provider == "replay" {
		return ""
	}
	row, err := c.row(provider)
	if err != nil {
		return ""
	}
	u := c.parsed(row)
	if u == nil {
		return ""
	}
	return u.Host
}

// Azure gives each customer an address of their own.
const (
	azure         = "azure"
	azureEndpoint = "AZURE_OPENAI_ENDPOINT" // as its own tools call it
	azureVersion  = "2024-10-21"            // of the addresses that need one
)

// atAzure completes an address: a bare host speaks the protocol at /openai/v1;
// the older addresses name the deployment and need an api-version.
func (e *endpoint) atAzure(deployment string) {
	switch {
	case e.url.Path == "":
		e.url.Path = "/openai/v1"
	case strings.HasSuffix(e.url.Path, "/deployments"):
		e.url = e.url.JoinPath(deployment)
	}
	if strings.Contains(e.url.Path, "/deployments/") && e.row.Query["api-version"] == "" {
		e.row.Query = merged(e.row.Query, map[string]string{"api-version": azureVersion})
	}
}

// env returns a variable, "" if there is no environment.
func (c Config) env(key string) string {
	if c.Env == nil {
		return ""
	}
	return c.Env(key)
}

// baseURL parses and checks an address. from is the name of its setting, for errors.
func baseURL(address, from string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimRight(strings.TrimSpace(address), "/"))
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, fault.New(fault.Model, "the address of %s is not an http or https URL", from).
			Hinting("write it like https://api.example.com/v1")
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, fault.New(fault.Model, "the address of %s contains a user name, a query or a fragment", from).
			Hinting("write only scheme, host and path; put the key into an environment variable").
			InPage("", "write only scheme, host and path; enter the key in its own field")
	}
	return u, nil
}

// home reports whether u is the built-in address of a provider whose key the
// variable holds: there the key may go without asking.
func home(u *url.URL, keyVar string) bool {
	for _, p := range rows {
		if p.KeyVar != keyVar && p.altKeyVar != keyVar {
			continue
		}
		if b, err := url.Parse(p.BaseURL); err == nil && b.Scheme == u.Scheme && strings.EqualFold(b.Host, u.Host) {
			return true
		}
	}
	return false
}

// checkHeaders refuses headers that could forge other header lines, and those that
// golem sets itself.
func checkHeaders(row Provider) error {
	if name := row.Quirks.KeyHeader; name != "" {
		row.Headers = merged(row.Headers, map[string]string{name: ""})
	}
	for k, v := range row.Headers {
		bad := k == "" || strings.ContainsFunc(k, func(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune("()<>@,;:\\\"/[]?={}", r) }) ||
			strings.ContainsFunc(v, func(r rune) bool { return r < ' ' || r >= 0x7f })
		if bad {
			return fault.New(fault.Config, "providers: %s has a header %q that cannot be sent", row.Name, k).
				Hinting("write the header as one line of plain characters")
		}
		if strings.EqualFold(k, "host") || strings.EqualFold(k, "content-length") || strings.EqualFold(k, "content-type") {
			return fault.New(fault.Config, "providers: %s may not set the header %q", row.Name, k).
				Hinting("remove it: golem sets it")
		}
	}
	return nil
}

// sign puts the row's headers and query and the key into a request.
func (e *endpoint) sign(req *http.Request) {
	for name, value := range e.row.Headers {
		req.Header.Set(name, value)
	}
	if len(e.row.Query) > 0 {
		query := req.URL.Query()
		for name, value := range e.row.Query {
			query.Set(name, value)
		}
		req.URL.RawQuery = query.Encode()
	}
	switch header := e.row.Quirks.KeyHeader; {
	case e.key == "":
	case header != "":
		req.Header.Set(header, e.key)
	default:
		req.Header.Set("Authorization", "Bearer "+e.key)
	}
}

// permit refuses to send a key to a host that a project chose and no person trusted.
// Trust is settled before a model is opened; this is the last check.
func (e *endpoint) permit() error {
	if e.foreign {
		return fault.New(fault.Trust, "the project would send the key in %s to %s, and nobody trusted that", e.keyVar, e.url.Host).
			Hinting("trust the project, or set %s_BASE_URL=%s yourself if you trust that host", envName(e.row.Name), e.url).
			InPage("", "trust the project, or enter "+e.url.String()+" in the settings yourself if you trust that host")
	}
	return nil
}
