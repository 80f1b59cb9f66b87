package shell

import (
	"errors"
	"io"
	"os/exec"
	"testing"
	"time"

	"golem/cmd/cli/shell/confine"
)

// A command that is ended while the helper starts programs ends, too. Before, a process
// that was stopped between vfork and exec could block the helper, because the two share
// memory until exec.
func TestEndWhileProgramsStart(t *testing.T) {
	y := newYard(t)
	s := y.open(t, y.whole(t), options{}, false)
	for range 150 {
		r, w := io.Pipe()
		p, err := s.start("for i in $(seq 40); do /bin/true & done; echo begun; for i in $(seq 200); do /bin/true & done; sleep 600", w)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Read(make([]byte, 16)); err != nil {
			t.Fatal(err)
		}
		go io.Copy(io.Discard, r)
		if err := p.control.Close(); err != nil {
			t.Fatal(err)
		}
		late := time.AfterFunc(time.Minute, func() { endGroup(p.cmd) }) // stop must return before
		<-p.ended
		late.Stop()
		_ = w.Close()
		var exit *exec.ExitError
		if !errors.As(p.err, &exit) || exit.ExitCode() != confine.ExitNoStart {
			t.Fatalf("the helper did not end by itself: %v", p.err)
		}
	}
}
