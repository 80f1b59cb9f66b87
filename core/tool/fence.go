package tool

import "strings"

// Fence returns the backticks that a Markdown code block of text begins and ends with:
// three, or one more than the longest run in the text.
func Fence(text string) string {
	fence, run := 3, 0
	for i := range len(text) {
		if text[i] != '`' {
			run = 0
			continue
		}
		run++
		fence = max(fence, run+1)
	}
	return strings.Repeat("`", fence)
}
