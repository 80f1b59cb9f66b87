package acpcmd

import (
	"context"
	"errors"
	"path/filepath"
	"sync/atomic"
	"time"

	acp "github.com/coder/acp-go-sdk"

	"golem/core/toolset"
)

// forBuffers is how long the client may take to give the text of a file. After that the file
// on the disk counts.
const forBuffers = 5 * time.Second

// buffers are the files that the client has open. It is asked only about files that a worker
// has read or may write through its view.
//
// The client reads a path by itself, with the rights of the person, so that a link made at the
// right moment could lead it elsewhere. Commands are all that workers start which can make
// links: while one of any session runs, and after one that goes on in the background was
// started, the client is not asked.
type buffers struct {
	agent *agent
	id    acp.SessionId
}

// commands counts the commands of all sessions.
type commands struct {
	begun, running atomic.Int64
	background     atomic.Bool // one may run from now on at any time
}

var _ toolset.Buffers = (*buffers)(nil)

// quiet reports whether no command can run now.
func (c *commands) quiet() bool { return c.running.Load() == 0 && !c.background.Load() }

// started notes that a call of a tool for commands begins.
func (c *commands) started(tool string) {
	c.begun.Add(1)
	c.running.Add(1)
	if tool != "run_command" {
		c.background.Store(true)
	}
}

// waiting returns a context that ends with the prompt that is answered, or when the client
// takes too long.
func (b *buffers) waiting(ctx context.Context) (context.Context, func()) {
	ctx, stop := context.WithTimeout(ctx, forBuffers)
	s, err := b.agent.session(b.id)
	if err != nil {
		return ctx, stop
	}
	p := s.current()
	if p == nil {
		return ctx, stop
	}
	within, leave := joined(ctx, p.ctx)
	return within, func() { leave(); stop() }
}

// Read returns the text of a file as the client shows it.
func (b *buffers) Read(ctx context.Context, source string) (text string, ok bool) {
	can, before := b.agent.client.Load(), b.agent.commands.begun.Load()
	if can == nil || !can.Fs.ReadTextFile || !b.agent.commands.quiet() {
		return "", false
	}
	ctx, done := b.waiting(ctx)
	defer done()
	res, err := acp.SendRequest[acp.ReadTextFileResponse](b.agent.conn, ctx, acp.ClientMethodFsReadTextFile, acp.ReadTextFileRequest{
		SessionId: b.id, Path: filepath.FromSlash(source),
	})
	if err != nil || before != b.agent.commands.begun.Load() {
		return "", false
	}
	return res.Content, true
}

// errReadOnly says that a client shows files, and takes none.
var errReadOnly = errors.New("the client writes no files")

// Write gives the client the new text of a file. It writes it to the disk, too.
func (b *buffers) Write(ctx context.Context, source, text string) error {
	can := b.agent.client.Load()
	if can == nil || !can.Fs.WriteTextFile || !b.agent.commands.quiet() {
		return errReadOnly
	}
	ctx, done := b.waiting(ctx)
	defer done()
	_, err := acp.SendRequest[acp.WriteTextFileResponse](b.agent.conn, ctx, acp.ClientMethodFsWriteTextFile, acp.WriteTextFileRequest{
		SessionId: b.id, Path: filepath.FromSlash(source), Content: text,
	})
	return err
}
