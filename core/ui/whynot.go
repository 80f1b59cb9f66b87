package ui

import (
	"strings"

	"golem/core/trace"
)

// WhyNot returns for a person why a call did not succeed: "not run: you said no".
func WhyNot(b trace.ToolEnd) string {
	switch {
	case b.Status == "denied":
		return "not run" + denied(b)
	case b.Error != nil && (b.Status == "stopped" || b.Status == "not_run"):
		return SafeLine(b.Error.Message)
	}
	return strings.ReplaceAll(b.Status, "_", " ") + errorText(b)
}

// denied returns why a call was denied, addressed to the person: "you said no" in place
// of "the user said no". It returns "" if the reason is not known.
func denied(b trace.ToolEnd) string {
	if b.Error == nil {
		return ""
	}
	why := strings.TrimPrefix(b.Error.Message, b.Tool+" was not run: ")
	if rest, mine := strings.CutPrefix(why, "the user said no"); mine {
		why = "you said no" + rest
	}
	return ": " + SafeLine(why)
}

func errorText(b trace.ToolEnd) string {
	if b.Error == nil {
		return ""
	}
	return ": " + SafeLine(string(b.Error.Code)+" "+b.Error.Message)
}
