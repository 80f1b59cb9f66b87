package approval

import (
	"encoding/json"

	"golem/core/tool"
)

// validator is what the gate needs of a compiled schema.
type validator interface {
	Validate(json.RawMessage) []tool.Violation
}

// compile stands in for tool.Compile until core/tool has it.
var compile = func(json.RawMessage) (validator, error) { return anything{}, nil }

type anything struct{}

func (anything) Validate(json.RawMessage) []tool.Violation { return nil }
