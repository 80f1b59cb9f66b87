package run

import "testing"

// An answer for an output schema may stand in one fence or after one short text; nothing
// is taken out where it is not clear which value is meant.
func TestJSONOfAnAnswer(t *testing.T) {
	for answer, want := range map[string]string{
		"{\"a\":1}": "{\"a\":1}", "\uFEFF [1]\n": "[1]", "```json\n{\"a\":1}\n```": "{\"a\":1}", "```\n[1]\n```\nDone.": "[1]", "Here:\n\n```json\n[1]\n```": "[1]",
		"Here it is: {\"a\":1}": "{\"a\":1}", "Sure.\n[1, 2]": "[1, 2]", "7": "7",
		"```\n[1]\n```\n```\n[2]\n```": "```\n[1]\n```\n```\n[2]\n```", "{\"a\":1} {\"a\":2}": "{\"a\":1} {\"a\":2}", "Use {x}: [1]": "Use {x}: [1]", "{\"a\":1} Done.": "{\"a\":1} Done.", "no": "no", "": "",
	} {
		if got := jsonOf(answer); got != want {
			t.Errorf("%q: %q, want %q", answer, got, want)
		}
	}
}
