//go:build !js

package web_test

import (
	"strings"
	"testing"
)

// TestSentMessageIsSeen tests that a person who has scrolled up stays there when new text comes,
// but sees each message that they send.
func TestSentMessageIsSeen(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "long", map[string]string{
		"main.worker": "---\nmodel: script:s.yaml\nmode: chat\n---\nTalk.\n",
		"s.yaml":      "script: 1\nworkers:\n  main:\n    - when: {text: again}\n      say: the second\n    - say: \"" + strings.Repeat(`a line of a long answer\n\n`, 200) + "\"\n",
	})
	do(p, `const log = () => document.querySelector('.talk'), end = () => log().scrollHeight - log().scrollTop - log().clientHeight;
		await say("go"); await text("a line of a long answer"); await until("the turn", () => button("Send")); await until("the end to be seen", () => end() < 5);
		await until("it to be scrolled", () => { if (log().pinned) log().scrollTop = 0; return end() > 1000 && !log().pinned });
		await type("again, please"); await new Promise((f) => setTimeout(f, 100)); if (log().scrollTop !== 0) throw new Error("typing scrolls");
		await say("again, please"); await text("the second"); await until("the message to be seen", () => end() < 5)`)
}
