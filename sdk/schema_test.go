package sdk

import (
	"context"
	"encoding/json"
	"math/big"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"golem/core/tool"
)

type base struct {
	ID   string `json:"id" jsonschema:"which one"`
	Size int    `json:"size,omitzero"`
}

type hidden struct {
	Kept  bool `json:"kept"`
	inner string
}

// everything has a field for each case of the inference.
type everything struct {
	base
	*hidden
	Name    string            `json:"name"`
	Size    float64           `json:"size"` // hides base.Size
	Level   string            `json:"level" enum:"low,high"`
	Levels  []string          `json:"levels" enum:"low,high"`
	Perhaps *string           `json:"perhaps" enum:"a,b"`
	Quoted  int               `json:"quoted,string"`
	Gone    string            `json:"-"`
	When    time.Time         `json:"when"`
	Wait    time.Duration     `json:"wait"`
	Bytes   []byte            `json:"bytes"`
	Pair    [2]int8           `json:"pair"`
	Deep    []map[string]*sum `json:"deep"`
	Raw     json.RawMessage   `json:"raw"`
	Any     any               `json:"any"`
	Number  json.Number       `json:"number"`
	Big     *big.Int          `json:"big"`
	Count   uint16            `json:"count"`
	unseen  int
}

func TestStruct(t *testing.T) {
	got, err := argument(reflect.TypeFor[everything]())
	if err != nil {
		t.Fatal(err)
	}
	want := `{"additionalProperties":false,"properties":{
		"any":{},"big":{},"bytes":{"contentEncoding":"base64","type":"string"},"count":{"minimum":0,"type":"integer"},
		"deep":{"items":{"additionalProperties":{"additionalProperties":false,"properties":{"total":{"type":"number"}},"required":["total"],"type":"object"},"type":"object"},"type":"array"},
		"id":{"description":"which one","type":"string"},"kept":{"type":"boolean"},"level":{"enum":["low","high"],"type":"string"},
		"levels":{"items":{"enum":["low","high"],"type":"string"},"type":"array"},"name":{"type":"string"},"number":{"type":"number"},
		"pair":{"items":{"type":"integer"},"maxItems":2,"minItems":2,"type":"array"},"perhaps":{"enum":["a","b"],"type":"string"},
		"quoted":{"type":"string"},"raw":{},"size":{"type":"number"},"wait":{"type":"integer"},"when":{"format":"date-time","type":"string"}},
		"required":["name","size","level","levels","quoted","when","wait","bytes","pair","deep","raw","any","number","count","id"],"type":"object"}`
	if d := cmp.Diff(compact(t, []byte(want)), compact(t, asJSON(t, got))); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

// Each result of a function fits the schema that was inferred from its type: golem
// refuses results that do not fit (E_TOOL_OUTPUT).
func TestResultsFit(t *testing.T) {
	s, err := inference{result: true}.of(reflect.TypeFor[everything]())
	if err != nil {
		t.Fatal(err)
	}
	fits, err := tool.Compile(asJSON(t, s))
	if err != nil {
		t.Fatal(err)
	}
	zero := everything{Level: "low", unseen: 1}
	if bad := fits.Validate(asJSON(t, zero)); len(bad) > 0 {
		t.Errorf("the zero value: %v", bad)
	}
	rapid.Check(t, func(r *rapid.T) {
		level := rapid.SampledFrom([]string{"low", "high"})
		v := everything{
			base: base{ID: rapid.String().Draw(r, "id")}, Level: level.Draw(r, "level"), Size: rapid.Float64().Draw(r, "size"),
			Levels: rapid.SliceOf(level).Draw(r, "levels"), Bytes: rapid.SliceOf(rapid.Byte()).Draw(r, "bytes"),
			Quoted: rapid.Int().Draw(r, "quoted"), Wait: time.Duration(rapid.Int64Range(-1<<50, 1<<50).Draw(r, "wait")),
			Deep:  rapid.SliceOf(rapid.MapOf(rapid.String(), rapid.Just(&sum{1}))).Draw(r, "deep"),
			Count: rapid.Uint16().Draw(r, "count"), Perhaps: rapid.Ptr(rapid.SampledFrom([]string{"a", "b"}), true).Draw(r, "perhaps"),
			Any: rapid.SampledFrom([]any{nil, 1, "a", []int{2}}).Draw(r, "any"), Big: big.NewInt(rapid.Int64().Draw(r, "big")),
		}
		if rapid.Bool().Draw(r, "hidden") {
			v.hidden = &hidden{Kept: true, inner: "not told"}
		}
		raw := asJSON(t, v)
		if bad := fits.Validate(raw); len(bad) > 0 {
			r.Errorf("%s: %v", raw, bad)
		}
	})
}

// A function keeps its schema when it moves between a module and a program that embeds
// golem: for types that both support, tool.Func infers the same schema.
func TestLikeToolFunc(t *testing.T) {
	type in struct {
		base
		Text  string         `json:"text" jsonschema:"what to say"`
		Tags  []string       `json:"tags,omitempty"`
		Deep  map[string]sum `json:"deep"`
		Truth bool           `json:"truth"`
	}
	embedded := tool.Func(tool.Spec{Name: "x"}, func(context.Context, in) (tool.Output, error) { return tool.Output{}, nil })
	module := Tool("x", "", func(in) (string, error) { return "", nil })
	if d := cmp.Diff(compact(t, embedded.Spec().Input), compact(t, asJSON(t, module.input)), anyOrder); d != "" {
		t.Errorf("-tool.Func +sdk.Tool:\n%s", d)
	}
}

// anyOrder ignores the order of lists: that of required has no meaning.
var anyOrder = cmpopts.SortSlices(func(a, b any) bool { return a.(string) < b.(string) })

func asJSON(t *testing.T, v any) []byte {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func compact(t *testing.T, raw []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return v
}
