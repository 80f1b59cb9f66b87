package trace

import "encoding/json"

// Body is the part of an event that depends on its type: it says what happened.
// EventType returns the value of the "type" field. Transient reports whether the event
// is only shown and not written to a trace file.
type Body interface {
	EventType() string
	Transient() bool
}

// EventType returns "run.start".
func (RunStart) EventType() string { return "run.start" }

// Transient returns false.
func (RunStart) Transient() bool { return false }

// EventType returns "run.end".
func (RunEnd) EventType() string { return "run.end" }

// Transient returns false.
func (RunEnd) Transient() bool { return false }

// EventType returns "worker.start".
func (WorkerStart) EventType() string { return "worker.start" }

// Transient returns false.
func (WorkerStart) Transient() bool { return false }

// EventType returns "worker.end".
func (WorkerEnd) EventType() string { return "worker.end" }

// Transient returns false.
func (WorkerEnd) Transient() bool { return false }

// EventType returns "model.start".
func (ModelStart) EventType() string { return "model.start" }

// Transient returns false.
func (ModelStart) Transient() bool { return false }

// EventType returns "model.end".
func (ModelEnd) EventType() string { return "model.end" }

// Transient returns false.
func (ModelEnd) Transient() bool { return false }

// EventType returns "retry".
func (Retry) EventType() string { return "retry" }

// Transient returns false.
func (Retry) Transient() bool { return false }

// EventType returns "tool.start".
func (ToolStart) EventType() string { return "tool.start" }

// Transient returns false.
func (ToolStart) Transient() bool { return false }

// EventType returns "tool.end".
func (ToolEnd) EventType() string { return "tool.end" }

// Transient returns false.
func (ToolEnd) Transient() bool { return false }

// EventType returns "approval".
func (Approval) EventType() string { return "approval" }

// Transient returns false.
func (Approval) Transient() bool { return false }

// EventType returns "clearance".
func (Clearance) EventType() string { return "clearance" }

// Transient returns false.
func (Clearance) Transient() bool { return false }

// EventType returns "message".
func (Message) EventType() string { return "message" }

// Transient returns false.
func (Message) Transient() bool { return false }

// EventType returns "fallback".
func (Fallback) EventType() string { return "fallback" }

// Transient returns false.
func (Fallback) Transient() bool { return false }

// EventType returns "permission".
func (Permission) EventType() string { return "permission" }

// Transient returns whether the event comes again.
func (p Permission) Transient() bool { return p.Early }

// EventType returns "warning".
func (Warning) EventType() string { return "warning" }

// Transient returns false.
func (Warning) Transient() bool { return false }

// EventType returns "error".
func (Error) EventType() string { return "error" }

// Transient returns false.
func (Error) Transient() bool { return false }

// EventType returns "delta".
func (Delta) EventType() string { return "delta" }

// Transient returns true.
func (Delta) Transient() bool { return true }

// EventType returns "reasoning".
func (Reasoning) EventType() string { return "reasoning" }

// Transient returns true.
func (Reasoning) Transient() bool { return true }

// EventType returns "progress".
func (Progress) EventType() string { return "progress" }

// Transient returns true.
func (Progress) Transient() bool { return true }

// EventType returns "status".
func (Status) EventType() string { return "status" }

// Transient returns true.
func (Status) Transient() bool { return true }

// EventType returns "diff".
func (Diff) EventType() string { return "diff" }

// Transient returns true.
func (Diff) Transient() bool { return true }

// EventType returns "ask".
func (Ask) EventType() string { return "ask" }

// Transient returns true.
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
	case "fallback":
		return decodeAs[Fallback](line)
	case "permission":
		return decodeAs[Permission](line)
	case "warning":
		return decodeAs[Warning](line)
	case "error":
		return decodeAs[Error](line)
	case "delta":
		return decodeAs[Delta](line)
	case "reasoning":
		return decodeAs[Reasoning](line)
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

// Transient returns false.
func (u Unknown) Transient() bool { return false }
