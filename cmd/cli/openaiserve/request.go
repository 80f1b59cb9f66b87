package openaiserve

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"golem/core/run"
	"golem/core/tool"
)

// request is what a client asks for, whichever protocol it speaks.
type request struct {
	model    string
	said     []said
	stream   bool
	usage    bool // a stream ends with the usage
	format   format
	ignored  []string // parameters that have no effect
	metadata map[string]json.RawMessage
}

// said is one message of a request.
type said struct {
	who   speaker
	text  string
	files []run.File
}

// speaker is who said a message.
type speaker int

const (
	byUser   speaker = iota
	byWorker         // an answer of the model
	byCaller         // a system or developer message
)

// maxMessages is the most messages of a request.
const maxMessages = 4_096

// decode decodes a request into into, and returns the parameters that it has.
func decode(data []byte, into any) (map[string]json.RawMessage, *problem) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil || fields == nil {
		return nil, invalid("", "the body is not a JSON object, or is nested too deeply")
	}
	if err := json.Unmarshal(data, into); err != nil {
		return nil, mistyped("", err)
	}
	maps.DeleteFunc(fields, func(_ string, value json.RawMessage) bool { return string(value) == "null" })
	return fields, nil
}

// mistyped returns the problem of JSON that decodes to something else than the protocol has.
func mistyped(at string, err error) *problem {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return invalid(at, "this is not what OpenAI's protocol has here")
	}
	field := strings.TrimPrefix(wrong.Field, ".")
	if at != "" && field != "" {
		at += "."
	}
	return invalid(at+field, "OpenAI's protocol has another type here than "+wrong.Value)
}

// refusals are parameters that would change what a worker does or what the answer has. They
// are refused with the reason.
var refusals = map[string]string{
	"tools":                tools,
	"functions":            tools,
	"function_call":        tools,
	"tool_choice":          tools,
	"web_search_options":   "golem serve offers no search: a worker with a toolset or server_tools searches",
	"previous_response_id": "golem serve keeps no responses: send the earlier messages in input",
	"conversation":         "golem serve keeps no conversations: send the earlier messages",
	"prompt":               "golem serve has no stored prompts: the worker has the prompt",
	"background":           "golem serve has no background responses; golem batch runs many inputs",
	"audio":                "a worker answers with text, not with audio",
	"logprobs":             "a worker has no log probabilities",
	"top_logprobs":         "a worker has no log probabilities",
	"prediction":           "a worker takes no predicted output",
	"context_management":   "the worker's max_context_tokens decides what is summarised",
}

// tools is why a client cannot bring tools along.
const tools = "the tools of a worker are those of its file, which golem runs itself behind its approval gate; a client cannot add tools. Remove this parameter, or give the worker a toolset"

// harmless are parameters whose value asks for nothing.
func harmless(name string, value json.RawMessage) bool {
	switch v := strings.TrimSpace(string(value)); name {
	case "tools", "functions":
		return v == "[]"
	case "tool_choice", "function_call":
		return v == `"none"` || v == `"auto"`
	case "background", "logprobs":
		return v == "false"
	case "top_logprobs":
		return v == "0"
	}
	return false
}

// used are the parameters that have an effect, or ask for nothing that the answer lacks.
var used = strings.Fields("model messages input instructions stream stream_options response_format text user metadata store include parallel_tool_calls tools functions tool_choice function_call background logprobs top_logprobs n safety_identifier prompt_cache_key modalities")

// judge refuses the parameters that no worker takes, and notes those that have no effect.
func (r *request) judge(fields map[string]json.RawMessage) *problem {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if why, is := refusals[name]; is && !harmless(name, fields[name]) {
			return unsupported(name, why)
		}
		switch {
		case name == "n" && strings.TrimSpace(string(fields[name])) != "1":
			return unsupported(name, "a worker gives one answer to a request: send the request several times")
		case name == "modalities" && strings.Contains(string(fields[name]), "audio"):
			return unsupported(name, refusals["audio"])
		case !slices.Contains(used, name):
			r.ignored = append(r.ignored, name)
		}
	}
	return nil
}

// input returns the input of the worker: the last message, with the earlier ones if the
// worker takes them. Texts of the caller, such as system messages, go before the message of
// the user that follows them: they are words of the caller and never instructions.
func (r *request) input(w Worker) (run.Input, *problem) {
	var out []said
	var texts []string
	for _, m := range r.said {
		switch m.who {
		case byCaller:
			if strings.TrimSpace(m.text) != "" {
				texts = append(texts, m.text)
			}
			continue
		case byUser:
			m.text, texts = joined(append(texts, m.text)), nil
		case byWorker:
			if m.text == "" {
				continue
			}
		}
		out = append(out, m)
	}
	last := len(out) - 1
	if last < 0 || out[last].who != byUser {
		return run.Input{}, invalid("messages", "the last message is not the user's, so that the worker has no input")
	}
	out[last].text = joined(append([]string{out[last].text}, texts...))
	in := run.Input{Text: out[last].text, Attachments: out[last].files}
	if last > 0 && !w.Chat {
		return run.Input{}, invalid("messages", w.ID+" takes one message and has no conversation: send the last message only (and system messages, if you like), or let its file say mode: chat")
	}
	for _, m := range out[:last] {
		in.Earlier = append(in.Earlier, run.Earlier{Worker: m.who == byWorker, Text: m.text, Attachments: m.files})
	}
	return r.object(w, in)
}

// object returns the input of a worker that takes a JSON object.
func (r *request) object(w Worker, in run.Input) (run.Input, *problem) {
	if !w.Object {
		return in, nil
	}
	if slices.ContainsFunc(r.said, func(m said) bool { return m.who == byCaller && strings.TrimSpace(m.text) != "" }) {
		return in, invalid("messages", w.ID+" takes a JSON object (input_schema), so that a system message cannot be a part of it: send the object alone")
	}
	object, err := tool.Decode([]byte(strings.TrimSpace(in.Text)))
	if err != nil || !strings.HasPrefix(string(object), "{") {
		return in, invalid("messages", w.ID+" takes a JSON object (input_schema): the message has to be that object and nothing else")
	}
	in.Text, in.JSON = "", object
	return in, nil
}

// joined joins the texts that have something, each as a paragraph.
func joined(texts []string) string {
	texts = slices.DeleteFunc(texts, func(s string) bool { return strings.TrimSpace(s) == "" })
	return strings.Join(texts, "\n\n")
}
