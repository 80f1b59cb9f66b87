package wasmtool

import (
	"strconv"
	"time"

	"golem/core/fault"
	"golem/core/tool"
)

// Kernel, Session and Meter have a twin in JavaScript (web/tool), because in a
// page a call from a module into Go costs too much. What both must have alike
// stands here and in what this file names; `go run ./web/twin` writes it to
// web/tool/twin.js.

// Twin is what the JavaScript twin has in common with this package.
type Twin struct {
	Limits []TwinNumber
	Errnos []TwinNumber // errors of WASI
	Texts  []TwinText   // faults, and words that are part of one
	Idles  []Idle       // functions that do nothing
}

// TwinNumber is a number by its name in JavaScript; Means says what it bounds.
type TwinNumber struct {
	Name, Means string
	Value       int64
}

// TwinText is a fault, or Text where Fault is nil, by its name in JavaScript. It
// was made with an example for each argument: Args has the argument's name, and
// how the example stands in the text.
type TwinText struct {
	Name  string
	Args  [][2]string
	Fault *fault.Fault
	Text  string
}

// LogLines is how many lines of one call an engine hands on at most: more than
// golem shows, so that it can say that there were more.
const LogLines = maxLogLines + 50

// RandomPart is how many random bytes an engine asks for at once, at most.
const RandomPart = 1 << 20

const (
	maxLogged  = 4096    // bytes of a line that an engine hands on
	kernelKept = 1 << 20 // bytes of a kernel that are kept for the next call
)

// Errors of WASI that no file causes.
const (
	errnoBadDescriptor Errno = 8
	errnoFault         Errno = 21
	errnoNoSystemCall  Errno = 52
	errnoNotSupported  Errno = 58
)

// Shared returns the twin's table.
func Shared() Twin {
	const first, second = 7_000_000_001, 7_000_000_002 // numbers that no message has of its own
	args := func(names ...string) (out [][2]string) {
		for i, name := range names {
			out = append(out, [2]string{name, strconv.Itoa(first + i)})
		}
		return out
	}
	return Twin{
		Limits: []TwinNumber{
			{"kernelBytes", "bytes of a kernel", kernelBytes}, {"kernelBlocks", "blocks of a kernel", kernelBlocks},
			{"kernelVars", "bytes of all variables", kernelVars}, {"kernelKept", "bytes of a kernel that are kept for the next call", kernelKept},
			{"mostStderr", "bytes of standard error, and of an error's text", StderrLimit},
			{"firstSlice", "units of fuel", firstSlice}, {"mostSlice", "units of fuel", mostSlice}, {"sliceTime", "milliseconds", sliceTime.Milliseconds()},
			{"logLines", "lines of one call that are handed on", LogLines}, {"mostLogged", "bytes of a line that is handed on", maxLogged},
			// One byte more than the core takes: it then sees that there was too much, and refuses.
			{"mostName", "bytes of a tool's name that are handed on", maxCallee + 1}, {"mostArgs", "bytes of a tool's arguments that are handed on", tool.MaxArgs + 1},
			{"mostAsked", "bytes of a request without its body that are handed on", maxAsked + 1}, {"mostBody", "bytes of a request's body that are handed on", tool.MostRequest + 1},
			{"randomPart", "random bytes that are asked for at once", RandomPart},
			{"fileSize", "bytes of one file", MaxFile}, {"mostHeld", "bytes of all open files together", MaxHeld},
		},
		Errnos: []TwinNumber{
			{"ok", "", 0}, {"badf", "", int64(errnoBadDescriptor)},
			{"fault", "", int64(errnoFault)}, {"inval", "", int64(ErrnoInvalid)}, {"io", "", int64(ErrnoIO)}, {"isdir", "", int64(ErrnoIsDir)},
			{"nametoolong", "", int64(ErrnoNameTooLong)}, {"noent", "", int64(ErrnoNoEntry)}, {"nosys", "", int64(errnoNoSystemCall)},
			{"notdir", "", int64(ErrnoNotDir)}, {"notsup", "", int64(errnoNotSupported)},
		},
		Idles: Idles(),
		Texts: []TwinText{
			{Name: "noRoom", Args: args("size"), Fault: noRoom(first)},
			{Name: "outside", Args: args("size", "at"), Fault: outside(second, first)},
			{Name: "varsTooLarge", Fault: varsTooLarge()},
			{Name: "outOfFuel", Args: args("budget"), Fault: outOfFuel(first)},
			{Name: "tooLate", Args: [][2]string{{"limit", time.Duration(first).String()}}, Fault: TooLate(first)},
			{Name: "inputOutside", Args: args("at", "size"), Fault: inputOutside(first, second)},
			{Name: "outputTooLarge", Args: args("limit"), Fault: fault.Of(OutputTooLarge(first), fault.ToolSize)},
			{Name: "tooDeep", Fault: TooDeep()},
			{Name: "noMemoryLeft", Fault: noMemoryLeft()},
			{Name: "cannotSuspend", Fault: cannotSuspend()},
			{Name: "noMessage", Text: noMessage},
			{Name: "hostFailed", Text: HostFailed},
			{Name: "takesParameters", Args: args("name"), Text: TakesParameters(strconv.Itoa(first))},
		},
	}
}

