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
	"unicode/utf8"

	"golem/core/fault"
)

// maxQuote is how many characters of a provider's text a message contains;
// maxError is how many bytes of an error's body are read.
const (
	maxQuote = 400
	maxError = 64 << 10
)

// clean makes text of a provider fit for a message: one line, no control or
// invisible characters, cut, and without the key or any known secret.
func (m *remote) clean(s string) string {
	s = hide(s, m.end.key)
	if m.config.Redact != nil {
		s = m.config.Redact.Redact(s)
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

// shortKey is the length below which a key may be a part of common words.
const shortKey = 16

// hide replaces a key in a text by [redacted]. A short key is replaced only where it is
// a word of its own: a key "test" is not in "the latest model".
func hide(s, key string) string {
	if key == "" {
		return s
	}
	var b strings.Builder
	last := utf8.RuneError // the character before the rest of s
	for {
		before, after, found := strings.Cut(s, key)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		if before != "" {
			last, _ = utf8.DecodeLastRuneInString(before)
		}
		next, _ := utf8.DecodeRuneInString(after)
		if len(key) < shortKey && (letter(last) || letter(next)) {
			b.WriteString(key)
		} else {
			b.WriteString("[redacted]")
		}
		s = after
		last, _ = utf8.DecodeLastRuneInString(key)
	}
}

func letter(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }

// str returns a JSON string's text, "" for anything else.
func str(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// quote returns a text as a JSON string.
func quote(s string) json.RawMessage {
	data, err := json.Marshal(s)
	if err != nil {
		return json.RawMessage(`""`)
	}
	return data
}

// number returns an HTTP status from 400 to 599, given as a number or as digits; 0 for
// anything else.
func number(raw json.RawMessage) int {
	n, err := strconv.Atoi(strings.Trim(string(raw), `"`))
	if err != nil || n < 400 || n > 599 {
		return 0
	}
	return n
}

// refused returns the fault of an answer whose status is not a success. It tells a
// person what to do if the key, the model or the host is wrong.
func (m *remote) refused(resp *http.Response, body io.Reader) error {
	data, _ := io.ReadAll(io.LimitReader(body, maxError)) // an error does not matter: what came is quoted
	c := complain(data)
	says := c.message
	switch {
	case says != "":
	case looksHTML(resp.Header.Get("Content-Type"), data):
		says = "an HTML page, not an answer of an API"
	default:
		says = string(data)
	}
	if says = m.clean(says); says != "" {
		says = ": " + says
	}
	status := c.statusMeant(resp.StatusCode)
	if c.noModel(status, m.model) {
		status = http.StatusNotFound
	}
	says = fmt.Sprintf(" (%d)%s", resp.StatusCode, says)
	what, do := m.status(status, says)
	unfit := c.unfit()
	switch {
	case unfit:
		what, do = m.status(http.StatusBadRequest, "")
	case c.filtered() && status >= 400 && status < 500:
		what, do = "the content filter of "+m.end.row.Name+" stopped the request", otherwise
	case c.tooLong() && status >= 400 && status < 500:
		do = remedy{hint: fmt.Sprintf("the conversation is longer than %s takes: %s", m.model, tooLongHint)}
	case status >= 300 && status < 400:
		what = fmt.Sprintf("%s redirects%s, and golem follows no redirect", m.end.url.Host, m.location(resp))
		do = m.finalAddress()
	}
	wait := max(waitOf(resp.Header, m.config.now()), c.wait)
	if status == http.StatusTooManyRequests {
		m.lane.holdBack(wait)
		m.lane.holdOthersBack(wait)
	}
	return (&failure{
		status: status, keyVar: m.end.keyVar, retry: retriable(status), retryAfter: wait, unread: c.unread(m.clean), noModel: status == http.StatusNotFound && !unfit,
		message: what + says,
	}).fault(fault.Model, do)
}

// location returns where a redirect points, for the message; "" if that is not known,
// as in web pages.
func (m *remote) location(resp *http.Response) string {
	if to := m.clean(resp.Header.Get("Location")); to != "" {
		return " to " + to
	}
	return ""
}

// finalAddress is the remedy for an answer that leads to another address.
func (m *remote) finalAddress() remedy {
	return hintOrPage("set "+BaseURLVar(m.end.row.Name)+" to the final address if you trust it", "enter the final address in the settings if you trust it")
}

// status returns a description of a status and a remedy. more follows the description.
func (m *remote) status(status int, more string) (what string, do remedy) {
	provider, host := m.end.row.Name, m.end.url.Host
	switch {
	case status == http.StatusUnauthorized && m.end.key == "":
		return host + " needs a key", hintOrPage("set "+m.keyVar(), "enter its key in the settings")
	case status == http.StatusUnauthorized:
		return fmt.Sprintf("%s refused the key in %s", provider, m.end.keyVar),
			remedy{fmt.Sprintf("check %s: it must be a whole, valid key for %s", m.end.keyVar, host),
				&fault.PageWords{Message: provider + " refused your key" + more, Hint: "check it in the settings: it must be a whole, valid key for " + host}}
	case status == http.StatusForbidden:
		return fmt.Sprintf("%s does not allow the use of %s", provider, m.model),
			hintOrPage(fmt.Sprintf("the key in %s may not include this model; choose another model with --model", m.keyVar()), "your key may not include this model; choose another model")
	case status == http.StatusNotFound:
		return fmt.Sprintf("%s has no model %s", provider, m.model),
			hintOrPage(fmt.Sprintf("check the model's name (--model %s:NAME); if it is right, check %s (now %s)", provider, BaseURLVar(provider), host),
				fmt.Sprintf("check the model's name (as %s calls it); if it is right, check the address in the settings (now %s)", provider, host))
	case status == http.StatusTooManyRequests:
		return provider + " says that there were too many requests", anotherModel("wait, check the quota of the account, or choose")
	case status == http.StatusPaymentRequired:
		return fmt.Sprintf("the quota or credit of %s is used up", provider),
			hintOrPage(fmt.Sprintf("check the account behind %s, or choose another model with --model", m.keyVar()), "check the account that your key belongs to, or choose another model")
	case status == http.StatusRequestEntityTooLarge:
		return provider + " says that the request is too large", remedy{hint: "attach less, or start a new conversation with /new"}
	case status == http.StatusServiceUnavailable, status == 529: // 529: Anthropic's
		return provider + " is overloaded", remedy{hint: "try again later, or name a second model: model: [a:x, b:y]"}
	case status >= 500:
		return provider + " had a server error", anotherModel("try again later, or choose")
	}
	return provider + " refused the request", anotherModel(fmt.Sprintf("check that %s supports the request, or choose", m.model))
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
