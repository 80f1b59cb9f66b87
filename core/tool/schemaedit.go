package tool

import (
	"bytes"
	"encoding/json"

	"golem/core/fault"
)

// EditSchema calls edit for each part of a schema, the inner parts first. edit changes the
// keywords of a part and reports whether it did. EditSchema returns raw itself if nothing
// was changed; otherwise keys are sorted, and numbers keep their digits. It does not check
// that a schema is valid, but fails for one that is too large, too deep or no JSON.
func EditSchema(raw json.RawMessage, edit func(part map[string]any) bool) (json.RawMessage, error) {
	if _, err := readSchema(raw); err != nil {
		return nil, err
	}
	var whole any
	in := json.NewDecoder(bytes.NewReader(raw))
	in.UseNumber()
	if err := in.Decode(&whole); err != nil {
		return nil, fault.New(fault.Schema, "the schema cannot be read: %w", err)
	}
	changed := false
	var visit func(part any, _ string) error
	visit = func(part any, _ string) error {
		m, ok := part.(map[string]any)
		if !ok {
			return nil
		}
		if err := eachPart(m, visit); err != nil {
			return err
		}
		changed = edit(m) || changed
		return nil
	}
	if err := visit(whole, ""); err != nil {
		return nil, err
	}
	if !changed {
		return raw, nil
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(whole); err != nil {
		return nil, fault.New(fault.Schema, "the schema cannot be written: %w", err)
	}
	return bytes.TrimSpace(out.Bytes()), nil
}

// DropPatterns removes from a part of a schema the patterns that golem cannot use, such as
// those with look-around. It reports whether there were any. It is an edit for EditSchema.
func DropPatterns(part map[string]any) bool {
	changed := false
	if text, ok := part["pattern"].(string); ok {
		if _, err := compilePattern(text); err != nil {
			delete(part, "pattern")
			changed = true
		}
	}
	named, _ := part["patternProperties"].(map[string]any)
	for _, name := range sortedKeys(named) {
		if _, err := compilePattern(name); err != nil {
			delete(named, name)
			delete(part, "additionalProperties") // would refuse what the pattern allowed
			delete(part, "unevaluatedProperties")
			changed = true
		}
	}
	return changed
}
