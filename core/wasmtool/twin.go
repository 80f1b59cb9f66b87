package wasmtool

import (
	"strconv"
	"time"

	"golem/core/fault"
	"golem/core/tool"
)

// Kernel, Session and Meter also exist in JavaScript (web/tool), as their twin, because
// in a page a call from a module into Go takes too long. The numbers and texts that both
// must share are in this file and in the constants that it names; `go run ./web/twin`
// writes them to web/tool/twin.js.

// Twin has the numbers and texts that the JavaScript twin shares with this package.
type Twin struct {
	Limits []TwinNumber
	Errnos []TwinNumber // errors of WASI
	Texts  []TwinText   // faults, and words that are part of one
	Idles  []Idle       // functions that do nothing
}

// TwinNumber is a number with its name in JavaScript; Means says what it limits.
type TwinNumber struct {
	Name, Means string
	Value       int64
}

// TwinText is one message that the JavaScript code in web/tool shares: Fault, or Text if
// Fault is nil. Name is its name in JavaScript. The message contains an example value for
// each argument, which the generator web/twin replaces by the argument; Args has the
// argument's name and that example.
type TwinText struct {
	Name  string
	Args  [][2]string
	Fault *fault.Fault
	Text  string
}

// LogLines is the greatest number of log lines of one call that an engine passes on. It
// is more than golem shows, so that golem can say that there were more.
const LogLines = maxLogLines + 50

// RandomPart is the greatest number of random bytes that an engine requests at once.
const RandomPart = 1 << 20

const (
	maxLogged  = 4096    // bytes of a log line that an engine passes on
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
	const first, second = 1_970_000_011, 1_970_000_012 // numbers that no text contains otherwise
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
			// One byte more than the core accepts: so it sees that there was too much, and refuses.
			{"mostName", "bytes of a tool's name that are handed on", maxCallee + 1}, {"mostArgs", "bytes of a tool's arguments that are handed on", tool.MaxArgs + 1},
			{"mostAsked", "bytes of a request without its body that are handed on", maxAsked + 1}, {"mostBody", "bytes of a request's body that are handed on", tool.MostRequest + 1},
			{"randomPart", "random bytes that are asked for at once", RandomPart},
			{"fileSize", "bytes of one file", MaxFile}, {"mostHeld", "bytes of all open files together", MaxHeld},
			{"descriptors", "descriptors of a module", MaxDescriptors},
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
			{Name: "outside", Args: args("size", "at"), Fault: outsideMemory(second, first)},
			{Name: "varsTooLarge", Fault: varsTooLarge()},
			{Name: "outOfFuel", Args: args("budget"), Fault: outOfFuel(first)},
			{Name: "tooLate", Args: [][2]string{{"limit", time.Duration(first).String()}}, Fault: TooLate(first)},
			{Name: "inputOutside", Args: args("at", "size"), Fault: inputOutside(first, second)},
			{Name: "outputTooLarge", Args: args("limit"), Fault: fault.Of(OutputTooLarge(first), fault.ToolSize)},
			{Name: "tooDeep", Fault: TooDeep()},
			{Name: "noMemoryLeft", Fault: noMemoryLeft()},
			{Name: "cannotSuspend", Fault: cannotSuspend()},
			{Name: "descriptorTooLarge", Fault: DescriptorTooLarge()},
			{Name: "noMessage", Text: noMessage},
			{Name: "hostFailed", Text: HostFailed},
			{Name: "takesParameters", Args: args("name"), Text: TakesParameters(strconv.Itoa(first))},
		},
	}
}

// noMessage is the message of an error whose text is empty.
const noMessage = "it failed without a message"

// HostFailed is the trap of a module that called a host function which panicked. The
// error's own message would say nothing about the module.
const HostFailed = "a function of golem failed"

// TakesParameters returns the trap of a module whose start function name has parameters,
// so that it cannot be called.
func TakesParameters(name string) string { return "its " + name + " takes parameters" }

func noRoom(size int64) *fault.Fault {
	return fault.New(fault.ToolMemory, "the module asked for %d more bytes of the memory it shares with golem; at most %d in %d blocks are allowed", uint64(size), kernelBytes, kernelBlocks).
		Hinting("call it with less data, or change the module so that it frees memory")
}

func outsideMemory(at, size int64) *fault.Fault {
	return fault.New(fault.ToolTrap, "the module used an address outside the memory it shares with golem (%d bytes at offset %d)", uint64(size), uint64(at))
}

func varsTooLarge() *fault.Fault {
	return fault.New(fault.ToolMemory, "the module's variables have more than %d bytes", kernelVars)
}

func outOfFuel(budget int64) *fault.Fault {
	return fault.New(fault.ToolFuel, "the module used up its computing budget of %d units of fuel", budget).
		Hinting("give it less to do in one call, or raise fuel in toolsets.custom.modules")
}

// TooLate returns the fault for a module that ran longer than its limit.
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

// TooDeep returns the fault for a module that used up its engine's stack.
func TooDeep() *fault.Fault {
	return fault.New(fault.ToolStack, "the module's functions called each other too deep").
		Hinting("give it less to do in one call; it may call itself without end")
}

// noMemoryLeft and cannotSuspend return faults that occur only in a page.
func noMemoryLeft() *fault.Fault {
	return fault.New(fault.ToolMemory, "the page has no memory left for the module").
		Hinting("close other tabs, or give it less to do in one call")
}

func cannotSuspend() *fault.Fault {
	return fault.New(fault.Platform, "the module called a function that has to wait, and this browser cannot suspend modules (WebAssembly Promise Integration)").
		Hinting("use a newer browser, or a tool that needs no files, network or callbacks")
}
