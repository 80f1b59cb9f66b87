package main

import (
	"os"

	"golang.org/x/sys/windows"
)

// openNonblock has no meaning here: there are no FIFOs in the file system.
const openNonblock = 0

// openTerminal opens the console, whatever the standard streams are.
func openTerminal() (in, out *os.File, err error) {
	if in, err = os.OpenFile("CONIN$", os.O_RDWR, 0); err != nil {
		return nil, nil, err
	}
	if out, err = os.OpenFile("CONOUT$", os.O_RDWR, 0); err != nil {
		in.Close()
		return nil, nil, err
	}
	return in, out, nil
}

// inForeground is always so: a console has no background jobs.
func inForeground(*os.File) bool { return true }

// flushInput throws away what was typed and not read.
func flushInput(console *os.File) error {
	return windows.FlushConsoleInputBuffer(windows.Handle(console.Fd()))
}

// enableEscapes switches the console to understand escape sequences.
func enableEscapes(f *os.File) bool {
	var mode uint32
	handle := windows.Handle(f.Fd())
	if windows.GetConsoleMode(handle, &mode) != nil {
		return false
	}
	return windows.SetConsoleMode(handle, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
