package model

import (
	"encoding/json"
	"strings"
)

// item is a member of a list that a protocol wants in place of messages.
type item map[string]any

// inOrder is an assistant's message in protocols whose messages are lists: what
// the provider sent with it, in its order, the calls under golem's ids; of
// another provider its text and its calls.
func (m Message) inOrder(provider string, text func(string) any, call func(Call) any) (json.RawMessage, error) {
	var list []any
	calls := m.Calls
	if kept := m.Kept.to(provider); kept != nil && len(kept.Items) > 0 {
		for _, it := range kept.Items {
			switch {
			case string(it) != callItem:
				list = append(list, it)
			case len(calls) > 0:
				list = append(list, call(calls[0]))
				calls = calls[1:]
			}
		}
	} else if strings.TrimSpace(m.Text) != "" || len(calls) == 0 {
		list = append(list, text(visible(m.Text)))
	}
	for _, c := range calls {
		list = append(list, call(c))
	}
	return joined(list)
}

// visible is a text that is not blank, which providers refuse.
func visible(text string) string {
	if strings.TrimSpace(text) == "" {
		return "(empty)"
	}
	return text
}

// joined are values of a JSON list, separated by commas.
func joined(list []any) (json.RawMessage, error) {
	var out json.RawMessage
	for i, v := range list {
		data, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, data...)
	}
	return out, nil
}
