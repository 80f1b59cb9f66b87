//go:build attack

package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// SPEC §7, scenario 69, on real terminals: whole sentences, typed at a person's pace while
// a write is asked about, in a chat, in a run and in plain lines, approve nothing.
func TestAttackTypingAnswersNothing(t *testing.T) {
	t.Setenv("TERM", "vt100")
	t.Setenv("NO_COLOR", "1")
	sentences := []string{
		"and also say which files you used", "git status and git add the rest", "Please tell me what you see", "y también di por qué, a mí",
		"yes, but say why", "a new file, please", "n'oublie pas les détails", "是的，请写入 y 文件",
	}
	for n, text := range sentences {
		for name, args := range map[string][]string{"chat": {"chat", ".", "write"}, "run": {".", "write"}, "plain": {".", "write", "--plain"}} {
			t.Run(fmt.Sprintf("%s %d", name, n), func(t *testing.T) {
				t.Parallel()
				r := startPTY(t, screenProject(t), nil, false, args...)
				r.expect("write_file /out/a.txt")
				dice := rand.New(rand.NewPCG(7, uint64(n)))
				for range 2 {
					for _, c := range text + " " {
						r.typeKeys(string(c))
						time.Sleep(time.Duration(60+dice.IntN(190)) * time.Millisecond)
						if c == ' ' {
							time.Sleep(time.Duration(300+dice.IntN(1700)) * time.Millisecond)
						}
					}
				}
				time.Sleep(3 * time.Second)
				if r.written() {
					t.Errorf("typing %q approved the write:\n%s", text, r.glass().text())
				}
				if name == "chat" && !strings.Contains(r.glass().text(), "Tab: answer this.") {
					t.Errorf("the question is gone:\n%s", r.glass().text())
				}
			})
		}
	}
}