// noMessage stands for the text of an error that has none.
const noMessage = "it failed without a message"

// HostFailed is the trap of a module that called a function of golem that broke.
// The error's own words would say nothing about the module.
const HostFailed = "a function of golem failed"

// TakesParameters is the trap of a module whose start function cannot be called.
func TakesParameters(name string) string { return "its " + name + " takes parameters" }

func noRoom(size int64) *fault.Fault {
	return fault.New(fault.ToolMemory, "the module asked for %d more bytes of the memory it shares with golem; at most %d in %d blocks are allowed", uint64(size), kernelBytes, kernelBlocks).
		Hinting("call it with less data, or change the module so that it frees memory")
}

func outside(at, size int64) *fault.Fault {
	return fault.New(fault.ToolTrap, "the module used an address outside the memory it shares with golem (%d bytes at offset %d)", uint64(size), uint64(at))
}

func varsTooLarge() *fault.Fault {
	return fault.New(fault.ToolMemory, "the module's variables have more than %d bytes", kernelVars)
}

func outOfFuel(budget int64) *fault.Fault {
	return fault.New(fault.ToolFuel, "the module used up its computing budget of %d units of fuel", budget).
		Hinting("give it less to do in one call, or raise fuel in toolsets.custom.modules")
}

// TooLate is the fault of a module that ran longer than its limit.
func TooLate(limit time.Duration) *fault.Fault {
	return fault.New(fault.Timeout, "the module did not end within %v", limit).
		Hinting("give it less to do in one call, or raise its timeout")
}

func inputOutside(at, size int64) *fault.Fault {
	return fault.New(fault.ToolTrap, "the module read its input at byte %d, and the input has %d bytes", uint64(at), size)
}

// OutputTooLarge is the fault of a result beyond its limit, in bytes.
func OutputTooLarge(limit int64) error {
	return fault.New(fault.ToolSize, "the module's output has more than %d bytes", limit).
		Hinting("request less, or request it in parts")
}

// TooDeep is the fault of a module that used up its engine's stack.
func TooDeep() *fault.Fault {
	return fault.New(fault.ToolStack, "the module's functions called each other too deep").
		Hinting("give it less to do in one call; it may call itself without end")
}

// noMemoryLeft and cannotSuspend happen in a page only.
func noMemoryLeft() *fault.Fault {
	return fault.New(fault.ToolMemory, "the page has no memory left for the module").
		Hinting("close other tabs, or give it less to do in one call")
}

func cannotSuspend() *fault.Fault {
	return fault.New(fault.Platform, "the module called a function that has to wait, and this browser cannot suspend modules (WebAssembly Promise Integration)").
		Hinting("use a newer browser, or a tool that needs no files, network or callbacks")
}
