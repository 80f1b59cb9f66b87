package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"unicode"

	"golem/core/fault"
)

// maxQuote is how much of a provider's text gets into a message, in runes;
// maxError how much of an error's body is read, in bytes.
const (
	maxQuote = 400
	maxError = 64 << 10
)

// clean makes text of a provider fit for a message: one line, no control or
// invisible characters, cut, and without the key or any known secret.
func (m *remote) clean(s string) string {
	if m.end.key != "" {
		s = strings.ReplaceAll(s, m.end.key, "[redacted]")
	}
	if m.config.Redact != nil {
		s = m.config.Redact(s)
	}
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	s = strings.Join(strings.Fields(s), " ")
	if runes := []rune(s); len(runes) > maxQuote {
		s = string(runes[:maxQuote]) + "…"
	}
	return s
}

// providerSays finds the message in an error body, whatever its shape, and a
// status if it names one.
func providerSays(body []byte) (message string, status int) {
	body = bytes.TrimSpace(body)
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	var top map[string]json.RawMessage
	if json.Unmarshal(body, &top) != nil {
		return "", 0
	}
	status = number(top["code"])
	for _, key := range []string{"error", "message", "detail"} {
		raw := top[key]
		var inner struct {
			Message json.RawMessage
			Code    json.RawMessage
			Type    string
		}
		if text := str(raw); text != "" {
			return text, status
		}
		if len(raw) == 0 || string(raw) == "null" {
			continue
		}
		if json.Unmarshal(raw, &inner) == nil {
			if n := number(inner.Code); n != 0 {
				status = n
			}
			if text := str(inner.Message); text != "" {
				return text, status
			}
			if inner.Type != "" {
				return inner.Type, status
			}
		}
		return string(raw), status
	}
	return "", 0
}

// str is a JSON string's text, "" for anything else.
func str(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// number is a status given as a number or as digits, 0 for anything else.
func number(raw json.RawMessage) int {
	n, err := strconv.Atoi(strings.Trim(string(raw), `"`))
	if err != nil || n < 400 || n > 599 {
		return 0
	}
	return n
}

// refused is the fault of an answer whose status is no success: what a person
// needs when key, model or host is wrong.
func (m *remote) refused(resp *http.Response, body io.Reader) error {
	data, _ := io.ReadAll(io.LimitReader(body, maxError)) // what came is told, however it ended
	says, _ := providerSays(data)
	switch {
	case says != "":
	case looksHTML(resp.Header.Get("Content-Type"), data):
		says = "an HTML page, no answer of an API"
	default:
		says = string(data)
	}
	if says = m.clean(says); says != "" {
		says = ": " + says
	}
	what, hint := m.status(resp.StatusCode)
	return (&failure{
		status:     resp.StatusCode,
		retry:      retriable(resp.StatusCode),
		retryAfter: retryAfter(resp.Header.Get("Retry-After"), m.config.now()),
		message:    fmt.Sprintf("%s (%d)%s", what, resp.StatusCode, says),
	}).fault(fault.Model, hint)
}

// status puts a status into words and a remedy.
func (m *remote) status(status int) (what, hint string) {
	p, host := m.end.row.Name, m.end.url.Host
	switch {
	case status == http.StatusUnauthorized && m.end.key == "":
		return host + " wants a key", fmt.Sprintf("set %s", m.keyVar())
	case status == http.StatusUnauthorized:
		return fmt.Sprintf("%s refused the key in %s", p, m.end.keyVar),
			fmt.Sprintf("check %s: it must be a whole, valid key for %s", m.end.keyVar, host)
	case status == http.StatusForbidden:
		return fmt.Sprintf("%s does not allow the use of %s", p, m.model),
			fmt.Sprintf("the key in %s may lack the right to it; choose another model with --model", m.keyVar())
	case status == http.StatusNotFound:
		return fmt.Sprintf("%s has no model %s", p, m.model),
			fmt.Sprintf("check the model's name (--model %s:NAME); if it is right, check %s_BASE_URL (now %s)", p, envName(p), host)
	case status == http.StatusTooManyRequests:
		return p + " asks to slow down", "wait, check the quota of the account, or choose another model with --model"
	case status == http.StatusPaymentRequired:
		return p + " wants to be paid", fmt.Sprintf("check the account behind %s", m.keyVar())
	case status == http.StatusRequestEntityTooLarge:
		return p + " finds the request too large", "attach less, or start over with /new"
	case status >= 500:
		return p + " is out of order", "try again later, or choose another model with --model"
	case status >= 300 && status < 400:
		return host + " answers with a redirect, which is not followed",
			fmt.Sprintf("set %s_BASE_URL to the final address", envName(p))
	}
	return p + " refused the request", fmt.Sprintf("check that %s can do what is asked, or choose another model with --model", m.model)
}

func (m *remote) keyVar() string {
	if m.end.keyVar != "" {
		return m.end.keyVar
	}
	if m.end.row.KeyVar != "" {
		return m.end.row.KeyVar
	}
	return "api_key_env of the provider"
}

func looksHTML(contentType string, body []byte) bool {
	return strings.Contains(strings.ToLower(contentType), "html") || bytes.HasPrefix(bytes.TrimSpace(body), []byte("<"))
}
