// Package otlptest reads requests of OTLP/HTTP in JSON for tests, strictly and with the
// published definition of the protocol.
package otlptest

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
)

// Trace is what the requests of one run carry.
type Trace struct {
	Spans    []*tracepb.Span // the root is the first
	Resource map[string]string
}

// Read reads the requests of one run. An unknown field, a value of another type, an id of
// another length, a parent that is no span, a span without an end: each is an error.
func Read(bodies ...[]byte) (t Trace, err error) {
	for _, body := range bodies {
		var data tracepb.TracesData
		plain, bad := withBase64(body)
		if bad == nil {
			bad = protojson.Unmarshal(plain, &data)
		}
		if err = errors.Join(err, bad); bad != nil {
			continue
		}
		for _, r := range data.ResourceSpans {
			t.Resource = Texts(r.Resource.Attributes)
			for _, s := range r.ScopeSpans {
				t.Spans = append(t.Spans, s.Spans...)
			}
		}
	}
	return t, errors.Join(err, check(t.Spans))
}

// check checks what the protocol says in words.
func check(spans []*tracepb.Span) (err error) {
	if len(spans) == 0 {
		return errors.New("there is no span")
	}
	wrong := func(s *tracepb.Span, format string, args ...any) {
		err = errors.Join(err, fmt.Errorf("the span %q: "+format, append([]any{s.Name}, args...)...))
	}
	ids := map[string]bool{}
	for _, s := range spans {
		switch {
		case len(s.TraceId) != 16 || len(s.SpanId) != 8 || allZero(s.TraceId) || allZero(s.SpanId):
			wrong(s, "its ids are %x and %x", s.TraceId, s.SpanId)
		case ids[string(s.SpanId)]:
			wrong(s, "another span has its id %x", s.SpanId)
		case !bytes.Equal(s.TraceId, spans[0].TraceId):
			wrong(s, "it belongs to another trace")
		case s.Name == "" || s.EndTimeUnixNano < s.StartTimeUnixNano:
			wrong(s, "it begins at %d and ends at %d", s.StartTimeUnixNano, s.EndTimeUnixNano)
		case s.Kind != tracepb.Span_SPAN_KIND_INTERNAL && s.Kind != tracepb.Span_SPAN_KIND_CLIENT:
			wrong(s, "it has the kind %s", s.Kind)
		}
		ids[string(s.SpanId)] = true
	}
	for i, s := range spans {
		if (i == 0) != (len(s.ParentSpanId) == 0) || i > 0 && !ids[string(s.ParentSpanId)] {
			wrong(s, "no span has the id %x of its parent", s.ParentSpanId)
		}
	}
	return err
}

func allZero(id []byte) bool { return len(bytes.Trim(id, "\x00")) == 0 }

// withBase64 returns a request in the JSON form of protocol buffers. That of OTLP differs in one
// thing: ids are hex.
func withBase64(body []byte) ([]byte, error) {
	if !utf8.Valid(body) {
		return nil, errors.New("the request is not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var all any
	if err := d.Decode(&all); err != nil {
		return nil, err
	}
	if err := walk(all); err != nil {
		return nil, err
	}
	return json.Marshal(all)
}

func walk(v any) (err error) {
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			err = errors.Join(err, walk(one))
		}
	case map[string]any:
		for key, one := range v {
			text, isText := one.(string)
			switch key {
			case "traceId", "spanId", "parentSpanId":
				id, bad := hex.DecodeString(text)
				if bad != nil || !isText || strings.ToLower(text) != text {
					err = errors.Join(err, fmt.Errorf("%s is %v", key, one))
				}
				v[key] = base64.StdEncoding.EncodeToString(id)
			case "startTimeUnixNano", "endTimeUnixNano", "timeUnixNano", "intValue":
				if !isText {
					err = errors.Join(err, fmt.Errorf("%s is %v, not a text", key, one))
				}
			default:
				err = errors.Join(err, walk(one))
			}
		}
	}
	return err
}

// Texts returns the attributes that are texts.
func Texts(all []*commonpb.KeyValue) map[string]string {
	out := map[string]string{}
	for _, a := range all {
		out[a.Key] = a.Value.GetStringValue()
	}
	return out
}
