package fault

// Code is the stable name of a kind of failure (SPEC §15). It is itself an
// error, so that errors.Is(err, fault.Denied) works.
type Code string

// Error returns the code.
func (c Code) Error() string { return string(c) }

// Every code golem can report, in SPEC §15 order.
const (
	Project           Code = "E_PROJECT"            // no project to work on: none was named, or the directory is not one
	Usage             Code = "E_USAGE"              // the command line, or a call of the library, is wrong
	WorkerNotFound    Code = "E_WORKER_NOT_FOUND"   // no worker has this name; the message lists the paths that were searched
	Ambiguous         Code = "E_AMBIGUOUS"          // one name means several files or tools
	NameMismatch      Code = "E_NAME_MISMATCH"      // a worker file's name: differs from its ID
	Path              Code = "E_PATH"               // a path or reference is malformed, or leads outside its root
	MultipleManifests Code = "E_MULTIPLE_MANIFESTS" // the project root has more than one manifest
	Config            Code = "E_CONFIG"             // a key or a value in a file, a variable or a flag is wrong
	Template          Code = "E_TEMPLATE"           // a template cannot be rendered
	LibraryNotFound   Code = "E_LIBRARY_NOT_FOUND"  // a library is not installed
	LibraryCycle      Code = "E_LIBRARY_CYCLE"      // libraries depend on each other in a circle
	LibraryConflict   Code = "E_LIBRARY_CONFLICT"   // two dependencies need different versions of one library
	NotExported       Code = "E_NOT_EXPORTED"       // a library does not export this worker
	ToolContract      Code = "E_TOOL_CONTRACT"      // a WebAssembly file is not a golem tool, or its description is not valid
	ToolDisallowed    Code = "E_TOOL_DISALLOWED"    // a tool module from outside the project is not permitted
	ToolLanguage      Code = "E_TOOL_LANGUAGE"      // a reference names the source of a tool, and its .wasm file is missing
	SchemaLanguage    Code = "E_SCHEMA_LANGUAGE"    // a schema is written in a language that golem does not read
	Platform          Code = "E_PLATFORM"           // this platform, or this build, does not have the feature
	Model             Code = "E_MODEL"              // no model could be used, or the provider refused or failed
	NotAllowed        Code = "E_NOT_ALLOWED"        // the worker may not call this worker or tool
	Denied            Code = "E_DENIED"             // the call was not run: a person, a setting or the approval mode said no
	Depth             Code = "E_DEPTH"              // workers called each other deeper than max_depth
	Cycle             Code = "E_CYCLE"              // a worker called itself, directly or through others
	Turns             Code = "E_TURNS"              // the worker used up its model requests (limits.turns)
	Timeout           Code = "E_TIMEOUT"            // the time limit was reached
	Budget            Code = "E_BUDGET"             // a limit of the run was reached, such as tokens
	UnknownTool       Code = "E_UNKNOWN_TOOL"       // no tool has this name
	ToolInput         Code = "E_TOOL_INPUT"         // a call's arguments are not valid JSON or do not fit the tool's schema
	ToolOutput        Code = "E_TOOL_OUTPUT"        // a tool's result does not fit its output schema
	Tool              Code = "E_TOOL"               // a tool failed
	ToolModule        Code = "E_TOOL_MODULE"        // a tool module is malformed, too large, or uses what golem does not support
	ToolFuel          Code = "E_TOOL_FUEL"          // a tool module used up its computing budget (fuel)
	ToolMemory        Code = "E_TOOL_MEMORY"        // a tool module used more memory than its limit
	ToolStack         Code = "E_TOOL_STACK"         // a tool module called its functions too deep
	ToolTrap          Code = "E_TOOL_TRAP"          // a tool module crashed
	ToolExit          Code = "E_TOOL_EXIT"          // a tool module ended with an exit code other than 0
	ToolImport        Code = "E_TOOL_IMPORT"        // a tool module called a function that golem does not provide
	ToolSize          Code = "E_TOOL_SIZE"          // what a tool module wrote or returned is larger than its limit
	Grant             Code = "E_GRANT"              // a tool module used a file, host or function that it was not granted
	Network           Code = "E_NETWORK"            // a network request failed or is not permitted
	Lock              Code = "E_LOCK"               // a file differs from its digest in golem.lock, tools.lock or the index of a packed project
	Trust             Code = "E_TRUST"              // a project's file asks for more than its sandbox, and no person has trusted that
	Schema            Code = "E_SCHEMA"             // a JSON Schema is not valid or not supported
	Quota             Code = "E_QUOTA"              // the storage is full, or a limit of files and bytes was reached
	Busy              Code = "E_BUSY"               // another process or tab uses the file or the project
	Replay            Code = "E_REPLAY"             // a recording cannot be read, or has no answer for this request
	Limit             Code = "E_LIMIT"              // something is larger than its limit, or has a suffix that its mount does not take
	OutputSchema      Code = "E_OUTPUT_SCHEMA"      // the worker's answer does not fit its output_schema
	ReadOnly          Code = "E_READONLY"           // the file lies where the worker may only read
	Protected         Code = "E_PROTECTED"          // the file defines the project or holds secrets; workers may not change or read it
	Escalation        Code = "E_ESCALATION"         // a worker would see or reach more than its caller
	NotFound          Code = "E_NOT_FOUND"          // a file, directory or other thing does not exist
	Attachment        Code = "E_ATTACHMENT"         // an attachment cannot be sent
	Conflict          Code = "E_CONFLICT"           // something changed in the meantime, or already exists
	Interrupted       Code = "E_INTERRUPTED"        // the run was stopped
	Stale             Code = "E_STALE"              // a test has no recording, or its recording no longer fits
)

// Codes lists every code, in SPEC §15 order.
func Codes() []Code {
	return []Code{
		Project,
		Usage,
		WorkerNotFound,
		Ambiguous,
		NameMismatch,
		Path,
		MultipleManifests,
		Config,
		Template,
		LibraryNotFound,
		LibraryCycle,
		LibraryConflict,
		NotExported,
		ToolContract,
		ToolDisallowed,
		ToolLanguage,
		SchemaLanguage,
		Platform,
		Model,
		NotAllowed,
		Denied,
		Depth,
		Cycle,
		Turns,
		Timeout,
		Budget,
		UnknownTool,
		ToolInput,
		ToolOutput,
		Tool,
		ToolModule,
		ToolFuel,
		ToolMemory,
		ToolStack,
		ToolTrap,
		ToolExit,
		ToolImport,
		ToolSize,
		Grant,
		Network,
		Lock,
		Trust,
		Schema,
		Quota,
		Busy,
		Replay,
		Limit,
		OutputSchema,
		ReadOnly,
		Protected,
		Escalation,
		NotFound,
		Attachment,
		Conflict,
		Interrupted,
		Stale,
	}
}
