package openaiserve

import (
	"encoding/json"
	"net/http"

	"golem/core/tool"
)

// format is the form in which a client wants the answer.
type format struct {
	param  string
	kind   string // "", text, json_object, json_schema
	raw    json.RawMessage
	schema *tool.Schema // of json_schema
}

// wantedFormat is response_format of chat completions, and text.format of responses.
type wantedFormat struct {
	Type       string          `json:"type"`
	Schema     json.RawMessage `json:"schema"`
	JSONSchema struct {
		Schema json.RawMessage `json:"schema"`
	} `json:"json_schema"`
}

// read returns the format that a client wants.
func (f *wantedFormat) read(param string) format {
	if f == nil {
		return format{}
	}
	out := format{param: param, kind: f.Type, raw: f.Schema}
	if len(out.raw) == 0 {
		out.raw = f.JSONSchema.Schema
	}
	return out
}

// check returns why a worker cannot answer in the format. Only a worker with an
// output_schema answers with JSON: a client's schema is no instruction to a worker.
func (f *format) check(w Worker) *problem {
	switch f.kind {
	case "", "text":
		return nil
	case "json_object", "json_schema":
	default:
		return unsupported(f.param, "the format is unknown; golem serve knows text, json_object and json_schema")
	}
	if w.Output == nil {
		return unsupported(f.param, w.ID+" answers with text: give it an output_schema in its file, and the answer is JSON that fits it; golem serve cannot change what a worker answers")
	}
	if f.kind == "json_object" {
		return nil
	}
	if len(f.raw) == 0 {
		return invalid(f.param, "json_schema has no schema")
	}
	schema, err := tool.Compile(f.raw)
	if err != nil {
		return invalid(f.param, "the schema is not a valid JSON Schema (2020-12), or could take too long: "+err.Error())
	}
	f.schema = schema
	return nil
}

// judge returns the problem of an answer that fits the worker's output_schema and not the
// schema of the client.
func (f *format) judge(w Worker, answer string) *problem {
	if f.schema == nil {
		return nil
	}
	why := "it is not JSON"
	if value, err := tool.Decode([]byte(answer)); err == nil {
		vs := f.schema.Validate(value)
		if len(vs) == 0 {
			return nil
		}
		why = tool.Describe(vs)
	}
	return &problem{status: http.StatusUnprocessableEntity, kind: kindInvalid, code: "schema_mismatch", param: f.param,
		message: "the answer of " + w.ID + " fits its own output_schema and not the schema of the request (" + why + "); send the schema that the worker has"}
}
