//go:build !js

package ui

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// SPEC §11: arguments are shown with their names and in one order, in whatever order they
// come. The page uses the same order.
func TestArgumentsHaveNamesAndOneOrder(t *testing.T) {
	want := `edit_file(path: "/CHANGELOG.md", old: "a typo", new: "typo", replace_all: true)`
	for _, args := range []string{
		`{"path":"/CHANGELOG.md","old":"a typo","new":"typo","replace_all":true}`, `{"new":"typo","old":"a typo","path":"/CHANGELOG.md","replace_all":true}`,
	} {
		if got := CallLine("edit_file", json.RawMessage(args)); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	page, err := os.ReadFile("../../web/ui/arguments.jsx")
	if err != nil {
		t.Fatal(err)
	}
	if list := "argumentOrder = ['" + strings.Join(argumentOrder, "', '") + "']"; !strings.Contains(string(page), list) {
		t.Errorf("web/ui/arguments.jsx does not have %s", list)
	}
}
