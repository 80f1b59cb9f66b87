package mcp

import "slices"

// Revisions are the revisions of the protocol that golem speaks, as a client and as a
// server, newest first.
var Revisions = []string{Stateless, Latest, "2025-06-18", "2025-03-26", "2024-11-05"}

const (
	// Stateless is the first revision without a handshake: every request says by itself
	// which revision it follows, and there are no sessions.
	Stateless = "2026-07-28"
	// Latest is the newest revision with a handshake. A client asks for it first, because
	// programs of that time end or never answer if the first message is another one.
	Latest = "2025-11-25"
)

// Shaking returns the revisions that begin with a handshake, newest first.
func Shaking() []string {
	return slices.DeleteFunc(slices.Clone(Revisions), func(r string) bool { return r >= Stateless })
}

// Keys of _meta in the requests and results of Stateless.
const (
	MetaRevision     = "io.modelcontextprotocol/protocolVersion"
	MetaClient       = "io.modelcontextprotocol/clientInfo"
	MetaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	MetaServer       = "io.modelcontextprotocol/serverInfo"
)

// Headers of streamable HTTP.
const (
	SessionHeader  = "Mcp-Session-Id"
	RevisionHeader = "Mcp-Protocol-Version"
	MethodHeader   = "Mcp-Method" // from Stateless on
	NameHeader     = "Mcp-Name"   // from Stateless on
	paramHeader    = "Mcp-Param-" // from Stateless on
)

// Codes of errors that the protocol defines besides those of JSON-RPC.
const (
	CodeUnknownMethod  = -32601
	CodeWrongRevision  = -32022
	CodeWrongHeader    = -32020
	CodeNoCapabilities = -32021
)
