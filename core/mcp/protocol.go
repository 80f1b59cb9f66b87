package mcp

import (
	"slices"
	"time"
)

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

// Methods of the protocol: requests, and notifications, which have no answer.
const (
	MethodInitialize        = "initialize"
	MethodDiscover          = "server/discover"      // from Stateless on
	MethodListen            = "subscriptions/listen" // from Stateless on
	MethodPing              = "ping"
	MethodListTools         = "tools/list"
	MethodCallTool          = "tools/call"
	MethodListResources     = "resources/list"
	MethodListTemplates     = "resources/templates/list"
	MethodReadResource      = "resources/read"
	MethodListPrompts       = "prompts/list"
	MethodGetPrompt         = "prompts/get"
	NotificationInitialized = "notifications/initialized"
	NotificationCancelled   = "notifications/cancelled"
	NotificationProgress    = "notifications/progress"
)

// lists are what a server may list. It can tell that a list changed.
var lists = []string{"tools", "resources", "prompts"}

// notificationChanged returns the method with which a server tells that a list changed.
func notificationChanged(list string) string { return "notifications/" + list + "/list_changed" }

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

// Limits of what a server may send, and of golem's patience.
const (
	MaxMessage      = 8 << 20          // bytes of one message
	MaxInstructions = 8 << 10          // bytes of a server's instructions that the model gets
	maxStream       = 64 << 20         // bytes of an answer and everything before it in a stream
	maxAgain        = 3                // how often a stream is resumed that broke off without a new event
	maxWait         = 10 * time.Second // the longest wait before that, if the server asks for one
	maxTimeout      = 10 * time.Minute // the longest time that a server may take to begin
	maxLater        = 64               // messages to a program for which nobody waits
	maxTools        = 1000             // tools of one server
	maxFlaws        = 20               // warnings of tools that cannot be offered
	maxPages        = 200              // pages of one list
	maxDescription  = 48 << 10         // bytes of a tool's description
	maxSchema       = 128 << 10        // bytes of one schema
	maxParamFields  = 32               // fields of one tool that are also headers
	maxList         = 4 << 20          // bytes of all descriptions and schemas of one server
	maxResult       = 4 << 20          // bytes of the texts of one result
	maxParts        = 64               // images, sounds and files of one result
	maxError        = 2 << 10          // bytes of an error's text
	maxNested       = 500              // levels of JSON: encoding/json allows 10000; compiling a schema, much less
	maxServer       = 24               // bytes of a server's name, so that the tool's name fits after it
)
