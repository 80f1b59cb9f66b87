// Package telemetry sends the traces of runs to an OpenTelemetry collector that the person
// named, on the command line or in the environment, and never a project (SPEC §20). It is never
// in the way of a run: what fails is a warning.
package telemetry

import (
	"cmp"
	"errors"
	"net/http"
	"net/textproto"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golem/core/fault"
	"golem/core/otlp"
	"golem/core/trace"

	"golem/cmd/cli/console"
	"golem/cmd/cli/fetch"
	"golem/cmd/cli/home"
)

// Wanted is what the flags say.
type Wanted struct {
	URL      string // of --otlp; "": the environment decides
	Contents bool
}

// Values of OTEL variables.
const (
	usualTimeout = 3 * time.Second
	mostTimeout  = 60 * time.Second
	tracesPath   = "/v1/traces"
)

// settings are where and how traces are sent.
type settings struct {
	url     *url.URL
	header  http.Header
	timeout time.Duration // of all requests of one run
	options otlp.Options
}

// host returns the address for people, without what may be a secret.
func (s settings) host() string { return s.url.Scheme + "://" + s.url.Host }

// variable returns the OTEL variable for traces, or the one for all signals.
func variable(env home.Env, name string) (value, from string) {
	for _, from := range []string{"OTEL_EXPORTER_OTLP_TRACES_" + name, "OTEL_EXPORTER_OTLP_" + name} {
		if v := strings.TrimSpace(env[from]); v != "" {
			return v, from
		}
	}
	return "", ""
}

// read returns the settings; nil: nobody wants traces to be sent. Mistakes in the flags and in
// the environment are errors alike: the caller knows which of them may stop a run.
func read(env home.Env, w Wanted) (*settings, error) {
	named, from := variable(env, "ENDPOINT")
	s := &settings{timeout: usualTimeout, header: http.Header{}, options: otlp.Options{Contents: w.Contents}}
	switch {
	case w.URL != "":
		var err error
		if s.url, err = endpoint(env, "--otlp", w.URL, false); err != nil {
			return nil, err
		}
		if other, err := endpoint(env, from, named, true); named != "" && (err != nil || other.Scheme != s.url.Scheme || other.Host != s.url.Host) {
			return s, s.readRest(env, false) // the headers of the environment are for another address
		}
	case named == "" || turnedOff(env):
		return nil, nil
	default:
		if protocol, from := variable(env, "PROTOCOL"); protocol != "" && protocol != "http/json" {
			return nil, fault.New(fault.Usage, "%s is %s, and golem sends http/json only", from, fault.Quoted(protocol)).
				Hinting("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/json, with the address of the collector's HTTP port (usually 4318)")
		}
		var err error
		if s.url, err = endpoint(env, from, named, strings.Contains(from, "_TRACES_")); err != nil {
			return nil, err
		}
	}
	return s, s.readRest(env, true)
}

// turnedOff reports whether the environment turns off what it asks for elsewhere.
func turnedOff(env home.Env) bool {
	exporters := env["OTEL_TRACES_EXPORTER"]
	return strings.EqualFold(strings.TrimSpace(env["OTEL_SDK_DISABLED"]), "true") || exporters != "" && !strings.Contains(exporters, "otlp")
}

// endpoint returns the address of the traces. whole says that the text is that address, and not
// the one of all signals.
func endpoint(env home.Env, from, text string, whole bool) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fault.New(fault.Usage, "%s is not the address of a collector", from).Hinting("for example http://localhost:4318 or https://collector.example.com")
	}
	insecure, _ := variable(env, "INSECURE")
	if u.Scheme == "http" && !fetch.Loopback(u.Hostname()) && !strings.EqualFold(insecure, "true") {
		return nil, fault.New(fault.Usage, "%s names %s over http, which others on the way can read and change", from, fault.Quoted(u.Host)).
			Hinting("use https, or OTEL_EXPORTER_OTLP_INSECURE=true to send it nevertheless")
	}
	if !whole && !strings.HasSuffix(u.Path, tracesPath) {
		u.Path = strings.TrimSuffix(u.Path, "/") + tracesPath
	}
	u.Fragment = ""
	return u, nil
}

// readRest reads what else the environment says. headers says whether its headers may go to the
// address.
func (s *settings) readRest(env home.Env, headers bool) error {
	if text, from := variable(env, "TIMEOUT"); text != "" {
		ms, err := strconv.ParseInt(text, 10, 32)
		if err != nil || ms <= 0 {
			return fault.New(fault.Usage, "%s is not a time in milliseconds", from).Hinting("for example %s=3000", from)
		}
		s.timeout = min(time.Duration(ms)*time.Millisecond, mostTimeout)
	}
	if text, from := variable(env, "HEADERS"); text != "" && headers {
		all, err := pairs(text)
		for name, value := range all {
			if err == nil && (!token(name) || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) || reserved[textproto.CanonicalMIMEHeaderKey(name)]) {
				err = errPairs
			}
			s.header.Set(name, value)
		}
		if err != nil {
			return fault.New(fault.Usage, "%s is not a list of headers", from).Hinting("write %s=name=value,name=value, with %%20 for a space", from)
		}
	}
	var err error
	s.options.Resource, err = Resource(env)
	return err
}

// reserved are headers that golem sets by itself.
var reserved = map[string]bool{"Host": true, "Content-Type": true, "Content-Length": true, "Content-Encoding": true, "Transfer-Encoding": true, "Connection": true}

// Resource returns the attributes that the environment gives the resource.
func Resource(env home.Env) (map[string]string, error) {
	const list = "OTEL_RESOURCE_ATTRIBUTES"
	out, err := pairs(env[list])
	if err != nil {
		return nil, fault.New(fault.Usage, "%s is not a list of attributes", list).Hinting("write %s=name=value,name=value, with %%20 for a space", list)
	}
	if service := cmp.Or(env["OTEL_SERVICE_NAME"], out["service.name"]); service != "" {
		out["service.name"] = service
	}
	return out, nil
}

var errPairs = errors.New("not a list of name=value")

// pairs reads name=value,name=value, with percent-encoded values.
func pairs(text string) (map[string]string, error) {
	out := map[string]string{}
	for part := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		name, value, ok := strings.Cut(part, "=")
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if name = strings.TrimSpace(name); !ok || name == "" || err != nil {
			return nil, errPairs
		}
		out[name] = value
	}
	return out, nil
}

// token reports whether a text can be the name of a header.
func token(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune(`()<>@,;:\"/[]?={}`, r)
	})
}

// Secrets returns the secret values of the environment's headers: no run may show them.
func Secrets(env home.Env) (out []string) {
	for _, name := range []string{"OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS"} {
		all, err := pairs(env[name])
		if err != nil && env[name] != "" {
			out = append(out, env[name]) // nothing of it is known to be harmless
		}
		for _, value := range all {
			if trace.Ordinary(value) {
				continue
			}
			out = append(out, value)
			if _, key, ok := strings.Cut(value, " "); ok && key != "" { // Bearer KEY
				out = append(out, key)
			}
		}
	}
	return out
}

// Check returns E_USAGE for flags that cannot be carried out.
func Check(c *console.Console, w Wanted) error {
	if w.URL != "" {
		_, err := read(c.Env, w)
		return err
	}
	if named, _ := variable(c.Env, "ENDPOINT"); w.Contents && named == "" {
		return console.Usage("--otlp-contents sends nothing without an address").Hinting("add --otlp URL, or set OTEL_EXPORTER_OTLP_ENDPOINT")
	}
	return nil
}
