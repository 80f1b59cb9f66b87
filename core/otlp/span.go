package otlp

import (
	"crypto/sha3"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"golem/core/fault"
	"golem/core/trace"
)

// span is a span of OTLP. Ids are hex, times are nanoseconds since 1970 as text.
type span struct {
	TraceID    string     `json:"traceId"`
	SpanID     string     `json:"spanId"`
	ParentID   string     `json:"parentSpanId,omitempty"`
	Flags      int        `json:"flags"`
	Name       string     `json:"name"`
	Kind       int        `json:"kind"`
	Start      nanos      `json:"startTimeUnixNano"`
	End        nanos      `json:"endTimeUnixNano"`
	Attributes attributes `json:"attributes,omitempty"`
	Events     []event    `json:"events,omitempty"`
	Dropped    int        `json:"droppedEventsCount,omitempty"`
	Links      []link     `json:"links,omitempty"`
	Status     *status    `json:"status,omitempty"`
}

// Values of span.Kind, span.Flags and status.Code.
const (
	internal    = 1
	client      = 3
	sampled     = 1
	statusError = 2
)

type event struct {
	Time       nanos      `json:"timeUnixNano"`
	Name       string     `json:"name"`
	Attributes attributes `json:"attributes,omitempty"`
}

type link struct {
	TraceID string `json:"traceId"`
	SpanID  string `json:"spanId"`
}

type status struct {
	Message string `json:"message,omitempty"`
	Code    int    `json:"code"`
}

// nanos is a time in nanoseconds since 1970. It is not negative.
type nanos int64

// MarshalJSON returns the number as a text, as the protocol has 64-bit numbers.
func (n nanos) MarshalJSON() ([]byte, error) {
	return []byte(`"` + strconv.FormatInt(int64(n), 10) + `"`), nil
}

// lastSecond is the last second whose nanoseconds fit.
var lastSecond = time.Unix(0, 1<<63-1).Unix()

// timeOf reads the time of an event. ok is false for one that is no time since 1970.
func timeOf(ts string) (n nanos, ok bool) {
	t, err := time.Parse(time.RFC3339Nano, ts)
	if err != nil || t.Unix() < 0 || t.Unix() >= lastSecond {
		return 0, false
	}
	return nanos(t.UnixNano()), true
}

type attributes []attribute

type attribute struct {
	Key   string `json:"key"`
	Value value  `json:"value"`
}

// value has exactly one field that is not nil.
type value struct {
	Text  *string  `json:"stringValue,omitempty"`
	Bool  *bool    `json:"boolValue,omitempty"`
	Int   *string  `json:"intValue,omitempty"`
	Float *float64 `json:"doubleValue,omitempty"`
	List  *list    `json:"arrayValue,omitempty"`
}

type list struct {
	Values []value `json:"values"`
}

func (a *attributes) set(key string, v value) {
	if i := slices.IndexFunc(*a, func(one attribute) bool { return one.Key == key }); i >= 0 {
		(*a)[i].Value = v
		return
	}
	*a = append(*a, attribute{key, v})
}

// text sets a text, unless it is empty.
func (a *attributes) text(key, s string) {
	if s != "" {
		s = strings.ToValidUTF8(s, "\uFFFD")
		a.set(key, value{Text: &s})
	}
}

// named sets a name: one short line.
func (a *attributes) named(key, s string) { a.text(key, name(s)) }

func (a *attributes) number(key string, n int64) {
	s := strconv.FormatInt(n, 10)
	a.set(key, value{Int: &s})
}

func (a *attributes) flag(key string, yes bool) {
	if yes {
		a.set(key, value{Bool: &yes})
	}
}

func (a *attributes) texts(key string, all ...string) {
	l := list{Values: []value{}}
	for _, s := range all {
		s = name(s)
		l.Values = append(l.Values, value{Text: &s})
	}
	a.set(key, value{List: &l})
}

// name returns a name as one line of at most maxName bytes, without characters that are not
// printable.
func name(s string) string { return fault.Head(trace.Visible(fault.Head(s, maxName)), maxName) }

// traceID returns the id of a run's trace. Runs are named by their time and random digits, so
// the name of such a run is enough, and a run that is resumed can be linked. Items of batches
// have names of their own: there the seed says more.
func traceID(seed string) string {
	var id [16]byte
	return fillID(id[:], "run", seed)
}

// spanID returns the id of a call's span, or of the model request of this number in it.
func spanID(seed, call string, request int) string {
	var id [8]byte
	return fillID(id[:], "call", seed, call, strconv.Itoa(request))
}

// fillID fills an id with what its parts determine, and returns it in hex.
func fillID(id []byte, parts ...string) string {
	h := sha3.NewSHAKE128()
	for _, p := range parts {
		_, _ = h.Write([]byte(strconv.Quote(p))) // it never fails
	}
	_, _ = h.Read(id) // it never fails
	return hex.EncodeToString(id)
}

// content returns a value of a trace as text: a string without its quotes, else JSON.
func content(raw json.RawMessage) string {
	var s string
	if len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }
