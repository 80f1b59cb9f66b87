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

// api is one of the protocols.
type api interface {
	// payload is a request in the protocol.
	payload(m *remote, r Request) (payload, error)
	// send sends it and opens the answer.
	send(m *remote, g *guard, p payload) (incoming, error)
	// decoder puts an answer together.
	decoder(a *answer) decoder
	// set puts a setting into a request's body; its name is the row's, or else
	// the protocol's.
	set(body fields, setting string, value json.RawMessage, p Provider, model string) error
	// names are what the protocol calls the settings; it lacks the others.
	names() map[string]string
}

// incoming gives the events of an answer, the data of one at a time; io.EOF ends it.
type incoming interface {
	RecvRaw() ([]byte, error)
	Close() error
}

// decoder takes the events of an answer in.
type decoder interface {
	add(event []byte) error
}

// protocol is how a row is spoken to at an address.
func (p Provider) protocol(address *url.URL) api {
	switch p.apiAt(address) {
	case Responses:
		return responsesAPI{}
	case Anthropic:
		return anthropicAPI{}
	}
	return chatAPI{}
}

// apiAt is the name of the protocol. OpenAI's own hosts speak Responses, since
// their newest models take tools there only; other hosts that stand in for
// OpenAI speak what everybody does.
func (p Provider) apiAt(address *url.URL) string {
	switch {
	case p.API != "":
		return p.API
	case p.Name == "openai" && address != nil && (address.Hostname() == "api.openai.com" || strings.HasSuffix(address.Hostname(), ".api.openai.com")):
		return Responses
	}
	return Chat
}

// payload is one request: its head as the protocol's types have it, and apart
// from it what is encoded already, or what those types cannot say.
type payload struct {
	head     any
	place    string // where the messages belong in the encoded head: `"messages":null`
	messages body   // as a JSON list
	tools    json.RawMessage
	members  fields // further members of golem's own
	settings Settings
}

// listed is a JSON list of pieces.
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

// encoder writes messages in a protocol, each once.
type encoder interface {
	// message is one message; of several values of a list, joined by commas.
	message(msg Message) (json.RawMessage, error)
	// files is what follows tool results that have parts; nil if the results
	// hold their own.
	files(parts []Part) (json.RawMessage, error)
	// bridge is what must stand between tool results and a user's message; nil: nothing.
	bridge() json.RawMessage
	// tool is one tool.
	tool(s tool.Spec) any
}
