package main

// cause is what usually leads to a code, and what to do about it. Both are Markdown.
type cause struct{ what, do string }

// causes has the usual causes of each code, the most frequent first.
var causes = map[string][]cause{
	"E_PROJECT": {
		{"golem was started in a directory without a project", "go to the project's directory, or name it: `golem run DIR`"},
		{"the project has no `main.worker`", "write one, or set `entry:` in `project.yaml`"},
		{"there is no project yet", "`golem init DIR` makes one"},
	},
	"E_USAGE": {
		{"a flag or a word of the command line is wrong, or two flags contradict each other", "the command with `--help` lists its flags"},
		{"a value for a worker is not what the flag accepts", "`golem run --help` has an example for each flag"},
	},
	"E_WORKER_NOT_FOUND": {
		{"the name is misspelt", "`golem workers` lists the names"},
		{"the worker's file is in another directory", "write the name with its directory, as `golem workers` shows it"},
	},
	"E_AMBIGUOUS": {
		{"two files give one name, for example `a.worker` and `a/main.worker`", "rename or remove one of them"},
		{"a library is installed in two versions", "name the version"},
	},
	"E_NAME_MISMATCH": {{"a worker's file was renamed, and its `name:` was not", "remove `name:`, because the file's path is enough"}},
	"E_PATH": {
		{"a path contains `..`, a backslash or a character that is not allowed", "write paths inside the project with `/`, or paths of the sandbox that begin with `/`"},
		{"a link leads out of the directory", "copy the file to where the link is"},
	},
	"E_MULTIPLE_MANIFESTS": {{"a project was copied from another tool, and its manifest is still there", "keep one of the files"}},
	"E_CONFIG": {
		{"a key is misspelt or is in the wrong place", "the hint names the nearest key; [keys.md](../keys.md) lists all of them"},
		{"a value with `: ` or a final `:` has no quotes", "write it in quotes: `model: \"device:\"`"},
		{"a file of an older tool has keys that golem does not know", "`golem check --fix` shows what it would change, and asks"},
	},
	"E_TEMPLATE": {
		{"the prompt uses a name that the input does not have", "`golem describe` shows the prompt; give the value, or write `{{ name|default(\"\") }}`"},
		{"a template that is included is in another directory", "templates are looked up in `templates/`"},
	},
	"E_LIBRARY_NOT_FOUND": {
		{"the library is not installed on this machine", "`golem lib install SOURCE`"},
		{"the project does not name it", "add it to `dependencies` of `project.yaml`"},
	},
	"E_LIBRARY_CYCLE":    {{"two libraries depend on each other", "move what both need into a third one"}},
	"E_LIBRARY_CONFLICT": {{"two libraries ask for different versions of a third", "update the older one"}},
	"E_NOT_EXPORTED":     {{"the worker is an internal one of the library", "use one of the workers that the message lists"}},
	"E_TOOL_CONTRACT": {
		{"the `.wasm` file is an ordinary program", "`golem tool new` writes a tool to begin with"},
		{"the description has a mistake", "`golem tool inspect FILE` shows what golem reads"},
	},
	"E_TOOL_DISALLOWED": {{"a worker names a module that is not in its project", "copy the module into `tools/`, or allow it for this run with `--allow-module-imports`"}},
	"E_TOOL_LANGUAGE":   {{"the tool was never built", "build it as the message says"}},
	"E_SCHEMA_LANGUAGE": {{"`input_schema` or `output_schema` names a class of a program", "write the JSON Schema to a file and name that"}},
	"E_PLATFORM": {
		{"the project uses commands, or MCP servers that are programs, and runs in the page", "run it with the golem command"},
		{"golem has no directory of its own", "set `GOLEM_HOME`"},
		{"this kernel cannot confine commands", "[shell/walls.md](../shell/walls.md) says what is needed"},
	},
	"E_MODEL": {
		{"no key is known for the provider", "`golem login`"},
		{"nothing names a model", "`golem login` chooses one; `--model PROVIDER:NAME` is for one run"},
		{"the provider does not know the model, or refuses the request", "`golem models PROVIDER` lists what it has"},
		{"a script has no rule for this turn", "add a rule: a script is not a language model"},
	},
	"E_NOT_ALLOWED": {{"the worker is not in `allow_workers` of its caller", "add its name to `allow_workers` in `toolsets: {workers: …}`"}},
	"E_DENIED": {
		{"you said no", "nothing: the model was told"},
		{"a question needed an answer, and there was no terminal", "`preApproved` in the worker, a rule, or `--approve-all`"},
		{"a setting says `blocked`", "change the setting, if the call is meant"},
	},
	"E_DEPTH": {{"workers call workers that call workers", "let one worker do more, or raise `delegation.max_depth`"}},
	"E_CYCLE": {{"a worker calls the worker that called it", "remove one of the calls, or set `delegation.allow_recursion`"}},
	"E_TURNS": {
		{"the model calls the same tool again and again", "say in the instructions when the task is done"},
		{"the task is long", "`--max-turns N`, or raise `limits.turns`"},
	},
	"E_TIMEOUT": {
		{"a tool or a command needs more time than its limit", "raise the limit that the message names"},
		{"a question waited too long, for example of `golem mcp serve`", "answer sooner"},
	},
	"E_BUDGET": {
		{"the run used the tokens or the money that its limit allows", "raise `limits`, or `--limit cost=1.00` for one run"},
		{"the price of the model is not known", "give it under `providers` in your own `config.yaml`"},
	},
	"E_UNKNOWN_TOOL": {
		{"the model made the name up", "nothing: the model is told which tools there are"},
		{"the worker does not have the toolset", "add it to `toolsets`; `golem describe` lists the tools"},
	},
	"E_TOOL_INPUT": {
		{"the model wrote arguments that do not fit", "nothing: the model is told, and tries again"},
		{"a file has changed, and the text to replace is not there", "let the worker read the file again"},
		{"the input of a worker does not fit its `input_schema`", "`golem describe` shows the schema"},
	},
	"E_TOOL_OUTPUT": {{"the tool has a defect: its result does not fit what it promises", "`golem tool call` shows the result without a model"}},
	"E_TOOL": {
		{"a tool or an MCP server failed", "the message has its words; `golem tool call` tries it without a model"},
		{"an MCP server does not start", "start its command by hand and read what it says"},
	},
	"E_TOOL_MODULE": {
		{"the file is not a WebAssembly module, or only a part of one", "build it again"},
		{"the module uses an extension that golem does not run", "build it for `wasm32-wasip1`"},
	},
	"E_TOOL_FUEL":   {{"the module calculates without an end, or has more to do than its budget", "give it less in one call, or raise `fuel` in `toolsets.custom.modules`"}},
	"E_TOOL_MEMORY": {{"the module needs more memory than its limit", "give it less in one call, or raise `memory` in `toolsets.custom.modules`"}},
	"E_TOOL_STACK":  {{"a function calls itself without an end", "correct the tool"}},
	"E_TOOL_TRAP":   {{"the tool crashed: a panic, a failed check, an access outside its memory", "`golem tool call` repeats the call without a model"}},
	"E_TOOL_EXIT":   {{"the program in the module ended with an error", "its own words are in the message"}},
	"E_TOOL_IMPORT": {{"the module was built for another host", "build it for WASI preview 1 or Extism"}},
	"E_TOOL_SIZE":   {{"the tool returns too much", "return a part, and let the model ask for more"}},
	"E_GRANT": {
		{"the module opens files, and its worker grants none", "`fs: true`, or directories, in `toolsets.custom.modules`"},
		{"the module uses the network", "`allowed_hosts` there, and `sandbox: {network_enabled: true}`"},
	},
	"E_NETWORK": {
		{"the worker has no network", "`sandbox: {network_enabled: true}` in the worker"},
		{"the host is not in `allowed_hosts`", "add it, if the worker may use it"},
		{"the server does not answer, or the address is one of your own network", "golem reaches private addresses only where a setting names them"},
	},
	"E_LOCK": {
		{"a module or a library was changed after its digest was kept", "if you changed it: `golem tool lock`, or `golem lib update`"},
		{"a file was damaged on its way", "get it again"},
	},
	"E_TRUST": {
		{"the project wants something outside its sandbox: a command, a host, a key, an MCP server", "`golem trust --list` shows it; `golem trust` asks you"},
		{"what you agreed to has changed", "look at the change, then `golem trust`"},
		{"an API key is in `.env` of the project", "`golem login` keeps it outside, where it needs no trust"},
	},
	"E_SCHEMA": {
		{"a schema has a mistake", "the message names the place"},
		{"a schema uses a keyword that golem does not support", "leave the keyword out"},
	},
	"E_QUOTA": {
		{"the disk, or the browser's storage, is full", "free some space"},
		{"one run wrote more than its limit", "raise the limit that the message names, if the run is meant to write so much"},
	},
	"E_BUSY": {
		{"another golem, or another tab, works in the project", "wait until it has ended, or end it"},
		{"another program listens on the port", "choose another one, or 0 for a free one"},
	},
	"E_REPLAY": {
		{"the prompt, a tool or the input has changed since the recording", "record again, if the change is meant"},
		{"the recording ends in the middle", "record again"},
	},
	"E_LIMIT": {
		{"a file or a result is larger than golem reads at once", "read it in parts"},
		{"the prompt does not fit into `max_context_tokens`", "raise it, or give the worker less to read"},
		{"the file's suffix is not in `suffixes` of the mount", "add it, or write another kind of file"},
	},
	"E_OUTPUT_SCHEMA": {{"the model answers in words where the worker promises JSON", "say in the instructions what the answer contains, or make `output_schema` less strict"}},
	"E_READONLY":      {{"the mount has `mode: ro`", "write to another mount, or set `mode: rw`"}},
	"E_PROTECTED": {
		{"a worker wants to change a worker, a tool, a template or `project.yaml`", "do it yourself: no setting allows it"},
		{"a worker wants to read `.env`, `.git` or `.golem`", "put what it needs into a file of its own"},
	},
	"E_ESCALATION": {{"a worker mounts a directory that its caller does not see", "mount it for the caller too"}},
	"E_NOT_FOUND": {
		{"the name is misspelt, or relative to another directory", "paths of the command line are relative to the current directory"},
		{"the file exists, and the worker does not see it", "`golem describe` shows what it sees; add a directory under `sandbox.paths`"},
	},
	"E_ATTACHMENT": {
		{"the model does not read this kind of file", "choose another model, or attach text"},
		{"the file is too large, or there are too many", "attach less, or change `attachment_policy`"},
	},
	"E_CONFLICT": {
		{"a file was changed by somebody else in the meantime", "look at it, then try again; `golem undo --diff` shows what undo would do"},
		{"what is to be made exists already", "choose another name, or remove it"},
	},
	"E_INTERRUPTED": {{"you pressed Ctrl+C, or the terminal or the tab was closed", "`golem run --resume` goes on"}},
	"E_STALE":       {{"the prompt of the worker changed, or there is no recording yet", "`golem test --record`, if the change is meant"}},
}
