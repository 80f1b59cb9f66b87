package model

import (
	"encoding/json"
	"strings"
)

// item is a member of a list that a protocol wants in place of messages.
type item map[string]any

// inOrder encodes an assistant's message for protocols whose messages are lists. If the
// provider sent the message, it gets its own items back in their order, with golem's
// ids in the calls; otherwise it gets the text and the calls.
func (m Message) inOrder(provider string, text func(string) any, call func(Call) any) (json.RawMessage, error) {
	var list []any
	calls := m.Calls
	if kept := m.Kept.keptFor(provider); kept != nil && len(kept.Items) > 0 {
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

// visible returns text, or "(empty)" if it is blank, which providers refuse.
func visible(text string) string {
	if strings.TrimSpace(text) == "" {
		return "(empty)"
	}
	return text
}

// joined returns the values of a JSON list, separated by commas.
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
