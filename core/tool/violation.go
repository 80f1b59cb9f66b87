package tool

import (
	"fmt"
	"strings"

	"golem/core/fault"
)

// Violation is one place where a value does not fit its schema.
type Violation struct {
	Path    string // JSON pointer (RFC 6901) into the value; "" means the value itself
	Message string // in English, without the path
}

// String returns the path and the message: "/n: must be ≥ 0, got -1".
func (v Violation) String() string {
	if v.Path == "" {
		return v.Message
	}
	return v.Path + ": " + v.Message
}

// InputFault returns the error that tells a model which arguments of a call are
// wrong and how (S0-62): E_TOOL_INPUT. vs must not be empty.
func InputFault(tool string, vs []Violation) *fault.Fault {
	return fault.New(fault.ToolInput, "%s: %s", tool, Describe(vs)).
		Hinting("correct the arguments and call %s again", tool)
}

// OutputFault returns the error for a tool whose result does not fit its own
// output schema: E_TOOL_OUTPUT.
func OutputFault(tool string, vs []Violation) *fault.Fault {
	return fault.New(fault.ToolOutput, "the result of %s does not fit its output schema: %s", tool, Describe(vs)).
		Hinting("the error is in the tool, not in the arguments; go on without its result")
}

// Describe joins violations into one line: the first six, then how many more there are.
func Describe(vs []Violation) string {
	const most = 6
	parts := make([]string, 0, most)
	for i, v := range vs {
		if i == most {
			parts = append(parts, fmt.Sprintf("and %d more", len(vs)-most))
			break
		}
		parts = append(parts, v.String())
	}
	return strings.Join(parts, "; ")
}
