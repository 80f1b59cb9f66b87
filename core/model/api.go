package model

import (
	"encoding/json"
	"net/url"
	"strings"

	"golem/core/tool"
)

// The protocols that golem speaks (Provider.API).
const (
	Chat      = "chat"      // OpenAI's chat completions, which most providers have
	Responses = "responses" // OpenAI's Responses
	Anthropic = "anthropic" // Anthropic's Messages
)

// api is a protocol: it encodes requests and decodes answers.
type api interface {
	// payload encodes a request.
	payload(m *remote, r Request) (payload, error)
	// send sends a payload and returns the answer, which the caller closes.
	send(m *remote, g *guard, p payload) (incoming, error)
	// decoder returns the decoder that fills a.
	decoder(a *answer) decoder
	// set puts a setting into a request's body, under the name that the row or else the
	// protocol has for it.
	set(body fields, setting string, value json.RawMessage, p Provider, model string) error
	// names maps the settings to the protocol's names. The protocol lacks the other settings.
	names() map[string]string
}

// incoming is the stream of an answer. RecvRaw returns the data of the next event, and
// io.EOF at the end.
type incoming interface {
	RecvRaw() ([]byte, error)
	Close() error
}

// decoder adds the events of a stream to an answer.
type decoder interface {
	add(event []byte) error
}

// protocol returns the protocol of a row at an address.
func (p Provider) protocol(address *url.URL) api {
	switch p.apiAt(address) {
	case Responses:
		return responsesAPI{}
	case Anthropic:
		return anthropicAPI{}
	}
	return chatAPI{}
}

// apiAt returns the name of the protocol. OpenAI's own hosts speak Responses, because
// their newest models accept tools only there; hosts that stand in for OpenAI speak
// Chat.
func (p Provider) apiAt(address *url.URL) string {
	switch {
	case p.API != "":
		return p.API
	case p.Name == "openai" && address != nil && (address.Hostname() == "api.openai.com" || strings.HasSuffix(address.Hostname(), ".api.openai.com")):
		return Responses
	}
	return Chat
}

// payload is one request: its head in the types of the protocol and, apart from it,
// what is encoded already or cannot be expressed in those types.
type payload struct {
	head     any
	place    string // where the messages belong in the encoded head: `"messages":null`
	messages body   // as a JSON list
	tools    json.RawMessage
	names    []string // of the tools, in their order
	members  fields   // further members that golem sets
	settings Settings
}

// listed returns a JSON list of pieces.
func listed(pieces []json.RawMessage) body {
	out := make(body, 0, 2*len(pieces)+1)
	open := []byte("[")
	for _, p := range pieces {
		out = append(out, open, p)
		open = []byte(",")
	}
	if len(pieces) == 0 {
		out = append(out, open)
	}
	return append(out, []byte("]"))
}

// encoder encodes messages and tools for a protocol.
type encoder interface {
	// message encodes one message. If it becomes several values of a list, they are
	// joined by commas.
	message(msg Message) (json.RawMessage, error)
	// files encodes the message that follows tool results with parts; nil if the results
	// contain their own parts.
	files(parts []Part) (json.RawMessage, error)
	// bridge returns the message that must stand between tool results and a user's
	// message; nil if none is needed.
	bridge() json.RawMessage
	// together returns two neighbours of a role as one message; nil if the protocol takes
	// them as they are.
	together(role Role, first, second json.RawMessage) (json.RawMessage, error)
	// tool returns a tool in the form of the protocol.
	tool(s tool.Spec) any
}
