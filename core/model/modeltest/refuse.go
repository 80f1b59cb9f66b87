package modeltest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// strictness is what one provider refuses.
type strictness struct {
	members string // the members of a request that it knows
	message string // the members of a message that it knows; "": it ignores unknown ones
	key     string // the header of the key; "": Authorization
	order   bool   // no user message right after a tool's result
	ids     string // the form of a call's id
	thought string // "some": each answer with calls has reasoning_content; "text": and it is not empty; "signature": its first call is signed
}

// The members that nearly all providers of chat completions know, of a request and of a
// message.
const (
	common   = "model messages stream tools tool_choice temperature top_p stop response_format "
	usual    = common + "stream_options max_tokens seed "
	ofOpenAI = "role content name tool_calls tool_call_id refusal "
)

// refusals has the strictness of each provider, from its documentation and from
// refusals that people have reported.
var refusals = map[string]strictness{
	"openai":      {members: "model input stream store include tools tool_choice temperature top_p max_output_tokens reasoning text parallel_tool_calls service_tier user metadata truncation"},
	"anthropic":   {members: "model messages max_tokens system stream tools tool_choice temperature top_p top_k stop_sequences thinking output_config service_tier metadata cache_control", key: "X-Api-Key"},
	"azure":       {members: usual + "max_completion_tokens reasoning_effort parallel_tool_calls service_tier verbosity user", message: ofOpenAI, key: "Api-Key"},
	"google":      {members: usual + "max_completion_tokens reasoning_effort parallel_tool_calls n user extra_body", thought: "signature"},
	"openrouter":  {members: usual + "reasoning parallel_tool_calls service_tier verbosity user provider models transforms plugins"},
	"groq":        {members: usual + "max_completion_tokens reasoning_effort reasoning_format parallel_tool_calls service_tier user", message: ofOpenAI + "reasoning "},
	"mistral":     {members: common + "max_tokens random_seed parallel_tool_calls reasoning_effort prompt_mode safe_prompt n metadata", message: "role content tool_calls tool_call_id name prefix ", order: true, ids: "^[A-Za-z0-9]{9}$"},
	"deepseek":    {members: common + "stream_options max_tokens reasoning_effort thinking frequency_penalty presence_penalty logprobs", thought: "some"},
	"together":    {members: usual + "reasoning_effort parallel_tool_calls n user top_k"},
	"xai":         {members: usual + "max_completion_tokens reasoning_effort parallel_tool_calls n user search_parameters"},
	"cerebras":    {members: usual + "max_completion_tokens reasoning_effort parallel_tool_calls service_tier user", message: ofOpenAI + "reasoning "},
	"moonshot":    {members: common + "stream_options max_tokens thinking n", thought: "text"},
	"zai":         {members: common + "stream_options max_tokens thinking do_sample request_id user_id"},
	"perplexity":  {members: "model messages stream temperature top_p max_tokens stop response_format reasoning_effort search_mode web_search_options", message: "role content "},
	"huggingface": {members: usual + "reasoning_effort parallel_tool_calls n user"},
	"vercel":      {members: usual + "reasoning_effort parallel_tool_calls service_tier verbosity user reasoning providerOptions"},
	"ollama":      {members: usual + "reasoning_effort reasoning n user"},
	"lmstudio":    {members: usual + "reasoning_effort n user"},
}

// Refuse returns the status and the message with which the real provider refuses a
// request; said is "" if it accepts it.
func Refuse(provider string, r *http.Request, body []byte) (status int, said string) {
	s, ok := refusals[provider]
	if !ok {
		return http.StatusBadRequest, "core/model/modeltest/refuse.go has no row for " + provider
	}
	header := s.key
	if header == "" {
		header = "Authorization"
	}
	if !strings.Contains(r.Header.Get(header), "sk-") {
		return http.StatusUnauthorized, "no key in " + header
	}
	if strings.Split(r.Header.Get("Content-Type"), ";")[0] != "application/json" {
		return http.StatusUnsupportedMediaType, "the body is not JSON"
	}
	var o map[string]json.RawMessage
	if err := json.Unmarshal(body, &o); err != nil {
		return http.StatusBadRequest, "the body is not JSON: " + err.Error()
	}
	for name := range o {
		if !slices.Contains(strings.Fields(s.members), name) {
			return http.StatusBadRequest, "unknown field " + name
		}
	}
	switch provider {
	case "openai":
		said = s.items(o["input"])
	case "anthropic":
		said = s.turns(o)
	default:
		said = s.chat(o["messages"])
	}
	return http.StatusBadRequest, said
}

type message struct {
	Role    string
	Content json.RawMessage
	Calls   []struct {
		ID       string
		Function struct{ Name, Arguments string }
		Extra    struct {
			Google struct {
				Signature string `json:"thought_signature"`
			}
		} `json:"extra_content"`
	} `json:"tool_calls"`
	CallID  string  `json:"tool_call_id"`
	Thought *string `json:"reasoning_content"`
}

