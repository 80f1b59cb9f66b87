package worktest

import "testing"

// A title becomes a name that a file of tests can have, and a file that every system can store.
func TestNamesOfNewCases(t *testing.T) {
	for title, want := range map[string][2]string{
		"Capital of France?":              {"Capital of France?", "tests/capital-of-france.yaml"},
		"\U0001F469\u200d\U0001F4BB rate": {"\U0001F469\U0001F4BB rate", "tests/rate.yaml"},
		"\u200b":                          {"", "tests/accepted.yaml"},
		"a\tb\x1bc":                       {"a bc", "tests/a-b-c.yaml"},
		"NUL":                             {"NUL", "tests/nul-case.yaml"},
		"com1":                            {"com1", "tests/com1-case.yaml"},
		"taken":                           {"taken", "tests/taken-2.yaml"},
	} {
		if got := CaseName(title); got != want[0] {
			t.Errorf("CaseName(%q) = %q", title, got)
		}
		if got := FileFor(title, func(name string) bool { return name == "tests/taken.yml" }); got != want[1] {
			t.Errorf("FileFor(%q) = %s", title, got)
		}
	}
}
