package trace

import "encoding/json"

// Body is the part of an event that depends on its type: it says what happened.
// EventType returns the value of the "type" field. Transient reports whether the event
// is only shown and not written to a trace file.
type Body interface {
	EventType() string
	Transient() bool
}

// EventType is "run.start".
func (RunStart) EventType() string { return "run.start" }

// Transient is false.
func (RunStart) Transient() bool { return false }

// EventType is "run.end".
func (RunEnd) EventType() string { return "run.end" }

// Transient is false.
func (RunEnd) Transient() bool { return false }

// EventType is "worker.start".
func (WorkerStart) EventType() string { return "worker.start" }

// Transient is false.
func (WorkerStart) Transient() bool { return false }

// EventType is "worker.end".
func (WorkerEnd) EventType() string { return "worker.end" }

// Transient is false.
func (WorkerEnd) Transient() bool { return false }

// EventType is "model.start".
func (ModelStart) EventType() string { return "model.start" }

// Transient is false.
func (ModelStart) Transient() bool { return false }

// EventType is "model.end".
func (ModelEnd) EventType() string { return "model.end" }

// Transient is false.
func (ModelEnd) Transient() bool { return false }

// EventType is "retry".
func (Retry) EventType() string { return "retry" }

// Transient is false.
func (Retry) Transient() bool { return false }

// EventType is "tool.start".
func (ToolStart) EventType() string { return "tool.start" }

// Transient is false.
func (ToolStart) Transient() bool { return false }

// EventType is "tool.end".
func (ToolEnd) EventType() string { return "tool.end" }

// Transient is false.
func (ToolEnd) Transient() bool { return false }

// EventType is "approval".
func (Approval) EventType() string { return "approval" }

// Transient is false.
func (Approval) Transient() bool { return false }

// EventType is "clearance".
func (Clearance) EventType() string { return "clearance" }

// Transient is false.
func (Clearance) Transient() bool { return false }

// EventType is "message".
func (Message) EventType() string { return "message" }

// Transient is false.
func (Message) Transient() bool { return false }

// EventType is "warning".
func (Warning) EventType() string { return "warning" }

// Transient is false.
func (Warning) Transient() bool { return false }

// EventType is "error".
func (Error) EventType() string { return "error" }

// Transient is false.
func (Error) Transient() bool { return false }

// EventType is "delta".
func (Delta) EventType() string { return "delta" }

// Transient is true.
func (Delta) Transient() bool { return true }

// EventType is "progress".
func (Progress) EventType() string { return "progress" }

// Transient is true.
func (Progress) Transient() bool { return true }

// EventType is "status".
func (Status) EventType() string { return "status" }

// Transient is true.
func (Status) Transient() bool { return true }

// EventType is "diff".
func (Diff) EventType() string { return "diff" }

// Transient is true.
func (Diff) Transient() bool { return true }

// EventType is "ask".
func (Ask) EventType() string { return "ask" }

// Transient is true.
func (Ask) Transient() bool { return true }

// decodeBody decodes the fields of a body of the named type. An unknown type
// gives Unknown.
func decodeBody(typ string, line []byte) (Body, error) {
	switch typ {
	case "run.start":
		return decodeAs[RunStart](line)
	case "run.end":
		return decodeAs[RunEnd](line)
	case "worker.start":
		return decodeAs[WorkerStart](line)
	case "worker.end":
		return decodeAs[WorkerEnd](line)
	case "model.start":
		return decodeAs[ModelStart](line)
	case "model.end":
		return decodeAs[ModelEnd](line)
	case "retry":
		return decodeAs[Retry](line)
	case "tool.start":
		return decodeAs[ToolStart](line)
	case "tool.end":
		return decodeAs[ToolEnd](line)
	case "approval":
		return decodeAs[Approval](line)
	case "clearance":
		return decodeAs[Clearance](line)
	case "message":
		return decodeAs[Message](line)
	case "warning":
		return decodeAs[Warning](line)
	case "error":
		return decodeAs[Error](line)
	case "delta":
		return decodeAs[Delta](line)
	case "progress":
		return decodeAs[Progress](line)
	case "status":
		return decodeAs[Status](line)
	case "diff":
		return decodeAs[Diff](line)
	case "ask":
		return decodeAs[Ask](line)
	}
	return Unknown{Type: typ, Line: append(json.RawMessage(nil), line...)}, nil
}

func decodeAs[B Body](line []byte) (Body, error) {
	var b B
	err := json.Unmarshal(line, &b)
	return b, err
}

// Unknown is an event of a type that this version of golem does not know, from
// a newer version's trace.
type Unknown struct {
	Type string
	Line json.RawMessage
}

// EventType returns the type that the line names.
func (u Unknown) EventType() string { return u.Type }

// Transient is false.
func (u Unknown) Transient() bool { return false }
