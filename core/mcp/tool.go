package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/tool"
)

// tool reads one tool of a list. What golem does not need may have any form. note is about
// something that was cut or is not checked; bad says why the tool cannot be used.
func (c Client) tool(raw json.RawMessage) (t Tool, note, bad *fault.Fault) {
	in := fields(raw)
	if in == nil || len(in["name"]) == 0 || in["name"][0] != '"' {
		return t, nil, c.flaw("has a tool whose description cannot be read; it is not used")
	}
	t.Name = text(in["name"])
	if !toolName(t.Name) {
		return t, nil, c.flaw("has a tool named %s; it is not used, because a name has letters, digits, _ - . / and single blanks", fault.Quoted(t.Name))
	}
	about := text(in["description"])
	if t.Description = Plain(about, maxDescription); len(strings.TrimSpace(about)) > maxDescription {
		note = c.flaw("describes the tool %s in %d bytes; the model gets the first %d", t.Name, len(about), maxDescription)
	}
	var err error
	if t.Input, err = schema(in["inputSchema"]); err != nil {
		return t, nil, c.flaw("has the tool %s with a schema that cannot be used; it is left out: %s", t.Name, Plain(fault.Of(err, fault.Schema).Message, 200))
	}
	if t.Output, err = schema(in["outputSchema"]); err != nil {
		t.Output = nil
		note = c.flaw("has the tool %s with a schema of results that cannot be used, so golem does not check them: %s", t.Name, Plain(fault.Of(err, fault.Schema).Message, 200))
	}
	sum := sha256.New()
	for _, part := range []string{t.Name, about, string(in["inputSchema"]), string(in["outputSchema"])} {
		fmt.Fprintf(sum, "%d:%s", len(part), part)
	}
	t.Digest = hex.EncodeToString(sum.Sum(nil))
	return t, note, nil
}

// InstructionsName is the name under which a person is asked about a server's
// instructions; no tool can have it.
const InstructionsName = "(instructions)"

// Instructions returns what a server says about its use in the form of a tool, for the
// person's yes; ok is false if it says nothing. note says that they were cut.
func (c Client) Instructions() (t Tool, note *fault.Fault, ok bool) {
	whole := strings.TrimSpace(c.Session.Instructions())
	if whole == "" {
		return t, nil, false
	}
	if len(whole) > MaxInstructions {
		note = c.flaw("says %d bytes about its use; the model gets the first %d", len(whole), MaxInstructions)
	}
	sum := sha256.Sum256([]byte(whole))
	return Tool{Name: InstructionsName, Description: Plain(whole, MaxInstructions), Digest: hex.EncodeToString(sum[:])}, note, true
}

// toolName reports whether golem accepts a name. A blank may stand between two other
// characters; the model gets another character in its place.
func toolName(name string) bool {
	return name != "" && len(name) <= 128 && strings.Join(strings.Fields(name), " ") == name && !strings.ContainsFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./ ", r))
	})
}

// schema checks a schema and escapes hidden characters in it. It returns nil if there is
// no schema. If golem cannot use it as it is, it returns what is left without the parts
// that golem cannot check: the server checks them.
func schema(raw json.RawMessage) (json.RawMessage, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	if len(raw) > maxSchema {
		return nil, fault.New(fault.Schema, "it has %d bytes; at most %d are allowed", len(raw), maxSchema)
	}
	raw = plainJSON(raw, hidden)
	_, err := tool.Compile(raw)
	if err == nil {
		return raw, nil
	}
	mended, bad := tool.EditSchema(raw, mend)
	if bad != nil {
		return nil, err
	}
	if _, again := tool.Compile(mended); again != nil {
		return nil, err
	}
	return mended, nil
}

// mend removes from a part of a schema what golem cannot check, and what older drafts and
// careless generators write: null for a keyword, a truth value for required, the limits of
// draft-04. It reports whether it removed something.
func mend(part map[string]any) bool {
	changed := tool.DropPatterns(part)
	for key, value := range part {
		if value == nil && !slices.Contains([]string{"const", "default", "enum", "examples"}, key) {
			delete(part, key)
			changed = true
		}
	}
	if _, ok := part["required"].(bool); ok {
		delete(part, "required")
		changed = true
	}
	for exclusive, limit := range map[string]string{"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"} {
		on, ok := part[exclusive].(bool)
		if !ok {
			continue
		}
		delete(part, exclusive)
		if value, has := part[limit]; on && has {
			part[exclusive] = value
			delete(part, limit)
		}
		changed = true
	}
	if s, ok := part["$schema"].(string); ok && strings.Contains(s, "draft-04") || strings.Contains(s, "draft-06") || strings.Contains(s, "2019-09") {
		delete(part, "$schema")
		changed = true
	}
	return changed
}
