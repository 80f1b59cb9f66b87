package confine

import (
	"os"
	"runtime"
)

// The supervisor and the entrance do their work here, before the rest of golem is made
// ready: that saves half of their time. And they must run on the main thread: a domain or a
// filter is a thread's, the main thread's is the process's after exec, and the signal that
// ends the command with its supervisor comes when the thread ends that started the command.
// Only init can lock the main goroutine to the main thread.
func init() {
	switch StageOf() {
	case Supervisor:
		runtime.LockOSThread()
		os.Exit(supervise())
	case Entrance:
		runtime.LockOSThread()
		os.Exit(enter())
	}
}
