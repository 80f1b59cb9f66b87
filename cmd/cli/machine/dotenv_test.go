package machine

import (
	"testing"

	"github.com/joho/godotenv"
)

// badLine finds the line of .env that is not NAME=value; a value in quotes may span
// several lines.
func TestBadLineOfDotenv(t *testing.T) {
	for text, want := range map[string]int{
		"A=1\nnonsense here\nB=2\n":               2,
		"# c\n\nA=\"1\n2\n3\"\nB=2\nexport\n@=\n": 7,
		"just words\n":                            1,
	} {
		if _, err := godotenv.UnmarshalBytes([]byte(text)); err == nil {
			t.Errorf("%q is not wrong", text)
		}
		if got := badLine([]byte(text)); got != want {
			t.Errorf("%q: line %d, want %d", text, got, want)
		}
	}
}
