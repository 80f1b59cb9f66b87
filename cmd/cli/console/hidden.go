package console

import (
	"os"

	"golang.org/x/term"
)

// ReadHidden writes a prompt to the terminal and reads a line without showing it. What was
// typed before, and the end of a line that was begun before, is discarded. Ctrl+D on an empty
// line is io.EOF. A signal that
// ends golem meanwhile also shows the terminal's input again.
func ReadHidden(in, out *os.File, prompt string) (string, error) {
	begun := midLine(in)
	_ = flushInput(in) // if this fails, reading fails as well
	defer whenEnded(restorer(in, out))()
	for {
		if _, err := out.WriteString(prompt); err != nil {
			return "", err
		}
		text, err := readUnseen(in, func() { out.WriteString(prompt) })
		out.WriteString("\n")
		if err != nil || !begun {
			return text, err
		}
		begun = false
		out.WriteString(begunBefore)
	}
}

// restorer returns a function that gives the terminal its present state back.
func restorer(in, out *os.File) func() {
	state, err := term.GetState(int(in.Fd()))
	return func() {
		if err == nil {
			_ = term.Restore(int(in.Fd()), state) // golem ends: there is nothing else to do
			out.WriteString("\n")
		}
	}
}
