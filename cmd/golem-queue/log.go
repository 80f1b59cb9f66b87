package main

import (
	"fmt"
	"io"
	"sync"

	"github.com/nats-io/nats-server/v2/server"
)

// serverLog writes what the server warns of. What it cannot go on with comes from fatal.
type serverLog struct {
	mu    sync.Mutex
	out   io.Writer
	fatal chan error // has room for one
}

var _ server.Logger = (*serverLog)(nil)

func (l *serverLog) write(format string, v []any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintln(l.out, "golem-queue:", fmt.Sprintf(format, v...))
}

// Warnf implements server.Logger.
func (l *serverLog) Warnf(format string, v ...any) { l.write(format, v) }

// Errorf implements server.Logger.
func (l *serverLog) Errorf(format string, v ...any) { l.write(format, v) }

// Fatalf implements server.Logger.
func (l *serverLog) Fatalf(format string, v ...any) {
	select {
	case l.fatal <- fmt.Errorf(format, v...):
	default: // the first one ends the program
	}
}

// Noticef implements server.Logger.
func (*serverLog) Noticef(string, ...any) {}

// Debugf implements server.Logger.
func (*serverLog) Debugf(string, ...any) {}

// Tracef implements server.Logger.
func (*serverLog) Tracef(string, ...any) {}
