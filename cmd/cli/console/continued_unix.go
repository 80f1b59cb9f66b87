//go:build unix

package console

import (
	"os"
	"os/signal"
	"syscall"
)

// Continued calls again whenever golem goes on after it was suspended, as by Ctrl+Z and fg,
// until stop is called: the shell has used the terminal meanwhile, and a prompt has to be
// written again.
func Continued(again func()) (stop func()) {
	signals, done, ended := make(chan os.Signal, 1), make(chan struct{}), make(chan struct{})
	signal.Notify(signals, syscall.SIGCONT)
	go func() {
		defer close(ended)
		for {
			select {
			case <-signals:
				again()
			case <-done:
				return
			}
		}
	}()
	return func() {
		signal.Stop(signals)
		close(done)
		<-ended
	}
}
