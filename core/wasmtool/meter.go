package wasmtool

import (
	"context"
	"time"

	"golem/core/fault"
)

// Meter counts the fuel and the time of one call and ends the call at its limits. All
// engines use it, so that they count alike. It is for one call at a time.
type Meter struct {
	Budget int64 // fuel that the call may use; 0: DefaultFuel
	// Limit is how long the module may run and wait; 0 means as long as ctx.
	// Time spent in calls of tools and workers does not count, because these
	// have limits of their own.
	Limit time.Duration
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// Yield lets other goroutines run, every few milliseconds; may be nil.
	Yield func()

	granted int64
	slice   int64
	begun   time.Time
	last    time.Time
	yielded time.Time
	away    time.Duration // time spent in calls of tools and workers
}

// A module gets its fuel in slices that last about sliceTime. So it ticks often enough
// to be ended soon, but not so often that ticks cost much. A module that was quick may
// later need a hundred nanoseconds per unit (when it reads all over its memory), and
// between two ticks it cannot be ended and no garbage is collected. So mostSlice limits
// a slice.
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

// Begin starts counting for a new call.
func (m *Meter) Begin() {
	if m.Budget <= 0 {
		m.Budget = DefaultFuel
	}
	m.granted, m.slice, m.away = 0, firstSlice, 0
	m.begun = m.now()
	m.last = m.begun
}

// Tick is called by the function that the guard weaves into a module. left is
// the module's counter; a negative value is the fuel that the module has used
// beyond its slice. Tick returns how much to add to the counter, or the reason why
// the call ends: E_TOOL_FUEL, E_TIMEOUT or E_INTERRUPTED. A call ends when it has
// used more than its budget, however the budget was divided into slices.
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

// yield lets other goroutines run, but not at every tick of a quick module, because
// the switch may take longer than a slice.
func (m *Meter) yield() {
	if m.Yield == nil {
		return
	}
	if now := m.now(); now.Sub(m.yielded) >= sliceTime/2 {
		m.Yield()
		m.yielded = m.now()
	}
}

// adapt changes the size of a slice towards sliceTime.
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

// Used returns the fuel that the call has used, given the module's counter.
func (m *Meter) Used(left int64) int64 { return m.granted - left }

// Check returns the reason why the call must end now, or nil.
func (m *Meter) Check(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return ended(ctx)
	}
	if m.Limit > 0 && m.Left() <= 0 {
		return TooLate(m.Limit)
	}
	return nil
}

// ended returns the error of a context that has ended, with its cause.
func ended(ctx context.Context) error {
	if ctx.Err() == context.DeadlineExceeded {
		return fault.Of(context.Cause(ctx), fault.Timeout)
	}
	return fault.Of(context.Cause(ctx), fault.Interrupted)
}

// Left returns how long the module may still take, or one day if there is no
// limit.
func (m *Meter) Left() time.Duration {
	if m.Limit <= 0 {
		return 24 * time.Hour
	}
	return m.Limit - (m.now().Sub(m.begun) - m.away)
}

// Away starts a call of a tool or worker: the time until the caller calls back does
// not count against the module.
func (m *Meter) Away() (back func()) {
	start := m.now()
	return func() {
		m.away += m.now().Sub(start)
		m.last = m.now()
	}
}

// Sleep waits for d, but not beyond the end of the call.
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
