package tui

import (
	"errors"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"golem/core/approval"
)

// The permission stands in the first line and beside the editor, in colour where it widens,
// also on a narrow screen and while an exchange runs. Shift+Tab and the commands set it at
// once, and what fails is told.
func TestPermissionIsShown(t *testing.T) {
	for _, width := range []int{20, 80} {
		d := drive(t, width, 24, true)
		var set []approval.Permission
		var refuse error
		d.m.o.Permit = func(p approval.Permission) error {
			if refuse == nil {
				set = append(set, p)
			}
			return refuse
		}
		shiftTab := func() { d.m.Update(tea.KeyPressMsg{Code: tea.KeyTab, Mod: tea.ModShift}) }
		d.events(`{"type":"run.start","id":"0","worker":"main","depth":0,"input":"hello"}`)
		shiftTab()
		if screen := d.m.draw().Content; !strings.Contains(screen, "\x1b[33medits\x1b[0m") {
			t.Errorf("width %d: %q", width, screen)
		}
		d.keys("/plan")
		d.press("enter")
		if screen := d.m.draw().Content; !strings.Contains(screen, "\x1b[36mplan\x1b[0m") {
			t.Errorf("width %d: %q", width, screen)
		}
		refuse = errors.New("it is refused")
		d.keys("/edits")
		d.press("enter")
		if len(set) != 2 || set[0] != approval.Edits || set[1] != approval.Plan || d.m.state.Permission != approval.Plan || len(d.m.out.waiting.all()) != 0 {
			t.Errorf("width %d: %v, %s, %v", width, set, d.m.state.Permission, d.m.out.waiting.all())
		}
		if width > 20 && !strings.Contains(d.m.draw().Content, "it is refused") {
			t.Error("the error is not shown")
		}
		d.events(`{"type":"permission","id":"0","permission":"ask"}`)
		if screen := d.m.draw().Content; strings.Contains(screen, "\x1b[36mplan") {
			t.Errorf("width %d: %q", width, screen)
		}
	}
}
