package options

// The commands that share most flags.
const (
	running = "run chat"
	opening = running + " check describe"
	reading = opening + " workers"
)

// The sections of docs/reference/flags.md, and the interfaces of golem-options.d.ts.
const (
	what   = "What is run"
	may    = "What it may do"
	shown  = "What is shown and kept"
	packed = "Of a packed project"

	toOpen  = "ProjectOptions"
	toCheck = "CheckOptions"
	toRun   = "RunOptions"
	toBatch = "BatchOptions"
	toAny   = "Waiting" // written by hand
)

// Texts of several options.
const (
	here  = "the project directory (default: the current directory)"
	dry   = "--dry-run runs nothing and writes nothing"
	draws = "nothing: a page draws the events itself"

	doubts = "what to do with a call that was running when golem was killed, and that reaches beyond the item's files: ask, repeat or fail (default ask)"
)

// All are the options of golem. Nothing in it is computed when a program starts, so that golem.wasm,
// which uses Names only, does not link it.
var All = Table{
	{
		Name:    "model",
		Flag:    Flag{In: opening + " serve batch retry", Short: "m", Arg: "M", Help: "use this model for the whole run, as provider:name"},
		Page:    Page{For: toOpen, Doc: "provider:name; default: the project's model."},
		Section: what, Doc: "the model of the whole run",
	},
	{
		Name: "entry",
		Flag: Flag{In: reading + " call serve batch", Arg: "REF", Help: "start with this worker instead of the project's entry",
			HelpIn: []Help{{"serve", "offer this worker, and not the exports"}}},
		Page:    Page{For: toOpen, Doc: "The worker to run instead of the project's entry."},
		Section: what, Doc: "the worker to begin with",
	},
	{
		Name: "project",
		Flag: Flag{In: reading + " call serve lock add batch", Arg: "DIR", Help: "the project directory; TARGET may then be left out",
			HelpIn: []Help{{"call", here}, {"serve", here}, {"add", here}, {"lock", "the project directory, in place of DIR"}}},
		Why:     "the first argument of a method",
		Section: what, Doc: "the project; TARGET may then be left out",
	},
	{
		Name:    "no-project",
		Flag:    Flag{In: reading + " serve batch", Help: "run TARGET, a worker file, without a manifest"},
		Why:     "nothing: a worker file is in a project",
		Section: what, Doc: "run a worker file without a manifest",
	},
	{
		Name:    "lib",
		Flag:    Flag{In: reading + " call serve lock batch", Arg: "DIR", Help: "look for libraries in this directory first; may be repeated"},
		Why:     "the method `installLibrary`",
		Section: what, Doc: "look for libraries in this directory first; may be repeated. The directories of `GOLEM_LIBS` and `$GOLEM_HOME/libs` come after it, see [libraries.md](libraries.md)",
	},
	{
		Name: "input",
		Flag: Flag{In: running + " describe", Arg: "JSON", Help: "the input as JSON: an object or a string",
			HelpIn: []Help{{"describe", "render a template for this input: a JSON object or string"}}},
		Why:     "an argument of `run`, `chat` and `call`",
		Section: what, Doc: "the input as JSON: an object for a worker with an `input_schema`, or a string",
	},
	{
		Name:    "input-file",
		Flag:    Flag{In: running, Short: "i", Arg: "FILE", Help: "read the input from this file, as @FILE does"},
		Why:     "an argument of `run`, `chat` and `call`",
		Section: what, Doc: "the content of a file as the input, as `@FILE`",
	},
	{
		Name: "attach",
		Flag: Flag{In: running, Short: "a", Arg: "FILE", Help: "attach a file from anywhere on the disk, or mcp:SERVER:URI, a resource of an MCP server; may be repeated"},
		Page: Page{For: toRun, Name: "attachments", Own: true, Type: "{ name: string; data: Bytes }[]",
			Doc: "Files for the first message. A name mcp:SERVER:URI with empty data is a resource of an MCP server of the worker."},
		Section: what, Doc: "give the worker a file, read-only, or with `mcp:SERVER:URI` a resource of an MCP server; may be repeated",
	},
	{
		Name: "model-settings",
		Flag: Flag{In: opening + " serve batch retry", Name: "set", Arg: "NAME=VALUE", Example: "--set temperature=0.2 --set max_output_tokens=4000",
			Help: "set a model setting for this run, as NAME=VALUE: temperature, max_output_tokens, reasoning_effort, …; may be repeated"},
		Page:    Page{For: toOpen, Type: "Record<string, unknown>", Doc: "Settings of the models, such as {temperature: 0.2}."},
		Section: what, Doc: "a setting of the models for the run, which overrides the files: `temperature`, `max_output_tokens`, `reasoning_effort` and others ([models.md](models.md#settings)); may be repeated",
	},
	{
		Name: "resume",
		Flag: Flag{In: running, Arg: "ID", Bare: "newest", Help: "go on with this conversation, which an earlier run or chat kept; without ID the newest (golem conversations lists them)",
			Excludes: []Exclusion{{"sandbox memory", "leave --sandbox out"}}},
		Page:    Page{For: toRun, Doc: "The id of a kept conversation to continue; '' is the newest."},
		Section: what, Doc: "go on with a conversation that an earlier run or chat kept. Without ID it is the newest. TARGET may be left out for the current directory ([conversations.md](conversations.md))",
	},
	{
		Name:    "changed",
		Flag:    Flag{In: running, Help: "with --resume: go on although files of the conversation's workers have changed"},
		Page:    Page{For: toRun, Doc: "With resume: continues although files of its workers have changed."},
		Section: what, Doc: "with `--resume`: go on without a question, although files of the conversation's workers have changed; each is a warning",
	},
	{
		Name: "doubt",
		Flag: Flag{In: running + " batch retry", Arg: "HOW", Values: []string{"ask", "repeat", "fail"},
			Help:   "with --resume: what to do with a call that was running when golem ended: ask, repeat or fail (default ask)",
			HelpIn: []Help{{"batch", doubts}, {"retry", doubts}}},
		Page: Page{For: toRun, Type: "'ask' | 'repeat' | 'fail'",
			Doc: "With resume: what to do with a call that was running when golem ended; default: ask."},
		Section: what, Doc: "with `--resume`: what to do with a call that was running when golem ended, so that its effect is not known: `ask`, `repeat` or `fail`. Calls that do no more when they run twice are repeated without a question ([conversations.md](conversations.md#how-it-goes-on))",
	},
	{
		Name:    "at",
		Flag:    Flag{In: "chat", Arg: "N", Help: "with --resume: go back to before your message with this number, and go on there as a new conversation; the old one stays"},
		Page:    Page{For: toRun, Doc: "With resume: branches off before the person's message of this number."},
		Section: what, Doc: "with `chat --resume`: go on before your message N, as a branch",
	},
	{
		Name: "check",
		Flag: Flag{In: "run", Help: "check the project instead, like golem check"},
		Why:  "the method `check`", Section: what, Doc: "the same as the command `check`",
	},
	{
		Name: "list-workers",
		Flag: Flag{In: "run", Help: "list its workers instead, like golem workers"},
		Why:  "the method `workers`", Section: what, Doc: "the same as the command `workers`",
	},
	{
		Name: "dry-run",
		Flag: Flag{In: "run", Help: "show what the run would do: workers, models, tools and what becomes of their calls, files, hosts, limits; nothing runs",
			Excludes: []Exclusion{{"resume", dry}, {"trace", dry}, {"artifacts", dry}, {"record", dry}}},
		Why:     "the method `plan`",
		Section: what, Doc: "with `golem run`: show what the run would do, and run nothing: each worker with its model, tools, files and limits, what golem would decide about its calls, and the hosts that requests can go to; `--json`",
	},
	{
		Name: "approval",
		Flag: Flag{In: opening + " call serve batch retry", Arg: "MODE", Values: []string{"interactive", "approve_all", "auto_deny"},
			Help: "approval mode: interactive, approve_all or auto_deny"},
		Page:    Page{For: toOpen, Type: "'interactive' | 'approve_all' | 'auto_deny'"},
		Section: may, Doc: "`interactive`, `approve_all`, `auto_deny`",
	},
	{
		Name: "approve-all", Into: "Approval",
		Flag: Flag{In: opening + " call serve batch retry", Sets: "approve_all", Help: "approve every call that would ask (same as --approval approve_all)",
			Excludes: []Exclusion{{"deny-all", "use one of them"}}},
		Why:     "`approval: 'approve_all'`",
		Section: may, Doc: "the same as `--approval approve_all`",
	},
	{
		Name: "deny-all", Into: "Approval",
		Flag:    Flag{In: opening + " call serve batch retry", Sets: "auto_deny", Help: "deny every call that would ask (same as --approval auto_deny)"},
		Why:     "`approval: 'auto_deny'`",
		Section: may, Doc: "the same as `--approval auto_deny`; only one of the three can be given",
	},
	{
		Name:    "headless",
		Flag:    Flag{In: running + " call", Help: "never ask a question, even on a terminal"},
		Why:     "a run without the option `approve`",
		Section: may, Doc: "never ask, even on a terminal",
	},
	{
		Name:    "trust",
		Flag:    Flag{In: opening + " call serve batch retry", Help: "for this run, trust what the project's files allow beyond its sandbox"},
		Page:    Page{For: toOpen, Doc: "Says yes, for this run, to the settings of the project that reach beyond its sandbox."},
		Section: may, Doc: "for this run, trust what the project's files allow beyond its sandbox",
	},
	{
		Name:    "unconfined",
		Flag:    Flag{In: running, Help: "where this system cannot confine commands, let rules and earlier answers approve them, too"},
		Why:     "nothing: a page starts no commands",
		Section: may, Doc: "where this system cannot confine commands, let rules and earlier answers approve them; without the flag each command asks there ([shell/walls.md](shell/walls.md)). With `run` and `chat`; it changes nothing where golem confines them, and no file can set it",
	},
	{
		Name: "sandbox",
		Flag: Flag{In: running + " call serve", Arg: "memory", Values: []string{Memory},
			Help: "memory: changes stay in memory, and no file on the disk is changed"},
		Why:     "nothing: a project in the browser is a copy already",
		Section: may, Doc: "write nothing to disk, except the trace",
	},
	{
		Name:    "allow-outside",
		Flag:    Flag{In: reading + " call serve", Help: "allow the manifest to mount directories outside the project"},
		Why:     "nothing: a page reaches no files outside its projects",
		Section: may, Doc: "mounts may name directories outside the project",
	},
	{
		Name:    "no-import-tools",
		Flag:    Flag{In: reading + " call serve batch retry", Help: "do not load custom tools (.wasm files)"},
		Page:    Page{For: toOpen, Doc: "Loads no custom tools (.wasm files)."},
		Section: may, Doc: "load no custom tools",
	},
	{
		Name:    "allow-module-imports",
		Flag:    Flag{In: reading + " call serve lock batch retry", Help: "allow tool modules from outside the project"},
		Page:    Page{For: toOpen, Doc: "Lets workers import tool modules from outside the project."},
		Section: may, Doc: "allow tool modules from outside the project: `pkg.mod:register` under `$GOLEM_HOME/tools`",
	},
	{
		Name:    "max-depth",
		Flag:    Flag{In: opening + " serve batch retry", Arg: "N", Help: "how deep workers may call workers; the first worker has depth 0"},
		Page:    Page{For: toOpen, Doc: "How deep workers may call workers."},
		Section: may, Doc: "how deep workers may call workers",
	},
	{
		Name: "limits",
		Flag: Flag{In: opening + " call serve batch retry", Name: "limit", Arg: "NAME=VALUE", Example: "--limit turns=20 --limit tool_timeout=1m",
			Help: "set a limit for this run, as NAME=VALUE: turns, tokens, cost, tool_timeout, worker_timeout, model_timeout, tool_output; may be repeated"},
		Page:    Page{For: toOpen, Type: "Record<string, string | number>", Doc: "Limits of the run, such as {turns: 20, cost: 0.5, tool_timeout: '1m'}."},
		Section: may, Doc: "a limit for every worker of the run, which overrides the files: `turns`, `tokens`, `cost` (US dollars), `tool_timeout`, `worker_timeout`, `model_timeout`, `tool_output`; may be repeated",
	},
	{
		Name:    "max-turns",
		Flag:    Flag{In: opening + " serve batch retry", Arg: "N", Help: "the most model requests of each worker (same as --limit turns=N)"},
		Page:    Page{For: toOpen, Doc: "The same as limits.turns."},
		Section: may, Doc: "the same as `--limit turns=N`",
	},
	{
		Name:    "strict",
		Flag:    Flag{In: running + " call serve", Help: "exit 1 if any call was denied or any worker failed"},
		Page:    Page{For: toRun, Doc: "Any denied call or failed worker makes the exit code 1."},
		Section: may, Doc: "exit 1 if any call was denied or any worker failed",
	},
	{
		Name: "json",
		Flag: Flag{In: reading + " call", Help: "print one JSON object per line on standard output"},
		Why:  "the events of a run", Section: shown, Doc: "one JSON event a line; see [trace.md](trace.md#--json)",
	},
	{
		Name: "plain",
		Flag: Flag{In: running + " trust", Help: "plain lines on a terminal, too, instead of the tree of a run and the full screen of a chat",
			HelpIn: []Help{{"trust", "ask in plain lines on a terminal, too"}}},
		Why: draws, Section: shown, Doc: "plain lines on a terminal too, instead of the tree of a run and the full screen of a chat",
	},
	{
		Name: "quiet",
		Flag: Flag{In: running + " call serve batch retry", Short: "q", Help: "show progress, warnings and errors only",
			HelpIn: []Help{{"serve", "show warnings and errors only"}}, Excludes: []Exclusion{{"verbose", "use one of them"}}},
		Why: draws, Section: shown, Doc: "only progress, warnings and errors",
	},
	{
		Name: "verbose",
		Flag: Flag{In: running + " check call", Short: "v", Help: "also show the results of tools", HelpIn: []Help{
			{"check", "print each effective value with its origin, and what tools can call"},
			{"call", "show more: the result of a project's tool; what a module logs and what its call used"},
		}},
		Why: draws, Section: shown, Doc: "also the results of tools. With `check`: each value that counts and its origin, and for each tool the tools and workers that it can call",
	},
	{
		Name: "no-color",
		Flag: Flag{In: reading + " call batch retry", Help: "print without colours (NO_COLOR does the same)"},
		Why:  draws, Section: shown, Doc: "no colours; `NO_COLOR` does the same",
	},
	{
		Name: "trace",
		Flag: Flag{In: running + " call", Arg: "FILE", Help: "write the trace to this file (default .golem/runs/RUN.jsonl)"},
		Why:  "the option `trace`, and the method `readRun`", Section: shown, Doc: "where the trace goes. Its long texts go beside it (`t.d/` for `t.jsonl`)",
	},
	{
		Name: "otlp",
		Flag: Flag{In: running + " call serve batch retry", Arg: "URL", Help: "send the trace to this OpenTelemetry collector when the run ends, as OTLP/HTTP JSON without contents"},
		Why:  "the method `otlp`, whose lines a page can send", Section: shown, Doc: "send the trace to an OpenTelemetry collector when the run ends, as `OTEL_EXPORTER_OTLP_ENDPOINT` does ([trace/opentelemetry.md](trace/opentelemetry.md))",
	},
	{
		Name: "otlp-contents",
		Flag: Flag{In: running + " call serve batch retry", Help: "with --otlp: also send inputs, answers, arguments, results and messages of errors"},
		Why:  "the option `contents` of the method `otlp`", Section: shown, Doc: "with `--otlp`: also send inputs, answers, arguments, results and messages of errors",
	},
	{
		Name: "artifacts",
		Flag: Flag{In: running + " call", Arg: "DIR", Help: "write complete prompts, inputs and outputs to this directory"},
		Page: Page{For: toRun, Name: "artifact", Own: true, Type: "(artifact: { name: string; data: string }) => void",
			Doc: "Called with whole prompts, inputs and outputs as JSON; the name begins with the call's id: 0.2.prompt.json."},
		Section: shown, Doc: "keep prompts, inputs and outputs, by call",
	},
	{
		Name:    "record",
		Flag:    Flag{In: running, Arg: "FILE", Help: "record the model's answers for replay:FILE"},
		Page:    Page{For: toRun, Doc: "The file of the project in which the answers of the models are recorded. If it is neither empty nor a recording, the run is refused with E_CONFLICT."},
		Section: shown, Doc: "record what the model answers, for `replay:FILE`",
	},
	{
		Name: "output",
		Flag: Flag{In: running, Short: "o", Arg: "DIR", Help: "for a packed project: write the files that the run wrote to this new directory"},
		Why:  "the method `importPack`, which makes a project", Section: packed,
		Doc: "keep the files that the run wrote in DIR, which is new or empty. If it wrote nothing, golem says so and does not make DIR",
	},
	{
		Name: "verify",
		Flag: Flag{In: reading + " serve batch", Arg: "KEY", Help: "for a packed project: refuse it unless this public key of minisign, or key file, signed it"},
		Why:  "the method `inspectPack`, which tells the signer", Section: packed,
		Doc: "refuse the project unless this public key of minisign, or key file, signed it",
	},
	{
		Name: "inputs",
		Flag: Flag{In: "batch", Arg: "FILE", Help: "the inputs: a file FILE.jsonl or FILE.csv, a directory, or - for standard input"},
		Page: Page{For: toBatch, Own: true, Type: "string | (string | object)[] | { name: string; data: Bytes | string }",
			Doc: "The inputs: the path of a file .jsonl or .csv or of a directory in the project; a list of texts and objects; or the name and content of a file .jsonl or .csv. Without inputs the batch of the option name goes on as it began."},
	},
	{
		Name: "key",
		Flag: Flag{In: "batch", Arg: "FIELD", Help: "the field whose value names the item (default: the SHA-256 of the input)"},
		Page: Page{For: toBatch, Doc: "The field whose value names the item; default: the SHA-256 of the input."},
	},
	{
		Name: "out",
		Flag: Flag{In: "batch", Arg: "DIR", Help: "the directory for results and files (default: BATCH.out)"},
		Page: Page{For: toBatch, Doc: "The directory of the project for results and files; default: BATCH.out."},
	},
	{
		Name: "name",
		Flag: Flag{In: "batch", Arg: "BATCH", Help: "the name of the batch (default: made of the project, its content and the inputs)"},
		Page: Page{For: toBatch, Doc: "The name of the batch; default: made of the project, its content and the inputs."},
	},
	{
		Name: "jobs",
		Flag: Flag{In: "batch retry", Arg: "N", Default: "4", Help: "how many items run beside each other"},
		Page: Page{For: toBatch, Doc: "How many items run beside each other; default: 4."},
	},
	{
		Name: "retry",
		Flag: Flag{In: "batch retry", Arg: "N", Help: "how often an item that failed is run again"},
		Page: Page{For: toBatch, Doc: "How often an item that failed is run again."},
	},
	{
		Name: "queue",
		Flag: Flag{In: "batch", Arg: "URL", Help: "let the workers of other machines run the items, over this NATS server (golem worker)"},
		Why:  "nothing: a page runs its batches itself",
	},
	{
		Name: "platform",
		Flag: Flag{In: "check", Arg: "NAME", Default: "native", Values: []string{"native", "browser"}, Help: "check for this platform: native or browser"},
		Page: Page{For: toCheck, Doc: "native or browser; default: both."},
	},

	// The command line has these in another form or not at all.
	{
		Name: "config", Into: "Page.Config", Why: "`$GOLEM_HOME/config.yaml`",
		Page: Page{For: toOpen, Doc: "The person's own configuration, the text of a config.yaml."},
	},
	{
		Name: "env", Into: "Page.Env", Why: "the environment",
		Page: Page{For: toOpen, Doc: "Keys and addresses, such as OPENAI_API_KEY; kept in no file."},
	},
	{
		Name: "secrets", Into: "Page.Secrets", Why: "`golem secret set`",
		Page: Page{For: toOpen, Doc: "The person's secrets by name, for modules to which the project gives {secret: NAME}; kept in no file."},
	},
	{
		Name: "approve", Why: "the questions on the terminal",
		Page: Page{For: toRun, Own: true, Type: "(request: Question, signal: AbortSignal) => Decision | null | Promise<Decision | null>",
			Doc: "Called before a side effect, and before a run whose project has settings that reach beyond its sandbox. null says\n" +
				"that nobody can be asked; without approve all that would ask is denied. signal aborts when the question is\n" +
				"withdrawn or the run is cancelled: then an answer has no effect."},
	},
	{
		Name: "signal", Why: "Ctrl+C",
		Page: Page{For: toAny, Own: true, Type: "AbortSignal", Doc: "Ends the call; a run then has the status interrupted."},
	},
	{
		Name: "trace", Into: "Page.Trace", Why: "`--trace`: a run of the command line always has a trace",
		Page: Page{For: toRun, Doc: "false keeps no trace in the project."},
	},
	{
		Name: "assistant", Into: "Page.Assistant", Why: "`golem chat assistant`",
		Page: Page{For: toOpen, Doc: "Talks with golem's own worker assistant about the project's files, also if the project has no worker."},
	},
	{
		Name: "prompts", Into: "Page.Prompts", Why: "`--artifacts`",
		Page: Page{For: toRun, Doc: "Keeps each worker's messages beside the trace, to be read by golem.prompts."},
	},
}
