package wasmtool

import (
	"context"
	"time"

	"golem/core/fault"
)

// Meter is the account behind one call's fuel: how much it may use, how much
// it was granted, and until when. Engines share it, so that all charge alike.
// It is used by one call at a time.
type Meter struct {
	Budget int64
	// Limit is how long the module may run and wait; 0: as long as ctx. The
	// time of callbacks into golem is not counted: they keep their own.
	Limit time.Duration
	// Now is the clock; nil: time.Now.
	Now func() time.Time
	// Yield, if set, lets others run at ticks, every few milliseconds.
	Yield func()

	granted int64
	slice   int64
	begun   time.Time
	last    time.Time
	yielded time.Time
	away    time.Duration // spent in callbacks
}

// A slice of fuel lasts about sliceTime, so that a call notices its end soon
// and asks seldom. However quick a module has been, what it does next may take
// a hundred nanoseconds a unit (reads all over its memory), and until the next
// tick nothing ends it and no garbage is collected: so mostSlice.
const (
	firstSlice = 20_000
	mostSlice  = 2_000_000
	sliceTime  = 10 * time.Millisecond
)

func (m *Meter) now() time.Time {
	if m.Now == nil {
		return time.Now()
	}
	return m.Now()
}

// Begin starts the account of one call, whatever was used before.
func (m *Meter) Begin() {
	if m.Budget <= 0 {
		m.Budget = DefaultFuel
	}
	m.granted, m.slice, m.away = 0, firstSlice, 0
	m.begun = m.now()
	m.last = m.begun
}

// Tick is what the guard's tick import does: left is the module's counter,
// below zero by what it owes. It returns what to add, or why the call ends:
// E_TOOL_FUEL, E_TIMEOUT or E_INTERRUPTED. A call ends when it owes more than
// is left of its budget, whatever the slices were.
func (m *Meter) Tick(ctx context.Context, left int64) (int64, error) {
	if err := m.Check(ctx); err != nil {
		return 0, err
	}
	m.yield()
	debt := max(-left, 0)
	rest := m.Budget - m.granted
	if rest < debt {
		return 0, outOfFuel(m.Budget)
	}
	m.adapt()
	grant := rest
	if m.slice < rest-debt {
		grant = m.slice + debt
	}
	m.granted += grant
	return grant, nil
}

// yield lets others run, but not at every tick of a quick module: the way back
// may take longer than its slice.
func (m *Meter) yield() {
	if m.Yield == nil {
		return
	}
	if now := m.now(); now.Sub(m.yielded) >= sliceTime/2 {
		m.Yield()
		m.yielded = m.now()
	}
}

// adapt brings a slice nearer to sliceTime.
func (m *Meter) adapt() {
	now := m.now()
	switch took := now.Sub(m.last); {
	case m.granted == 0:
	case took < sliceTime/2:
		m.slice = min(m.slice*2, mostSlice)
	case took > sliceTime*2:
		m.slice = max(m.slice/2, firstSlice/4)
	}
	m.last = now
}

// Used is what the call has used, given the module's counter.
func (m *Meter) Used(left int64) int64 { return m.granted - left }

// Check tells why the call must end now, if it must.
func (m *Meter) Check(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return ended(ctx)
	}
	if m.Limit > 0 && m.Left() <= 0 {
		return TooLate(m.Limit)
	}
	return nil
}

// ended is the fault of a context that has ended, with its cause.
func ended(ctx context.Context) error {
	if ctx.Err() == context.DeadlineExceeded {
		return fault.Of(context.Cause(ctx), fault.Timeout)
	}
	return fault.Of(context.Cause(ctx), fault.Interrupted)
}

// Left is how long the module may still take; a day where nothing bounds it.
func (m *Meter) Left() time.Duration {
	if m.Limit <= 0 {
		return 24 * time.Hour
	}
	return m.Limit - (m.now().Sub(m.begun) - m.away)
}

// Away brackets a callback into golem: its time is not the module's.
func (m *Meter) Away() (back func()) {
	start := m.now()
	return func() {
		m.away += m.now().Sub(start)
		m.last = m.now()
	}
}

// Sleep waits for d, but no longer than the call may last.
func (m *Meter) Sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return m.Check(ctx)
	}
	t := time.NewTimer(min(d, max(m.Left(), 0)))
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
	m.last = m.now()
	return m.Check(ctx)
}
