//go:build !js

package core_test

import ()

// This file tests the architecture: which package may import which. docs/design.md explains
// each line. A package that is not in the table, or an import that is not in its line, fails
// the test.

// arrows lists for each package the packages of golem that it may import. Every package may
// import core/fault and core/sorting, so they are not listed.
var arrows = map[string]string{
	"core":           "batch options started builtin worktest ui describe consent providers run toolset toolset/custom toolset/web toolset/mcpset toolset/skillset mcp wasmtool workspace project project/check config prompt model trace approval trust conversation clearance state sandbox tool jstool harden money textdiff",
	"core/describe":  "ui run project config approval trust tool",
	"core/consent":   "run project config started model mcp trace approval trust tool",
	"core/providers": "project config model model/prices sandbox trace tool",
	"core/ui":        "run approval trace clearance tool",
	// Plain and live lines.
	"core/ui/plain": "ui ui/view run trace approval",
	// What a person sees, as a value; the page does not link it.
	"core/ui/view": "ui trace approval",
	// Traces as text: trees, comparisons, lists and exports.
	"core/ui/report": "ui ui/view trace tool",
	"core/run":       "toolset toolset/custom toolset/mcpset toolset/skillset skills skills/script mcp project config prompt model trace approval conversation clearance sandbox tool money",
	// Tests of workers as values: what they expect, and what answers in the place of the world.
	// Code in the place of workers: it runs nothing; core asks the model and runs the code.
	"core/harden": "worktest ui money sandbox state",
	// Items, who has them and what they appended: it knows no model, no project, no network.
	"core/batch":           "approval money sandbox state trace",
	"core/batch/batchtest": "batch approval money trace",
	"core/worktest":        "run config conversation model money approval trace sandbox state tool yamltree",
	"core/conversation":    "model state money sandbox tool",
	"core/toolset":         "clearance sandbox textdiff tool",
	"core/workspace":       "builtin project config sandbox",
	"core/builtin":         "sandbox",
	"core/project":         "options config approval jstool sandbox skills started tool yamltree money",
	// The options of a run as one table: every front end makes its own form from it.
	"core/options": "",
	// Every fault at once: it reads what is resolved.
	"core/project/check": "project config sandbox yamltree",
	// What files say, as values: it opens none.
	"core/config": "approval gitglob sandbox tool yamltree money",
	"core/prompt": "project sandbox",
	// What people have for other programs: the page does not link it.
	"core/foreign": "config mcp sandbox trace yamltree",
	// Only golem check --fix needs it: the page does not link it.
	"core/migrate":   "project project/check config prompt textdiff yamltree",
	"core/clearance": "sandbox state textdiff",
	"core/state":     "sandbox",
	"core/trust":     "approval",
	// What a command line starts, as names and digests: it reads files and runs nothing.
	"core/started": "sandbox",
	"core/model":   "tool sse yamltree money model/prices",
	"core/trace":   "tool money",
	// A trace as spans for other programs; it sends nothing.
	"core/otlp":     "trace",
	"core/approval": "tool",
	// A shell's grammar, for rules on commands: only programs that run commands link it.
	"core/approval/sh": "tool",
	// The only toolset made of modules: the others link no wasm.
	"core/toolset/custom": "toolset wasmtool jstool sandbox tool",
	// The client of MCP, and the toolset of the tools of its servers.
	"core/mcp":            "tool sse",
	"core/toolset/mcpset": "toolset mcp tool",
	// The format of Agent Skills, and their toolset.
	"core/skills":           "config yamltree",
	"core/toolset/skillset": "toolset skills skills/script tool",
	// What scripts for Node find in golem's engine, and the folder that is linked of them.
	"core/skills/script": "sandbox tool",
	// Its HTTP requests use the same fetcher and policy as those of modules.
	"core/toolset/web": "toolset wasmtool tool",
	"core/wasmtool":    "tool sandbox yamltree wasmtool/guard",
	"core/tool":        "",
	"core/sandbox":     "",
	// The toolset git without an engine, which the platform provides.
	"core/toolset/gitset": "toolset sandbox tool",
	// That engine, on go-git: golem.wasm does not link it.
	"core/gitrepo": "clearance gitglob sandbox textdiff",
	// Patterns as git reads them, for ignore files and attributes.
	"core/gitglob": "",
	// JavaScript and TypeScript as tools; the engine's bytes come from the program that links it.
	"core/jstool":          "config",
	"core/jstool/embedded": "jstool",
	"core/jstool/newtool":  "",
	"core/fault":           "",
	"core/sorting":         "",
	"core/yamltree":        "",
	// Server-sent events, of models and of MCP servers.
	"core/sse":      "",
	"core/money":    "",
	"core/textdiff": "",
	// The built-in table of prices, apart from the models because a program writes the file.
	"core/model/prices": "money",

	// The guard works only on bytes, so that it can be tested without an engine.
	"core/wasmtool/guard": "",
	// The reference engine: only programs that use wazero link it.
	"core/wasmtool/wazeroengine": "sandbox wasmtool wasmtool/guard",
	// One conformance suite for every engine, its cases as data.
	"core/wasmtool/enginetest": "tool sandbox wasmtool wasmtool/guard wasmtool/wazeroengine",
	// For people who write tools in Go: no other package of golem is linked into their tools.
	"sdk": "",
	// Test support that other packages' tests import; never linked into golem.
	"core/ui/view/viewtest":    "ui/view trace",
	"core/sandbox/sandboxtest": "sandbox",
	"core/coretest":            "core options gitrepo jstool/embedded toolset toolset/gitset describe ui run trace approval project sandbox state tool model mcp mcp/mcptest wasmtool wasmtool/guard wasmtool/wazeroengine",
	"core/model/modeltest":     "",
	"core/otlp/otlptest":       "",
	"core/mcp/mcptest":         "mcp",
	"core/gitrepo/gittest":     "",
	"web/webtest":              "",

	// The files of the page, and the program that makes them.
	"web":       "",
	"web/build": "workspace docs/schemas docs/site",
	// Replacements for packages of the standard library in the page; nothing imports them.
	"web/build/noidna":    "",
	"web/build/nogodebug": "",
	"web/build/nomacho":   "",
	"web/build/nomime":    "",
	"web/build/noslog":    "",
	"web/build/noproxy":   "",
	"web/build/notls":     "",
	// Writes what the JavaScript in web/tool has in common with wasmtool, and the list
	// of what a person can do for web/ui.
	"web/twin": "wasmtool ui",

	"sandbox/osfs": "sandbox",
	"sandbox/opfs": "sandbox",
	"cmd/cli":      "cmd/cli/acpcmd cmd/cli/console cmd/cli/disk cmd/cli/home cmd/cli/shell cmd/cli/tui cmd/cli/runcmd cmd/cli/logincmd cmd/cli/projectcmd cmd/cli/testcmd cmd/cli/tracecmd cmd/cli/clearcmd cmd/cli/personcmd cmd/cli/toolcmd cmd/cli/hardencmd cmd/cli/batchcmd cmd/cli/libcmd cmd/cli/mcpcmd cmd/cli/servecmd cmd/cli/importcmd cmd/cli/webcmd cmd/cli/helpcmd",
	"cmd/wasm":     "everything sandbox/opfs cmd/wasm/jsbytes",

	// What is below the commands of the command line: files of this machine, GOLEM_HOME, the
	// console, the person's secrets, the network, git, custom tools, MCP servers, what TARGET
	// names, and opening a project.
	"cmd/cli/disk":        "sandbox",
	"cmd/cli/home":        "consent project sandbox state sandbox/osfs cmd/cli/disk",
	"cmd/cli/console":     "approval run ui ui/plain cmd/cli/disk cmd/cli/home",
	"cmd/cli/secretstore": "core mcp cmd/cli/disk cmd/cli/home cmd/cli/console",
	"cmd/cli/fetch":       "ui wasmtool cmd/cli/console",
	// Sends traces to a collector of the person: it knows no project.
	"cmd/cli/telemetry": "otlp trace ui cmd/cli/console cmd/cli/fetch cmd/cli/home",
	"cmd/cli/githost":   "clearance config gitrepo sandbox tool toolset toolset/gitset ui wasmtool workspace sandbox/osfs cmd/cli/disk cmd/cli/home cmd/cli/console cmd/cli/fetch",
	"cmd/cli/toolhost":  "jstool jstool/embedded sandbox state wasmtool wasmtool/guard wasmtool/wazeroengine workspace cmd/cli/disk cmd/cli/home cmd/cli/console cmd/cli/fetch",
	"cmd/cli/mcphost":   "mcp trace wasmtool cmd/cli/disk cmd/cli/console cmd/cli/secretstore cmd/cli/fetch",
	"cmd/cli/target":    "core approval consent project sandbox ui workspace sandbox/osfs cmd/cli/disk cmd/cli/home cmd/cli/console cmd/cli/fetch",
	"cmd/cli/machine":   "builtin core gitrepo jstool/embedded project run sandbox state tool toolset trace workspace sandbox/osfs cmd/cli/disk cmd/cli/home cmd/cli/console cmd/cli/secretstore cmd/cli/fetch cmd/cli/githost cmd/cli/toolhost cmd/cli/mcphost cmd/cli/target cmd/cli/shell cmd/cli/telemetry",

	// What several groups of commands use: flags of a run, INPUT, questions on a terminal.
	"cmd/cli/runflags": "core model options cmd/cli/console cmd/cli/toolhost cmd/cli/target cmd/cli/machine",
	"cmd/cli/input":    "project run tool cmd/cli/disk cmd/cli/console cmd/cli/runflags",
	"cmd/cli/asking":   "ui cmd/cli/console cmd/cli/tui",
	"cmd/cli/newcases": "core ui worktest cmd/cli/console cmd/cli/toolhost cmd/cli/target cmd/cli/machine",

	// Groups of commands. A session is one run or chat; its commands show what the groups below
	// it list.
	"cmd/cli/testcmd":   "core options run ui ui/plain worktest cmd/cli/disk cmd/cli/console cmd/cli/toolhost cmd/cli/target cmd/cli/machine cmd/cli/asking cmd/cli/newcases cmd/cli/projectcmd",
	"cmd/cli/hardencmd": "approval core harden options ui ui/plain cmd/cli/console cmd/cli/toolhost cmd/cli/target cmd/cli/machine cmd/cli/asking",
	"cmd/cli/batchcmd":  "core approval batch options clearance model money run sandbox state ui ui/plain workspace sandbox/osfs cmd/cli/disk cmd/cli/console cmd/cli/toolhost cmd/cli/target cmd/cli/machine cmd/cli/runflags cmd/cli/asking cmd/cli/natsqueue cmd/cli/telemetry cmd/cli/batchweb cmd/cli/clearcmd cmd/cli/fetch cmd/cli/httpguard",
	// The page with a batch's questions and staged items: it knows no project.
	"cmd/cli/batchweb": "approval batch clearance ui cmd/cli/httpguard",
	// The queue of a batch on a server: it knows no project and no command line.
	"cmd/cli/natsqueue":  "batch money sandbox trace",
	"cmd/golem-queue":    "",
	"cmd/cli/tracecmd":   "batch otlp trace ui ui/view ui/report cmd/cli/disk cmd/cli/console cmd/cli/target cmd/cli/newcases cmd/cli/traceview cmd/cli/telemetry",
	"cmd/cli/clearcmd":   "core clearance options ui cmd/cli/console cmd/cli/toolhost cmd/cli/target cmd/cli/machine",
	"cmd/cli/personcmd":  "core approval config consent run state tool trace trust ui sandbox/osfs cmd/cli/disk cmd/cli/console cmd/cli/secretstore cmd/cli/toolhost cmd/cli/target cmd/cli/machine cmd/cli/runflags cmd/cli/asking",
	"cmd/cli/helpcmd":    "ui docs cmd/cli/console cmd/cli/markdown",
	"cmd/cli/projectcmd": "core builtin skills/script describe migrate model model/prices project run trust ui workspace docs/schemas sandbox/osfs cmd/cli/disk cmd/cli/console cmd/cli/toolhost cmd/cli/target cmd/cli/machine cmd/cli/runflags cmd/cli/input",
	"cmd/cli/session":    "core approval clearance config conversation options project run sandbox state trace ui ui/plain ui/report ui/view sandbox/osfs cmd/cli/disk cmd/cli/home cmd/cli/console cmd/cli/target cmd/cli/runflags cmd/cli/input cmd/cli/asking cmd/cli/editor cmd/cli/traceview cmd/cli/tui cmd/cli/tracecmd cmd/cli/clearcmd cmd/cli/personcmd cmd/cli/projectcmd cmd/cli/telemetry",
	"cmd/cli/logincmd":   "core config model options run sandbox trace ui cmd/cli/disk cmd/cli/home cmd/cli/console cmd/cli/secretstore cmd/cli/fetch",
	"cmd/cli/runcmd":     "core cmd/cli/logincmd conversation project run state ui sandbox/osfs cmd/cli/disk cmd/cli/home cmd/cli/console cmd/cli/toolhost cmd/cli/target cmd/cli/machine cmd/cli/runflags cmd/cli/input cmd/cli/asking cmd/cli/clearcmd cmd/cli/projectcmd cmd/cli/session",
	"cmd/cli/toolcmd":    "core approval config jstool jstool/newtool project run sandbox tool toolset ui ui/plain wasmtool wasmtool/guard workspace sandbox/osfs cmd/cli/disk cmd/cli/home cmd/cli/console cmd/cli/fetch cmd/cli/toolhost cmd/cli/target cmd/cli/machine cmd/cli/runflags cmd/cli/input cmd/cli/asking cmd/cli/session",
	"cmd/cli/libcmd":     "config project ui workspace sandbox/osfs cmd/cli/disk cmd/cli/console cmd/cli/githost cmd/cli/secretstore cmd/cli/target cmd/cli/machine cmd/cli/runflags cmd/cli/toolcmd",
	"cmd/cli/mcpcmd":     "conversation mcp project run sandbox state tool ui sandbox/osfs cmd/cli/disk cmd/cli/home cmd/cli/console cmd/cli/secretstore cmd/cli/fetch cmd/cli/toolhost cmd/cli/mcphost cmd/cli/target cmd/cli/runflags cmd/cli/personcmd cmd/cli/httpguard cmd/cli/offering cmd/cli/mcpserve",
	"cmd/cli/acpcmd":     "core approval config conversation project run sandbox tool toolset trace ui cmd/cli/disk cmd/cli/home cmd/cli/console cmd/cli/toolhost cmd/cli/target cmd/cli/machine cmd/cli/runflags cmd/cli/session cmd/cli/telemetry",
	"cmd/cli/importcmd":  "foreign sandbox ui sandbox/osfs cmd/cli/disk cmd/cli/console cmd/cli/toolhost cmd/cli/target cmd/cli/machine",
	"cmd/cli/servecmd":   "core run ui cmd/cli/console cmd/cli/fetch cmd/cli/toolhost cmd/cli/target cmd/cli/runflags cmd/cli/httpguard cmd/cli/offering cmd/cli/openaiserve",
	// What the servers for other programs offer: exported workers, whose calls are runs.
	"cmd/cli/offering": "core approval project run ui cmd/cli/disk cmd/cli/console cmd/cli/toolhost cmd/cli/target cmd/cli/machine cmd/cli/runflags cmd/cli/personcmd cmd/cli/session cmd/cli/telemetry",
	"cmd/cli/webcmd":   "jstool/embedded workspace web docs/site cmd/cli/console cmd/cli/fetch cmd/cli/target",

	// Makes terminals for tests.
	"cmd/cli/ptytest": "",

	// The viewer of a trace: a value that keys change and that draws lines.
	"cmd/cli/traceview": "trace ui ui/view ui/report cmd/cli/columns cmd/cli/idle",
	// The editor for a message: it gets keys and returns text and lines.
	"cmd/cli/editor": "ui cmd/cli/columns",
	// The toolset shell: commands on this machine.
	"cmd/cli/shell": "cmd/cli/shell/confine toolset approval/sh sandbox tool",
	// The processes and walls of one command: it knows no tool and no project.
	"cmd/cli/shell/confine": "",
	// The full screen: it draws, and has no access to files or a session. Its panel decides on
	// staged items.
	"cmd/cli/tui": "ui ui/view run trace approval clearance cmd/cli/markdown cmd/cli/columns cmd/cli/idle",
	// The MCP server: it implements the protocol, and has no access to files or a project.
	"cmd/cli/mcpserve": "ui run trace approval state sandbox tool mcp cmd/cli/httpguard",
	// The server with OpenAI's protocol: it has no access to files or a project, either.
	"cmd/cli/openaiserve": "ui run trace approval tool cmd/cli/httpguard",
	// Who may ask a server of this machine.
	"cmd/cli/httpguard": "",
	// Markdown as a terminal's lines.
	"cmd/cli/markdown": "ui cmd/cli/columns",
	// How wide text is on a terminal.
	"cmd/cli/columns": "",
	"cmd/cli/idle":    "",

	// Code that the page's programs share, and the program that runs tools on wazero.
	"cmd/wasm/jsbytes": "",
	"cmd/wasm/wazero":  "sandbox wasmtool wasmtool/guard wasmtool/wazeroengine cmd/wasm/jsbytes",
	"cmd/wasm/git":     "clearance gitrepo sandbox sandbox/opfs cmd/wasm/jsbytes",

	// Measuring: programs that drive the built binary, and one that links core.
	"bench/mock": "",
	// Kills golem batch at random, and compares; tests of the command line use it, too.
	"bench/faults":      "batch state sandbox/osfs cmd/cli/natsqueue",
	"bench/batchfaults": "bench/faults",
	"bench/measure":     "",
	"bench/jscore":      "everything",
	// Finds other projects' test suites and counts; its tests read them.
	"bench/suites": "",

	// Makes releases; it builds programs and links none of golem.
	"release": "",

	// The pages for people, which golem docs shows.
	"docs": "",
	// The same pages as a web site, and the program that writes it into a directory.
	"docs/site":       "docs",
	"docs/site/write": "docs/site",
	// The program that writes docs/errors.md and the pages of docs/errors from the source.
	"docs/messages": "",
	// The program that writes the JSON Schemas and the pages of docs/keys from the tables of keys.
	"docs/keys": "config",
	// The pages of commands, providers, events and other tables, and the program that writes them.
	"docs/reference":       "model options ui docs",
	"docs/reference/write": "docs/reference",
	// The JSON Schemas as files, for golem schema.
	"docs/schemas": "",

	// A tool as its author writes it.
	"examples/tools/words": "sdk",
	// The cost of tools, compared with wazero alone.
	"bench/tools": "approval tool wasmtool wasmtool/guard wasmtool/wazeroengine",
}

