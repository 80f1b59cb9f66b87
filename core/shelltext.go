package core

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"golem/core/tool"
)

// shellText returns the result of a command for the person: its output, and its exit code if
// that is not 0.
func shellText(out tool.Output) string {
	result := struct {
		Exit   int
		Output *string
	}{}
	text := out.String()
	if json.Unmarshal(out.Data, &result) == nil && result.Output != nil {
		if text = *result.Output; result.Exit != 0 {
			text = fmt.Sprintf("%s\nexit code %d", strings.TrimRight(text, "\n"), result.Exit)
		}
	}
	return cmp.Or(strings.Trim(text, "\n"), "(no output)")
}
