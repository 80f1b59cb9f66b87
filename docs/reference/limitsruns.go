package reference

const limitsRunsHead = `# Limits of runs and servers

What is too large, too many or too long for a run, its trace, and programs around golem. [Limits](limits.md) has those of tools, commands, git, MCP and libraries.
`

// LimitsOfRuns returns the page of the limits of runs and servers, from the source below root.
func LimitsOfRuns(root string) (string, error) { return limitsPage(root, limitsRunsHead, limitsOfRuns) }

// limitsOfRuns are the sections of the page of limits of runs and servers.
var limitsOfRuns = []limited{
	{"Runs and traces", "", "core/trace/beside.go", []limit{
		{what: "an input, a message, the arguments of a call", unit: bytesUnit, at: "MaxInput", then: "E_LIMIT", file: "core/run/result.go"},
		{what: "an answer of a model", unit: bytesUnit, at: "maxAnswer", then: "the request fails", file: "core/model/remote.go"},
		{what: "a text in a line of a trace", unit: bytesUnit, at: "maxString", then: "it is in a file of its own", file: "core/trace/cut.go"},
		{what: "a JSON value in a line of a trace", unit: bytesUnit, at: "maxValue", then: "it is in a file of its own", file: "core/trace/cut.go"},
		{what: "the long texts of one run", unit: bytesUnit, at: "maxBeside", then: "golem warns once and cuts"},
		{what: "runs whose traces golem keeps", at: "KeptRuns", then: "the oldest are removed", file: "core/trace/folder.go"},
		{what: "messages in the history of a project", at: "MaxEntries", then: "the oldest are removed", file: "cmd/cli/editor/history.go"},
		{what: "the history of a project", unit: bytesUnit, at: "MaxHistory", then: "the oldest are removed", file: "cmd/cli/editor/history.go"},
		{what: "what `/copy` copies on a terminal", at: "maxClip", unit: bytesUnit, then: "it is not copied", file: "cmd/cli/session/clipboard.go"},
		{what: "files that `golem check --watch` watches", at: "maxWatched", then: "others are not watched", file: "cmd/cli/projectcmd/watch.go"},
		{what: "what the code of a hardened worker computes in a call, in fuel", at: "hardenedFuel", then: "the worker answers", file: "core/run/hardened.go"},
	}},
	{"Undo and staged changes", "", "core/clearance/undo.go", []limit{
		{what: "old content that is kept of a run", unit: bytesUnit, at: "keptBytes", then: "the run warns"},
		{what: "files whose old content is kept of a run", at: "keptFiles", then: "the run warns"},
		{what: "runs that can be undone", at: "keptRuns", then: "the oldest cannot"},
		{what: "bytes that one run stages", unit: bytesUnit, at: "maxStaged", then: "E_QUOTA", file: "core/clearance/work.go"},
		{what: "changes that one run stages", at: "maxFiles", then: "E_QUOTA", file: "core/clearance/work.go"},
	}},
	{"Packed projects and batches", "", "core/workspace/pack.go", []limit{
		{what: "a packed project", unit: bytesUnit, at: "MaxPack", then: "E_LIMIT"},
		{what: "its files, unpacked", unit: bytesUnit, at: "MaxPacked", then: "E_LIMIT"},
		{what: "how many files", at: "MaxFiles", then: "E_LIMIT", file: "core/workspace/archive.go"},
		{what: "a file that an item of a batch writes", unit: bytesUnit, at: "MaxFile", then: "after a crash the item begins anew", file: "core/conversation/changes.go"},
		{what: "all files that it writes", unit: bytesUnit, at: "MaxFiles", then: "after a crash the item begins anew", file: "core/conversation/changes.go"},
		{what: "finished batches that golem keeps", at: "KeptCount", then: "the oldest are removed", file: "core/batch/remove.go"},
	}},
	{"The web, editors and servers", "", "cmd/cli/openaiserve/server.go", []limit{
		{what: "a page that `web_fetch` reads", unit: bytesUnit, at: "UsualResponse", then: "E_NETWORK", file: "core/tool/limits.go"},
		{what: "an image or PDF from the web for a model", unit: bytesUnit, at: "maxPart", then: "E_LIMIT", file: "core/toolset/web/web.go"},
		{what: "a request to `golem serve`", unit: bytesUnit, at: "maxBody", then: "an error"},
		{what: "messages of a request", at: "maxMessages", then: "an error", file: "cmd/cli/openaiserve/request.go"},
		{what: "the time of a request", unit: seconds, at: "maxTime", then: "an error"},
		{what: "requests at the same time", at: "maxRuns", then: "429"},
		{what: "a message of an editor (`golem acp`)", unit: bytesUnit, at: "maxMessage", then: "an error", file: "cmd/cli/acpcmd/lines.go"},
		{what: "a result of a function that a page provides", unit: bytesUnit, at: "maxResult", then: "E_TOOL_OUTPUT", file: "core/toolset/page.go"},
		{what: "waiting for an OpenTelemetry collector", unit: seconds, at: "usualTimeout", key: "`OTEL_EXPORTER_OTLP_TIMEOUT`", most: "mostTimeout", then: "golem warns", file: "cmd/cli/telemetry/settings.go"},
		{what: "spans of a run for a collector", at: "maxSpans", then: "the rest is left out", file: "core/otlp/otlp.go"},
		{what: "one content for a collector", unit: bytesUnit, at: "maxText", then: "it is cut", file: "core/otlp/otlp.go"},
		{what: "all contents of a run for a collector", unit: bytesUnit, at: "maxTexts", then: "the rest is left out", file: "core/otlp/otlp.go"},
	}},
}