// outside lists for each prefix of an import path the packages that may import it; tests may
// always. "cmd" means cmd/cli and cmd/wasm.
var outside = map[string]string{
	"github.com/tetratelabs/wazero":     "core/wasmtool bench/tools",
	"gopkg.in/yaml.v3":                  "core/yamltree",
	"net/http":                          "core/tool core/model core/mcp core/coretest cmd bench/mock bench/faults web/webtest",
	"syscall/js":                        "sandbox/opfs cmd/wasm",
	"github.com/sashabaranov/go-openai": "core/model",
	"github.com/spf13/afero":            "core/workspace web/build cmd",
	"aead.dev/minisign":                 "core/workspace cmd/cli release",
	"github.com/CycloneDX":              "release",
	"github.com/google/licensecheck":    "release",
	"github.com/hack-pad/hackpadfs":     "core/sandbox core/workspace sandbox",
	"github.com/spf13/cobra":            "cmd/cli",
	"github.com/aymanbagabas/go-udiff":  "core/textdiff",
	"golang.org/x/term":                 "cmd/cli release",
	"github.com/nats-io":                "cmd/cli/natsqueue cmd/cli/batchcmd cmd/golem-queue bench/faults", // not in golem.wasm
	"golang.org/x/crypto":               "cmd/cli/natsqueue bench/faults",
	"mvdan.cc/sh":                       "core/approval/sh cmd/cli/shell",
	"golang.org/x/sys":                  "cmd/cli sandbox/osfs",
	"golang.org/x/text":                 "core/sandbox core/toolset/web cmd/cli",
	"github.com/gofrs/flock":            "cmd/cli sandbox/osfs",
	"github.com/go-git":                 "cmd/cli core/gitrepo", // too large for golem.wasm
	"charm.land":                        "cmd/cli/tui cmd/cli/traceview cmd/cli/idle",
	"github.com/charmbracelet":          "cmd/cli/tui cmd/cli/markdown cmd/cli/columns cmd/cli/traceview cmd/cli/ptytest",
	"github.com/yuin/goldmark":          "cmd/cli/markdown docs/site",
	"github.com/modelcontextprotocol":   "cmd/cli",
	"github.com/coder/acp-go-sdk":       "cmd/cli/acpcmd",
	"golang.org/x/oauth2":               "cmd/cli",
	// Not even to evaluate an expression of a worker, or to start a process.
	"plugin":              "",
	"text/template":       "",
	"os/exec":             "cmd/cli bench/measure bench/faults bench/suites bench/tools web release docs/reference/write",
	"github.com/chromedp": "web/webtest",
	// The definition of OTLP, to test what golem sends; golem links neither.
	"go.opentelemetry.io/proto":  "core/otlp/otlptest",
	"google.golang.org/protobuf": "core/otlp/otlptest",
	"golang.org/x/net":           "web/webtest core/toolset/web bench/suites",
}

// forbiddenInCore lists packages that would bind the core to one platform, or that print.
var forbiddenInCore = []string{"os", "os/exec", "os/signal", "os/user", "syscall", "syscall/js", "path/filepath", "log", "flag"}
