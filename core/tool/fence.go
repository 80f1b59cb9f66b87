package tool

import "strings"

// Fence returns the backticks to write before and after text in a Markdown code block:
// three, or one more than the longest run of backticks in the text.
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