// chat returns why the provider refuses the messages of a chat completion, "" if it does not.
func (s strictness) chat(raw json.RawMessage) string {
	var all []map[string]json.RawMessage
	var list []message
	if json.Unmarshal(raw, &all) != nil || json.Unmarshal(raw, &list) != nil || len(list) == 0 {
		return "no messages"
	}
	var open []string // calls without a result
	before := ""
	for i, m := range list {
		for name := range all[i] {
			if s.message != "" && !slices.Contains(strings.Fields(s.message), name) {
				return fmt.Sprintf("messages.%d: %s is not supported", i, name)
			}
		}
		if m.Role == "tool" {
			at := slices.Index(open, m.CallID)
			if at < 0 {
				return fmt.Sprintf("messages.%d: no call %s", i, m.CallID)
			}
			open, before = slices.Delete(open, at, at+1), m.Role
			continue
		}
		if len(open) > 0 {
			return fmt.Sprintf("messages.%d: the call %s has no result", i, open[0])
		}
		if m.Role == before { // chat templates of llama.cpp and vLLM, for every provider
			return "Conversation roles must alternate user/assistant/user/assistant/..."
		}
		if s.order && m.Role == "user" && before == "tool" {
			return "Unexpected role 'user' after role 'tool'"
		}
		if empty := len(m.Content) == 0 || slices.Contains([]string{`""`, "null", "[]"}, string(m.Content)); empty && len(m.Calls) == 0 {
			return fmt.Sprintf("messages.%d: no content", i)
		}
		if said := s.calls(i, m); said != "" {
			return said
		}
		for _, c := range m.Calls {
			open = append(open, c.ID)
		}
		before = m.Role
	}
	return ""
}

// calls returns why the provider refuses an answer's calls, "" if it does not.
func (s strictness) calls(i int, m message) string {
	for n, c := range m.Calls {
		var args map[string]any
		switch {
		case s.ids != "" && !regexp.MustCompile(s.ids).MatchString(c.ID):
			return fmt.Sprintf("the id %q of a call must have 9 letters and digits", c.ID)
		case json.Unmarshal([]byte(c.Function.Arguments), &args) != nil:
			return fmt.Sprintf("messages.%d: the arguments are not an object", i)
		case s.thought == "signature" && n == 0 && c.Extra.Google.Signature == "":
			return "Function call is missing a thought_signature in functionCall parts"
		}
	}
	if len(m.Calls) > 0 && (s.thought == "some" && m.Thought == nil || s.thought == "text" && (m.Thought == nil || *m.Thought == "")) {
		return fmt.Sprintf("thinking is enabled but reasoning_content is missing in assistant tool call message at index %d", i)
	}
	return ""
}

// items returns why Responses refuses its input, "" if it does not: reasoning must be
// encrypted and must not be the last item of an answer, and each call must have its
// output.
func (s strictness) items(raw json.RawMessage) string {
	var list []struct {
		Type, Role string
		CallID     string  `json:"call_id"`
		Encrypted  *string `json:"encrypted_content"`
		Status     string
	}
	if json.Unmarshal(raw, &list) != nil || len(list) == 0 {
		return "no input"
	}
	var open []string
	for i, it := range list {
		switch it.Type {
		case "reasoning":
			if it.Encrypted == nil || *it.Encrypted == "" {
				return "Item 'rs_1' of type 'reasoning' was not found: items are not persisted when `store` is set to false"
			}
			if i+1 == len(list) || list[i+1].Type == "message" && list[i+1].Role == "user" {
				return "a reasoning item was provided without its required following item"
			}
		case "function_call":
			open = append(open, it.CallID)
		case "function_call_output":
			at := slices.Index(open, it.CallID)
			if at < 0 {
				return "No tool call found for function call output with call_id " + it.CallID
			}
			open = slices.Delete(open, at, at+1)
		case "message":
			if i > 0 && list[i-1].Type == "message" && list[i-1].Role == it.Role && it.Role == "user" {
				return "Conversation roles must alternate user/assistant/user/assistant/..."
			}
		default:
			return fmt.Sprintf("input[%d]: unknown type %q", i, it.Type)
		}
	}
	if len(open) > 0 {
		return "No tool output found for function call " + open[0]
	}
	return ""
}

// turns returns why Anthropic refuses messages, "" if it does not: the sides must
// alternate, results must begin the turn after their calls, and thinking must be signed
// and must not follow a call.
func (s strictness) turns(o map[string]json.RawMessage) string {
	var list []struct {
		Role    string
		Content []struct {
			Type, ID, Text, Signature, Data string
			Use                             string `json:"tool_use_id"`
		}
	}
	if json.Unmarshal(o["messages"], &list) != nil || len(list) == 0 || list[0].Role != "user" {
		return "messages: the first must use the user role"
	}
	if len(o["max_tokens"]) == 0 {
		return "max_tokens: Field required"
	}
	var open []string
	for i, m := range list {
		if i > 0 && m.Role == list[i-1].Role {
			return "messages: roles must alternate"
		}
		for n, b := range m.Content {
			at := slices.Index(open, b.Use)
			switch {
			case b.Type == "tool_result" && at < 0:
				return "unexpected `tool_use_id` found in `tool_result` blocks: " + b.Use
			case b.Type == "tool_result":
				open = slices.Delete(open, at, at+1)
			case len(open) > 0:
				return "`tool_use` ids were found without `tool_result` blocks immediately after: " + open[0]
			case b.Type == "text" && strings.TrimSpace(b.Text) == "":
				return "messages: text content blocks must contain non-whitespace text"
			case b.Type == "thinking" && (b.Signature == "" || n > 0 && m.Content[n-1].Type == "tool_use"):
				return fmt.Sprintf("messages.%d.content.%d: Invalid `signature` in `thinking` block", i, n)
			}
		}
		for _, b := range m.Content {
			if b.Type == "tool_use" {
				open = append(open, b.ID)
			}
		}
	}
	if len(open) > 0 {
		return "`tool_use` ids were found without `tool_result` blocks: " + open[0]
	}
	return ""
}
