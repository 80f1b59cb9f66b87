package wasmtool

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golem/core/fault"
	"golem/core/tool"
)

// lending builds the Host of one call of a module, from the module's grants and the
// caller through which it can call tools and workers.
type lending struct {
	bound     *Bound
	caller    tool.Host   // nil: the module cannot call anything
	id        string      // id of the call
	untrusted atomic.Bool // the call received content from outside the project
	lines     logLines
}

func (l *lending) host() Host {
	g := l.bound.Grants
	h := Host{Files: g.files(), Log: l.log, Chance: Real{}}
	if l.caller != nil {
		h.Call = l.call
	}
	if len(g.Hosts) > 0 {
		h.HTTP = l.fetch
	}
	return h
}

// Real is the Chance of the machine.
type Real struct{}

// Now returns the time.
func (Real) Now() time.Time { return time.Now() }

// Random fills b with random bytes.
func (Real) Random(b []byte) error {
	_, err := rand.Read(b)
	return err
}

// call implements golem_call: it calls a tool or worker on behalf of the running worker,
// through the same gate.
func (l *lending) call(ctx context.Context, name string, args []byte) []byte {
	out, err := l.caller.Call(ctx, name, json.RawMessage(args)) // the gate decodes the arguments
	if out.Untrusted {
		l.untrusted.Store(true)
	}
	if err == nil {
		return []byte(out.String())
	}
	return []byte(fault.Of(err, fault.Tool).Result())
}

// fetch implements http_request. It works only if the worker has the network, and only
// for hosts that the worker's file names.
func (l *lending) fetch(ctx context.Context, r HTTPRequest) (HTTPResponse, error) {
	g := l.bound.Grants
	if !g.Network {
		return HTTPResponse{}, fault.New(fault.Network, "the module tried to use the network, and sandbox.network_enabled is false").
			Hinting("set sandbox: {network_enabled: true} in the worker, if its tools may use the network")
	}
	p := Policy{Hosts: g.Hosts, MostSent: g.Request, MostReceived: g.Response}
	r, err := p.Request(r)
	if err != nil {
		return HTTPResponse{}, err
	}
	fetch := l.bound.Module.library.Fetch
	if fetch == nil {
		return HTTPResponse{}, fault.New(fault.Network, "this platform gives tools no network")
	}
	l.untrusted.Store(true)
	if l.caller != nil {
		l.caller.Taint() // the module may pass what it gets to the tools that it calls
	}
	res, err := fetch.Fetch(ctx, r, p)
	if err != nil {
		return HTTPResponse{}, fault.Of(err, fault.Network)
	}
	if int64(len(res.Body)) > p.Received() {
		return HTTPResponse{}, p.TooMuch("")
	}
	return res, nil
}

// Limits of what one call logs.
const (
	maxLogLines = 100
	maxLogLine  = 1_000 // bytes
)

// logLines counts the log lines of a call.
type logLines struct {
	mu sync.Mutex
	n  int
}

// next counts a line. It reports whether the line is passed on, and whether it is the
// first one that is not.
func (l *logLines) next() (pass, last bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.n++
	return l.n <= maxLogLines, l.n == maxLogLines+1
}

var logLevels = map[string]string{"trace": "info", "debug": "info", "info": "info", "warn": "warn", "error": "error"}

// log passes a module's log text on as one line. It limits the number and the length of
// the lines, and escapes the text so that it cannot pass for other output.
func (l *lending) log(level, text string) {
	if l.bound.Listener == nil {
		return
	}
	if logLevels[level] == "" {
		level = "info"
	}
	if kept := l.bound.Grants.Kept; kept != nil {
		text = kept.Redact(text) // before it is cut
	}
	switch pass, last := l.lines.next(); {
	case pass:
		l.bound.Listener.Log(logLevels[level], strings.ReplaceAll(Escape([]byte(text), maxLogLine), "\n", " ⏎ "))
	case last:
		l.bound.Listener.Log("warn", fmt.Sprintf("it logged more than %d lines; the rest is not shown", maxLogLines))
	}
}
