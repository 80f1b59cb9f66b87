package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"golem/core/fault"
)

// complaint is an error in a provider's own words, whatever its shape.
type complaint struct {
	message string
	status  int           // an HTTP status it names, 0 if none
	codes   string        // the codes and types of the error in lower case, each between blanks
	wait    time.Duration // how long it asks to wait
	failed  string        // a tool call of the model that the provider could not read
}

// maxDig bounds how deep an error inside an error is looked for.
const maxDig = 6

// complain reads an error: a JSON object or list of any shape, or a line "detail: …".
// If the result has no message, body is not an error.
func complain(body []byte) complaint {
	var c complaint
	body = bytes.TrimSpace(body)
	if json.Valid(body) && len(body) > 0 && (body[0] == '{' || body[0] == '[') {
		c.message = c.dig(body, maxDig)
		if c.message == "" && bytes.Contains(body, []byte(`"error"`)) {
			c.message = strings.Join(strings.Fields(c.codes), " ")
		}
		return c
	}
	name, value, ok := strings.Cut(string(body), ":")
	switch strings.ToLower(name) {
	case "detail", "error", "message":
		if ok {
			c.message = c.dig(quote(strings.TrimSpace(value)), maxDig)
		}
	}
	return c
}

// dig finds the innermost message, and collects codes on the way.
func (c *complaint) dig(raw json.RawMessage, deep int) string {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || deep == 0 {
		return ""
	}
	switch raw[0] {
	case '"':
		text := str(raw)
		if inner := strings.TrimSpace(text); strings.HasPrefix(inner, "{") && json.Valid([]byte(inner)) {
			if says := c.dig(json.RawMessage(inner), deep-1); says != "" {
				return says
			}
		}
		return text
	case '[':
		return c.list(raw, deep)
	case '{':
		return c.object(raw, deep)
	}
	return ""
}

// list returns the message of a list of errors: that of the first error that has one,
// or, if the list is from a validation, all messages with their places.
func (c *complaint) list(raw json.RawMessage, deep int) string {
	var all []json.RawMessage
	if json.Unmarshal(raw, &all) != nil {
		return ""
	}
	var places []string
	for _, one := range all {
		var v struct {
			Loc []any
			Msg string
		}
		if json.Unmarshal(one, &v) == nil && v.Msg != "" {
			places = append(places, strings.TrimPrefix(strings.ReplaceAll(strings.Trim(fmt.Sprint(v.Loc), "[]"), " ", ".")+": ", ": ")+v.Msg)
			continue
		}
		if says := c.dig(one, deep-1); says != "" {
			return says
		}
	}
	if len(places) > 0 {
		return strings.Join(places, "; ")
	}
	return string(raw)
}

// object returns the message of an error with fields. The message of a service behind
// the provider ("raw") counts more than the provider's own.
func (c *complaint) object(raw json.RawMessage, deep int) string {
	var o map[string]json.RawMessage
	if json.Unmarshal(raw, &o) != nil {
		return ""
	}
	for _, key := range []string{"code", "status", "status_code"} {
		if n := number(o[key]); c.status == 0 {
			c.status = n
		}
	}
	for _, key := range []string{"code", "type", "status", "error_type"} {
		if s := str(o[key]); s != "" && len(s) < 100 {
			c.codes += " " + strings.ToLower(s) + " "
		}
	}
	if s := str(o["failed_generation"]); s != "" {
		c.failed = s
	}
	c.asksToWait(o)
	if says := c.upstreamMessage(o["metadata"], deep); says != "" {
		return says
	}
	for _, key := range []string{"error", "detail", "message", "msg", "error_message", "reason", "title"} {
		if says := c.dig(o[key], deep-1); says != "" {
			return says
		}
	}
	return ""
}

// upstreamMessage returns what the service behind a provider said (OpenRouter's metadata).
func (c *complaint) upstreamMessage(metadata json.RawMessage, deep int) string {
	var m struct {
		Raw      json.RawMessage
		Provider string `json:"provider_name"`
	}
	if json.Unmarshal(metadata, &m) != nil {
		return ""
	}
	says := strings.TrimSpace(c.dig(m.Raw, deep-1))
	if says != "" && m.Provider != "" {
		return m.Provider + ": " + says
	}
	return says
}

// asksToWait reads what Google says in an error's details: how long to wait,
// and which quota is used up.
func (c *complaint) asksToWait(o map[string]json.RawMessage) {
	var details []struct {
		RetryDelay string
		Violations []struct{ QuotaID string }
	}
	if json.Unmarshal(o["details"], &details) != nil {
		return
	}
	for _, d := range details {
		if wait, err := time.ParseDuration(d.RetryDelay); err == nil && wait > 0 {
			c.wait = wait
		}
		for _, v := range d.Violations {
			c.codes += " " + strings.ToLower(v.QuotaID) + " "
		}
	}
}

