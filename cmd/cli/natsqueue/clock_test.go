package natsqueue

import (
	"testing"
	"time"
)

// A process is silent for the time of a lease by the clock of the server, also if that was set
// back meanwhile.
func TestSilentProcess(t *testing.T) {
	const lease = time.Minute
	server, here := time.Unix(9000, 0), time.Unix(100, 0)
	var h hearing
	for _, step := range []struct {
		at, now, here time.Duration
		want          bool
	}{
		{at: 0, now: 10 * time.Second, here: 0, want: false},
		{at: 0, now: 61 * time.Second, here: 51 * time.Second, want: true},
		{at: 70 * time.Second, now: 71 * time.Second, here: 61 * time.Second, want: false}, // it was alive again
		{at: 70 * time.Second, now: -time.Hour, here: 70 * time.Second, want: false},       // the server's clock is set back
		{at: 70 * time.Second, now: 52*time.Second - time.Hour, here: 122 * time.Second, want: true},
		{at: 53*time.Second - time.Hour, now: 54*time.Second - time.Hour, here: 124 * time.Second, want: false},
		{at: time.Hour, now: time.Minute, here: 125 * time.Second, want: false}, // another server's clock was ahead
	} {
		if got := h.silent("a", server.Add(step.at), server.Add(step.now), here.Add(step.here), lease); got != step.want {
			t.Errorf("%+v: %v", step, got)
		}
	}
}
