package shell

import (
	"errors"
	"io"
	"os/exec"
	"testing"
	"time"
)

// A command that is ended while the helper starts programs is ended all the same. A
// process that was stopped before it became its program once kept the helper, whose
// memory it shares until then, from going on.
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
		late := time.AfterFunc(time.Minute, func() { endGroup(p.cmd) }) // stop does not wait that long
		<-p.ended
		late.Stop()
		_ = w.Close()
		var exit *exec.ExitError
		if !errors.As(p.err, &exit) || exit.ExitCode() != exitNoStart {
			t.Fatalf("the helper did not end by itself: %v", p.err)
		}
	}
}
