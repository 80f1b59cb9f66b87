//go:build !js

package trace

import (
	"os"
	"reflect"
	"regexp"
	"testing"
)

// TestEveryTypeIsDecoded tests that each type of event that body.go declares has its row in
// decodeBody: without it, readers take the event for one of a newer version.
func TestEveryTypeIsDecoded(t *testing.T) {
	source, err := os.ReadFile("body.go")
	if err != nil {
		t.Fatal(err)
	}
	declared := regexp.MustCompile(`func \((?:\w+ )?(\w+)\) EventType\(\) string +\{ return "(.*?)" \}`).FindAllStringSubmatch(string(source), -1)
	if len(declared) < 20 {
		t.Fatalf("only %d types of events were found in body.go", len(declared))
	}
	for _, m := range declared {
		e, err := Decode([]byte(`{"type":"` + m[2] + `","id":"0","worker":"main","depth":0}`))
		if err != nil {
			t.Errorf("%s: %v", m[2], err)
			continue
		}
		if got := reflect.TypeOf(e.Body).Name(); got != m[1] {
			t.Errorf("an event %s is decoded as %s: add to decodeBody in body.go: case %q: return decodeAs[%s](line)", m[2], got, m[2], m[1])
			continue
		}
		line, err := Encode(e)
		if err != nil {
			t.Errorf("%s: %v", m[2], err)
			continue
		}
		back, err := Decode(line)
		if err != nil {
			t.Errorf("%s: %v: %s", m[2], err, line)
			continue
		}
		if again, err := Encode(back); err != nil || string(again) != string(line) {
			t.Errorf("%s is written as %s, read and written again as %s, %v", m[2], line, again, err)
		}
	}
}
