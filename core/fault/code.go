package fault

// Code is the stable name of a kind of failure (SPEC §15). It is itself an
// error, so that errors.Is(err, fault.Denied) works.
type Code string

// Error is the code.
func (c Code) Error() string { return string(c) }

// Every code golem can report, in SPEC §15 order.
const (
	Project           Code = "E_PROJECT"            // the directory is no project, or none was given
	Usage             Code = "E_USAGE"              // the command line is wrong
	WorkerNotFound    Code = "E_WORKER_NOT_FOUND"   // no such worker; the message lists the searched paths
	Ambiguous         Code = "E_AMBIGUOUS"          // one ID, several files
	NameMismatch      Code = "E_NAME_MISMATCH"      // name: differs from the ID
	Path              Code = "E_PATH"               // a reference or path that leaves its root or is malformed
	MultipleManifests Code = "E_MULTIPLE_MANIFESTS" // more than one manifest in the root
	Config            Code = "E_CONFIG"             // a key or value that is wrong
	Template          Code = "E_TEMPLATE"           // a template that cannot be rendered
	LibraryNotFound   Code = "E_LIBRARY_NOT_FOUND"
	LibraryCycle      Code = "E_LIBRARY_CYCLE"
	LibraryConflict   Code = "E_LIBRARY_CONFLICT"
	NotExported       Code = "E_NOT_EXPORTED"
	ToolContract      Code = "E_TOOL_CONTRACT"
	ToolDisallowed    Code = "E_TOOL_DISALLOWED"
	ToolLanguage      Code = "E_TOOL_LANGUAGE"
	SchemaLanguage    Code = "E_SCHEMA_LANGUAGE"
	Platform          Code = "E_PLATFORM"
	Model             Code = "E_MODEL"       // no model, or the provider refused
	NotAllowed        Code = "E_NOT_ALLOWED" // a worker that the caller may not call
	Denied            Code = "E_DENIED"      // the gate said no
	Depth             Code = "E_DEPTH"
	Cycle             Code = "E_CYCLE"
	Turns             Code = "E_TURNS"
	Timeout           Code = "E_TIMEOUT"
	Budget            Code = "E_BUDGET"
	UnknownTool       Code = "E_UNKNOWN_TOOL"
	ToolInput         Code = "E_TOOL_INPUT"  // arguments that are malformed or against the schema
	ToolOutput        Code = "E_TOOL_OUTPUT" // a tool's result against its schema
	Tool              Code = "E_TOOL"        // a tool failed
	ToolModule        Code = "E_TOOL_MODULE"
	ToolFuel          Code = "E_TOOL_FUEL"
	ToolMemory        Code = "E_TOOL_MEMORY"
	ToolStack         Code = "E_TOOL_STACK"
	ToolTrap          Code = "E_TOOL_TRAP"
	ToolExit          Code = "E_TOOL_EXIT"
	ToolImport        Code = "E_TOOL_IMPORT"
	ToolSize          Code = "E_TOOL_SIZE"
	Grant             Code = "E_GRANT"
	Network           Code = "E_NETWORK"
	Lock              Code = "E_LOCK"
	Trust             Code = "E_TRUST" // what a project's files widen beyond its sandbox, and no person agreed
	Schema            Code = "E_SCHEMA"
	Quota             Code = "E_QUOTA" // storage is full
	Busy              Code = "E_BUSY"  // another process holds a lock
	Replay            Code = "E_REPLAY"
	Limit             Code = "E_LIMIT" // a suffix or size limit of a mount
	OutputSchema      Code = "E_OUTPUT_SCHEMA"
	ReadOnly          Code = "E_READONLY"
	Protected         Code = "E_PROTECTED"
	Escalation        Code = "E_ESCALATION"
	NotFound          Code = "E_NOT_FOUND"
	Attachment        Code = "E_ATTACHMENT"
	Conflict          Code = "E_CONFLICT"
	Interrupted       Code = "E_INTERRUPTED"
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
	}
}
