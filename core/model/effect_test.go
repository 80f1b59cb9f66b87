package model_test

import (
	"encoding/json"
	"strings"
	"testing"

	"golem/core/fault"
	"golem/core/model"
	"golem/core/tool"
)

type hider struct{}

// Redact hides one value.
func (hider) Redact(text string) string { return strings.ReplaceAll(text, "s3cret-value", "[hidden]") }

// No part of a recorded result has a secret, and what the run itself goes on with is not changed.
func TestEffectsAreRedacted(t *testing.T) {
	const secret = "s3cret-value"
	out := tool.Output{
		Text: secret, Summary: secret, Kind: "json", Data: json.RawMessage(`{"a": "` + secret + `"}`),
		Parts: []tool.Part{{Type: "resource", MIME: "text/" + secret, Name: secret + ".txt", Data: []byte("key: " + secret)}, {Type: "image", Data: []byte{0xff, 0xd8, 0}}},
	}
	e := model.EffectOf("0.1", "fetch", json.RawMessage(`{"key": "`+secret+`"}`), out, nil, hider{})
	for _, p := range e.Parts {
		if strings.Contains(p.Name+p.MIME+string(p.Data), secret) {
			t.Errorf("the part %s %s has the secret: %s", p.Type, p.Name, p.Data)
		}
	}
	if data, err := json.Marshal(e); err != nil || strings.Contains(string(data), secret) {
		t.Errorf("%v: %s", err, data)
	}
	if string(out.Parts[0].Data) != "key: "+secret || string(e.Parts[1].Data) != "\xff\xd8\x00" {
		t.Errorf("the result was changed: %q, %q", out.Parts[0].Data, e.Parts[1].Data)
	}
	failed := model.EffectOf("0.1", "fetch", nil, tool.Output{}, fault.New(fault.Network, "no %s", secret).Hinting("not %s", secret), hider{})
	if data, err := json.Marshal(failed); err != nil || strings.Contains(string(data), secret) {
		t.Errorf("%v: %s", err, data)
	}
}