// kinds are words of providers about what went wrong, with the status that
// means the same. The order matters: the first that fits counts.
var kinds = []struct {
	status int
	words  []string
}{
	{http.StatusPaymentRequired, []string{"insufficient_quota", "exceeded_current_quota", "quota_exceeded", "insufficient_balance",
		"insufficient_credit", "billing", "payment_required", "credit_limit", "perday"}},
	{http.StatusUnauthorized, []string{"authentication", "invalid_api_key", "unauthorized", "unauthenticated"}},
	{http.StatusForbidden, []string{"permission"}},
	{http.StatusNotFound, []string{"not_found", "model_not_found"}},
	{http.StatusTooManyRequests, []string{"rate_limit", "resource_exhausted", "too_many_requests"}},
	{http.StatusBadRequest, []string{"invalid_request", "invalid_argument", "context_length", "content_filter", "content_policy", "tool_use_failed", "invalid_prompt"}},
	{http.StatusServiceUnavailable, []string{"overloaded", "unavailable"}},
	{http.StatusInternalServerError, []string{"server_error", "api_error", "internal"}},
	{http.StatusRequestTimeout, []string{"timeout"}},
}

// outOfMoney lists words of providers that have no code for credit that is used up.
var outOfMoney = []string{"insufficient balance", "insufficient credit", "credit balance is too low", "out of credits", "used all available credits", "spending limit"}

// statusMeant returns the HTTP status that a complaint means. status is the one it came with,
// 0 if none. A used-up quota counts more than that status, because waiting does not
// help.
func (c complaint) statusMeant(status int) int {
	if status == 0 {
		status = c.status
	}
	message := strings.ToLower(c.message)
	for _, k := range kinds {
		if status != 0 && k.status != http.StatusPaymentRequired {
			continue
		}
		for _, word := range k.words {
			if strings.Contains(c.codes, word) {
				return k.status
			}
		}
	}
	if status == http.StatusBadRequest && strings.Contains(message, "api key") {
		return http.StatusUnauthorized // Google's API, for a key that it does not know
	}
	for _, words := range outOfMoney {
		if strings.Contains(message, words) {
			return http.StatusPaymentRequired
		}
	}
	return status
}

// noModel reports whether a refusal is about a model that the provider does not
// have: some say so with another status than 404.
func (c complaint) noModel(status int, model string) bool {
	if status != http.StatusBadRequest && status != http.StatusUnprocessableEntity {
		return false
	}
	if strings.Contains(c.codes, "model_not_found") {
		return true
	}
	message := strings.ToLower(c.message)
	for _, words := range []string{"model not exist", "unknown model", "model not found", "invalid model", "no such model", "not a valid model"} {
		if strings.Contains(message, words) {
			return true
		}
	}
	return strings.Contains(message, "model") && strings.Contains(message, strings.ToLower(model)) &&
		(strings.Contains(message, "not exist") || strings.Contains(message, "not found"))
}

// unfit reports whether the model exists, but nobody serves it in the way that the
// request and the account require. OpenRouter sends this with the status of a model
// that does not exist.
func (c complaint) unfit() bool {
	message := strings.ToLower(c.message)
	return strings.Contains(message, "no endpoints found that") || strings.Contains(message, "no endpoints found matching")
}

// filtered reports whether a content filter refused the request.
func (c complaint) filtered() bool {
	message := strings.ToLower(c.message)
	return strings.Contains(c.codes, "content_filter") || strings.Contains(c.codes, "content_policy") || strings.Contains(message, "content filtering policy")
}

// tooLong reports whether the request was longer than the model takes.
func (c complaint) tooLong() bool {
	if strings.Contains(c.codes, "context_length") || strings.Contains(c.codes, "exceed_context_size") {
		return true
	}
	message := strings.ToLower(c.message)
	for _, words := range []string{"maximum context length", "context window", "context length", "prompt is too long", "input is too long", "too many tokens",
		"maximum number of tokens", "maximum prompt length", "model token limit", "prompt exceeds max length", "exceed context limit", "available context size", "`max_new_tokens` must be"} {
		if strings.Contains(message, words) {
			return true
		}
	}
	return false
}

// broken returns the fault of an answer that ends with a complaint. Another attempt is
// made unless the complaint names a status for which it cannot help.
func (c complaint) broken(text func(string) string) error {
	status := c.statusMeant(0)
	says := text(c.message)
	if says == "" {
		says = "it does not say which"
	}
	hint := ""
	if c.tooLong() {
		hint = tooLongHint
	}
	return (&failure{
		status: status, retry: status == 0 || retriable(status), retryAfter: c.wait, unread: c.unread(text),
		message: "the provider stopped with an error: " + says,
	}).fault(fault.Model, remedy{hint: hint})
}

// tooLongHint is the remedy for a request that is longer than the model takes.
const tooLongHint = "start a new conversation with /new, lower max_context_tokens, or choose a model that takes more"
