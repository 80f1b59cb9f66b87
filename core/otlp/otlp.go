// Package otlp turns the trace of a run into spans of OpenTelemetry, in the JSON form of
// OTLP/HTTP and with the semantic conventions for generative AI (SPEC §20). It sends nothing.
package otlp

import (
	"encoding/json"
	"io"

	"golem/core/trace"
)

// SchemaURL names the version of the semantic conventions whose attributes spans have.
const schemaURL = "https://opentelemetry.io/schemas/1.41.0"

// DefaultService is the service.name of spans for which nobody chose one.
const defaultService = "golem"

// Options say what spans contain.
type Options struct {
	// Contents adds what people, models and tools said: inputs, answers, arguments, results and
	// messages of errors. Without it spans have names, times, numbers and codes only.
	Contents bool
	// Resource has attributes of the resource, such as service.name, which is DefaultService if
	// it is missing.
	Resource map[string]string
}

// Limits of one run. If spans are left out, the root span says so.
const (
	maxSpans   = 50_000
	maxEvents  = 128      // of one span
	maxName    = 128      // bytes of a name
	maxText    = 32 << 10 // bytes of one content
	maxTexts   = 16 << 20 // bytes of all contents of a run
	maxRequest = 4 << 20  // bytes of a request that has more than one span
)

// Export writes a trace as requests of OTLP/HTTP in JSON, one a line. It is what a run sends.
func Export(w io.Writer, h trace.Header, events []trace.Event, o Options) error {
	b := NewBuilder(h, o)
	for _, e := range events {
		b.Event(e)
	}
	for _, body := range b.Requests() {
		if _, err := w.Write(append(body, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// request is an ExportTraceServiceRequest, which has the form of TracesData.
type request struct {
	ResourceSpans []resourceSpans `json:"resourceSpans"`
}

type resourceSpans struct {
	Resource   resource     `json:"resource"`
	ScopeSpans []scopeSpans `json:"scopeSpans"`
	SchemaURL  string       `json:"schemaUrl"`
}

type resource struct {
	Attributes attributes `json:"attributes"`
}

type scopeSpans struct {
	Scope     scope             `json:"scope"`
	Spans     []json.RawMessage `json:"spans"`
	SchemaURL string            `json:"schemaUrl"`
}

type scope struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

// Requests ends the trace and returns the bodies of the requests that carry its spans. What has
// not ended in the trace ends with the last event, as an error.
func (b *Builder) Requests() [][]byte {
	b.end()
	var out [][]byte
	var spans []json.RawMessage
	size := 0
	send := func() {
		data, err := json.Marshal(request{[]resourceSpans{{
			Resource: resource{b.resource()}, SchemaURL: schemaURL,
			ScopeSpans: []scopeSpans{{Scope: scope{"golem", name(b.header.Version)}, Spans: spans, SchemaURL: schemaURL}},
		}}})
		if err == nil { // always: the spans are valid JSON
			out = append(out, trace.EscapeJSON(data))
		}
		spans, size = nil, 0
	}
	for _, s := range b.spans {
		data, err := json.Marshal(s)
		if err != nil {
			continue // unreachable: a span has texts, whole numbers and finite ones
		}
		if len(spans) > 0 && size+len(data) > maxRequest {
			send()
		}
		spans, size = append(spans, data), size+len(data)
	}
	send()
	return out
}

func (b *Builder) resource() (out attributes) {
	given := map[string]string{"service.name": defaultService, "service.version": b.header.Version, "golem.platform": b.header.Platform, "golem.project": b.header.Project}
	for key, value := range b.options.Resource {
		given[key] = value
	}
	for _, key := range sortedKeys(given) {
		out.text(name(key), given[key])
	}
	return out
}
