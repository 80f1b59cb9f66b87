package tui

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// After scrolling back, the visible lines stay in place while more arrives, and
// Ctrl+End goes to the end.
func TestScroll(t *testing.T) {
	d := drive(t, 40, 20, false)
	d.events(start)
	for i := range 100 {
		d.events(fmt.Sprintf(`{"type":"status","id":"0","worker":"main","depth":0,"text":"line %d.","level":"info"}`, i))
	}
	d.has("line 99.")
	d.keys("pgup")
	d.hasNot("line 99.")
	d.has("lines below")
	before := strings.Split(d.screen(), "\n")[1]
	d.events(`{"type":"status","id":"0","worker":"main","depth":0,"text":"line 100.","level":"info"}`)
	if after := strings.Split(d.screen(), "\n")[1]; before != after {
		t.Errorf("the text moved from %q to %q", before, after)
	}
	for range 10 {
		d.keys("pgdown")
	}
	d.has("line 100.")
	d.fits()
}

// Another width does not move what is visible, also within a long answer. End and Home of an empty
// editor scroll, too.
func TestScrolledResize(t *testing.T) {
	d := drive(t, 100, 20, false)
	d.events(start)
	var b strings.Builder
	for i := range 300 {
		fmt.Fprintf(&b, "Part %d. %s\\n\\n", i, strings.Repeat("many words ", 12))
	}
	d.events(`{"type":"delta","id":"0","worker":"main","depth":0,"text":"` + b.String() + `"}`)
	for range 10 {
		d.keys("pgup")
	}
	part := func() int {
		all := regexp.MustCompile(`Part (\d+)`).FindAllStringSubmatch(d.screen(), -1)
		if len(all) == 0 {
			t.Fatal(d.screen())
		}
		n, err := strconv.Atoi(all[len(all)-1][1])
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := part()
	for _, width := range []int{40, 70, 100} {
		d.m.Update(tea.WindowSizeMsg{Width: width, Height: 20})
		if now := part(); now < before-2 || now > before+2 {
			t.Errorf("width %d: from part %d to part %d", width, before, now)
		}
	}
	d.keys("end")
	d.hasNot("lines below")
	d.keys("home")
	d.has("Part 0.")
}
