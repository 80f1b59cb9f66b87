package model

import "encoding/json"

// The encoders join neighbours of one role, as after a turn that failed or was stopped
// (SPEC §5 Cancellation). Anthropic's turns do it by themselves.

func (chatEncoder) together(role Role, first, second json.RawMessage) (json.RawMessage, error) {
	if role != User && role != Assistant {
		return nil, nil
	}
	return oneMessage(first, second, "text")
}

func (responsesEncoder) together(role Role, first, second json.RawMessage) (json.RawMessage, error) {
	if role != User { // an answer is a list of items
		return nil, nil
	}
	return oneMessage(first, second, "input_text")
}

func (anthropicEncoder) together(Role, json.RawMessage, json.RawMessage) (json.RawMessage, error) {
	return nil, nil
}

// oneMessage returns second with the content of first before its own; nil if first has
// calls, whose results must follow it. textType is the type of a part that is text.
func oneMessage(first, second json.RawMessage, textType string) (json.RawMessage, error) {
	var a, b fields
	if err := json.Unmarshal(first, &a); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(second, &b); err != nil {
		return nil, err
	}
	if len(a["tool_calls"]) > 0 {
		return nil, nil
	}
	above, below := a["content"], b["content"]
	switch {
	case str(below) == "" && !isList(below):
		b["content"] = above
	case !isList(above) && !isList(below):
		b["content"] = quote(str(above) + "\n\n" + str(below))
	default:
		parts, err := json.Marshal(append(partsOf(above, textType), partsOf(below, textType)...))
		if err != nil {
			return nil, err
		}
		b["content"] = parts
	}
	return json.Marshal(b)
}

func isList(raw json.RawMessage) bool { return len(raw) > 0 && raw[0] == '[' }

// partsOf returns a content as a list of parts.
func partsOf(content json.RawMessage, textType string) []json.RawMessage {
	var list []json.RawMessage
	if isList(content) && json.Unmarshal(content, &list) == nil {
		return list
	}
	part, err := json.Marshal(item{"type": textType, "text": str(content)})
	if err != nil { // unreachable: two texts
		return nil
	}
	return []json.RawMessage{part}
}
