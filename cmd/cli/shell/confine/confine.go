// Package confine runs the processes of one command so that the kernel keeps the command
// to what it may reach (SPEC §8). golem starts three processes, one below the other, all of
// them golem itself:
//
//   - the supervisor carries no wall of the command; it ends the command when golem says so,
//     when golem ends, or when golem is killed
//   - the entrance, which on its only thread that counts makes the walls: namespaces,
//     read-only mounts, the Landlock domain, the seccomp filter
//   - the command: the entrance replaces itself by it. exec ends all other threads, so that
//     every thread of the command is within the walls
//
// No thread of golem itself ever gets a wall: what confines a thread of Go's runtime may
// later run any goroutine.
package confine

import (
	"encoding/json"
	"os"
)

// Name is the argv[0] with which golem starts itself as one of these processes. People do
// not use it: it is no command, and the process reads its order from standard input.
const Name = "golem-command"

// Stage is what a process named Name does.
type Stage string

// The stages, as they follow on Name in the arguments.
const (
	NotHere    Stage = "none"
	Supervisor Stage = ""
	Entrance   Stage = "enter"
	Command    Stage = "run"
)

// StageOf returns the stage of this process; NotHere if it is golem itself.
func StageOf() Stage {
	switch {
	case len(os.Args) == 0 || os.Args[0] != Name:
	case len(os.Args) == 1:
		return Supervisor
	case len(os.Args) == 2 && (os.Args[1] == string(Entrance) || os.Args[1] == string(Command)):
		return Stage(os.Args[1])
	}
	return NotHere
}

// Order is what golem sends to the supervisor, and the supervisor to the entrance.
type Order struct {
	Dir  string   `json:"dir"`
	Env  []string `json:"env"`
	Work []byte   `json:"work"` // what the command's process reads from its standard input
	// Walls are nil where golem cannot confine.
	Walls *Walls `json:"walls,omitempty"`
	// Probe says that nothing is to be run: the supervisor only finds out what the kernel
	// lends, and writes Lent to its standard output.
	Probe bool `json:"probe,omitempty"`
}

// Lent is the answer to a probe.
type Lent struct {
	Spaces Spaces `json:"spaces"`
	Fails  string `json:"fails,omitempty"` // the wall that failed in every combination, and why
}

// Exit codes of the supervisor, and of a command that could not be started.
const (
	ExitNotFound = 127
	ExitNoStart  = 126
)

// Walls is what a command may reach.
type Walls struct {
	ABI     int     `json:"abi"` // the version of Landlock
	Spaces  Spaces  `json:"spaces"`
	Places  []Place `json:"places"`
	Network bool    `json:"network"`
	// Protected are files and directories that the command must not change, although they
	// are in a place where it writes, and the directories that lead to them. They need
	// Spaces.Mounts. Those that lie deeper come later.
	Protected []Protected `json:"protected,omitempty"`
	// Hidden are directories that the command sees empty.
	Hidden []string `json:"hidden,omitempty"`
}

// Place is a directory or file in which a command reads files and runs programs, and also
// writes if Write is true.
type Place struct {
	Path  string `json:"path"`
	Write bool   `json:"write,omitempty"`
	List  bool   `json:"list,omitempty"`  // only its names may be listed, no file read
	Exact bool   `json:"exact,omitempty"` // the path has no links; if it has some by now, it is not the place that was meant
}

// Protected is a file or directory that becomes a mount of its own, so that it cannot be
// moved away or removed.
type Protected struct {
	Path  string `json:"path"`
	Write bool   `json:"write,omitempty"` // it leads to protected ones, and may itself be written
}

// Spaces are the namespaces of a command.
type Spaces struct {
	User   bool `json:"user,omitempty"`
	Procs  bool `json:"procs,omitempty"`  // PID: it sees only its own processes, which end with the first
	Mounts bool `json:"mounts,omitempty"` // read-only mounts can be made
	IPC    bool `json:"ipc,omitempty"`
}

// Kernel says how the operating system can confine a command.
type Kernel struct {
	Files   bool   // to given directories (Landlock)
	Network bool   // in its system calls (seccomp)
	Lacks   string // why golem cannot confine at all, as a text for people
	Fails   string // the wall that is missing although others are there, as a text for people
	ABI     int    // the version of Landlock
	Spaces  Spaces
}

// watched reports whether the supervisor must judge each signal of a command, because
// neither a PID namespace nor Landlock keeps signals to the command's own processes.
func (w *Walls) watched() bool { return !w.Spaces.Procs && w.ABI < scopedABI }

// scopedABI is the first version of Landlock that keeps signals and abstract sockets
// within a domain: that of Linux 6.12.
const scopedABI = 6

func encoded(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		return nil // none of these types fails
	}
	return append(data, '\n')
}
