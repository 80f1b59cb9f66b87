package model

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Pace delays the requests of one run after a provider reported too many
// requests: when one worker gets this answer, all workers wait, so that each
// does not run into the same limit. All models of a run share one Pace. The
// zero value is ready for use.
type Pace struct {
	mu     sync.Mutex
	hosts  map[string]*lane
	shared SharedPace // nil: with no other process
}

// lane controls the requests to one host.
type lane struct {
	of    *Pace
	host  string
	mu    sync.Mutex
	slow  bool          // the host asked to slow down, and no request has succeeded since
	until time.Time     // no request goes out before this time
	probe chan struct{} // while slow: one request at a time
}

func (p *Pace) lane(host string) *lane {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.hosts == nil {
		p.hosts = map[string]*lane{}
	}
	if p.hosts[host] == nil {
		p.hosts[host] = &lane{of: p, host: host, probe: make(chan struct{}, 1)}
	}
	return p.hosts[host]
}

// enterHere is enter for the requests of this process.
func (l *lane) enterHere(ctx context.Context) (leave func(room bool), err error) {
	if slow, _ := l.state(); !slow {
		return func(bool) {}, nil
	}
	select {
	case l.probe <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	for {
		slow, until := l.state()
		if !slow { // a request has succeeded: all may go out
			<-l.probe
			return func(bool) {}, nil
		}
		wait := time.Until(until)
		if wait <= 0 {
			break
		}
		timer := time.NewTimer(wait) // meanwhile the host may ask for more
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			<-l.probe
			return nil, ctx.Err()
		}
	}
	left := false
	return func(room bool) {
		if left {
			return
		}
		left = true
		if room {
			l.mu.Lock()
			l.slow = false
			l.mu.Unlock()
		}
		<-l.probe
	}, nil
}

func (l *lane) state() (slow bool, until time.Time) {
	if l == nil {
		return false, until
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.slow, l.until
}

// longestPace is the longest time for which requests are held back, whatever a provider
// says. After it one request tries again.
const longestPace = time.Minute

// heed reads what an answer says about the provider's limits and holds requests back if
// necessary. It reports whether other requests may go out.
func (l *lane) heed(resp *http.Response, now time.Time) bool {
	if l == nil {
		return true
	}
	wait, slow := time.Duration(0), false
	switch resp.StatusCode {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable, 529: // 529: Anthropic's overload
		wait, slow = waitOf(resp.Header, now), true
	default:
		wait, slow = exhausted(resp.Header, now)
	}
	if !slow {
		return true
	}
	l.holdBack(wait)
	l.holdOthersBack(wait)
	return false
}

// holdBack holds all requests back for wait, at most longestPace, and then lets one at a
// time go out.
func (l *lane) holdBack(wait time.Duration) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.slow = true
	if until := time.Now().Add(min(wait, longestPace)); until.After(l.until) {
		l.until = until
	}
}

// exhausted reads the headers in which providers say what is left of a limit. slow is
// true if nothing is left; wait is how long until the limit is renewed.
func exhausted(h http.Header, now time.Time) (wait time.Duration, slow bool) {
	for _, pair := range [][2]string{
		{"x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"}, {"x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"},
		{"anthropic-ratelimit-requests-remaining", "anthropic-ratelimit-requests-reset"}, {"anthropic-ratelimit-tokens-remaining", "anthropic-ratelimit-tokens-reset"},
		{"anthropic-ratelimit-input-tokens-remaining", "anthropic-ratelimit-input-tokens-reset"}, {"anthropic-ratelimit-output-tokens-remaining", "anthropic-ratelimit-output-tokens-reset"},
		{"ratelimit-remaining", "ratelimit-reset"}, {"x-ratelimit-remaining", "x-ratelimit-reset"},
	} {
		if strings.TrimSpace(h.Get(pair[0])) == "0" {
			if until := reset(h.Get(pair[1]), now); until > wait {
				wait, slow = until, true
			}
		}
	}
	return wait, slow
}

// reset reads when a limit is renewed: a duration, a time, seconds from now, or
// seconds or milliseconds of the epoch.
func reset(text string, now time.Time) time.Duration {
	text = strings.TrimSpace(text)
	if d, err := time.ParseDuration(text); err == nil {
		return d
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at.Sub(now)
	}
	n, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil || !(n > 0):
		return 0
	case n > 1e15:
		return 0
	case n > 1e12:
		return time.UnixMilli(int64(n)).Sub(now)
	case n > 1e9:
		return time.Unix(int64(n), 0).Sub(now)
	}
	return time.Duration(n * float64(time.Second))
}
