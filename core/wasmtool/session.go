package wasmtool

import (
	"bytes"
	"context"
	"strings"
	"unicode/utf8"

	"golem/core/fault"
)

// Session is one call under way as the host functions see it: the Extism
// interface in terms of handles and numbers, without any engine. An engine
// binds its imports to these methods and ends the call when one of them fails.
type Session struct {
	Kernel *Kernel
	Meter  *Meter
	In     Invocation
	Host   Host

	ctx     context.Context
	input   int64
	inLen   int64
	out     int64 // where the output lies; it is read when the call has ended
	outLen  int64
	failed  int64  // the block that error_set named; 0: none
	said    []byte // what it held then, for a block that is freed
	status  int32
	header  int64
	refused *fault.Fault // the first thing that was asked for and not granted
}

// NewSession begins a call. ctx bounds it and everything it waits for.
func NewSession(ctx context.Context, k *Kernel, m *Meter, in Invocation, h Host) (*Session, error) {
	k.Reset()
	if in.Limits.Output <= 0 {
		in.Limits.Output = DefaultOutput
	}
	m.Budget, m.Limit = in.Limits.Fuel, in.Limits.Time
	m.Begin()
	s := &Session{Kernel: k, Meter: m, In: in, Host: h, ctx: ctx}
	at, err := k.Put(in.Input)
	s.input, s.inLen = at, int64(len(in.Input))
	return s, err
}

// Refuse notes what was asked for without a grant. If the call fails, this is
// why.
func (s *Session) Refuse(f *fault.Fault) {
	if s.refused == nil {
		s.refused = f
	}
}

// InputSet makes another range the input.
func (s *Session) InputSet(at, n int64) error {
	_, err := s.Kernel.Range(at, n)
	s.input, s.inLen = at, n
	return err
}

// Context bounds the call and everything it waits for.
func (s *Session) Context() context.Context { return s.ctx }

// InputOffset is the input's handle.
func (s *Session) InputOffset() int64 { return s.input }

// InputLength is the input's size in bytes.
func (s *Session) InputLength() int64 { return s.inLen }

// OutputOffset is where output_set said the result is; 0: nowhere.
func (s *Session) OutputOffset() int64 { return s.out }

// OutputLength is how many bytes it said.
func (s *Session) OutputLength() int64 { return s.outLen }

// ErrorHandle is the block that error_set named last; 0: none.
func (s *Session) ErrorHandle() int64 { return s.failed }

// Output is the result as it stands in the kernel's memory now: plug-ins may
// fill it, or free it, after they have set it. It is the caller's to keep.
func (s *Session) Output() []byte {
	b, err := s.Kernel.Range(s.out, s.outLen)
	if err != nil { // unreachable: the memory does not shrink without Reset
		return nil
	}
	return bytes.Clone(b)
}

// Message is the text of the error that was set as it stands now, nil if there
// is none. Of a block that was freed it is what the block held when it was set.
func (s *Session) Message() []byte {
	if s.failed == 0 {
		return nil
	}
	b := s.Kernel.Bytes(s.failed)
	if b == nil {
		b = s.said
	}
	if len(b) == 0 {
		return []byte(noMessage)
	}
	return bytes.Clone(b[:min(len(b), StderrLimit)])
}

// Reset forgets every block, and with them input, output and error.
func (s *Session) Reset() {
	s.Kernel.Reset()
	s.input, s.inLen, s.out, s.outLen, s.failed, s.said = 0, 0, 0, 0, 0, nil
}

// Free gives a block back. An input that is freed has no length.
func (s *Session) Free(at int64) {
	if at == s.input {
		s.inLen = 0
	}
	s.Kernel.Free(at)
}

// InputLoad reads size bytes (1 or 8) of the input.
func (s *Session) InputLoad(at, size int64) (uint64, error) {
	if at < 0 || size > s.inLen || at > s.inLen-size {
		return 0, inputOutside(at, s.inLen)
	}
	return s.Kernel.Load(s.input+at, size)
}

// OutputSet makes a range the result.
func (s *Session) OutputSet(at, n int64) error {
	if n > s.In.Limits.Output {
		return OutputTooLarge(s.In.Limits.Output)
	}
	if _, err := s.Kernel.Range(at, n); err != nil {
		return err
	}
	s.out, s.outLen = at, n
	return nil
}

// ErrorSet makes a block the error that the call ends with; 0 takes it back.
func (s *Session) ErrorSet(at int64) {
	b := s.Kernel.Bytes(at)
	s.failed, s.said = at, bytes.Clone(b[:min(len(b), StderrLimit)])
}

// ConfigGet looks a key up; 0 if there is none.
func (s *Session) ConfigGet(key int64) (int64, error) {
	v, ok := s.In.Config[string(s.Kernel.Bytes(key))]
	s.Kernel.Free(key)
	if !ok {
		return 0, nil
	}
	return s.Kernel.Put([]byte(v))
}

// VarGet looks a variable up; 0 if there is none.
func (s *Session) VarGet(key int64) (int64, error) {
	v := s.Kernel.Var(string(s.Kernel.Bytes(key)))
	s.Kernel.Free(key)
	return s.Kernel.Put(v)
}

// VarSet sets a variable; the value 0 deletes it.
func (s *Session) VarSet(key, value int64) error {
	var v []byte
	if value != 0 {
		v = append([]byte{}, s.Kernel.Bytes(value)...)
	}
	err := s.Kernel.SetVar(string(s.Kernel.Bytes(key)), v)
	s.Kernel.Free(key)
	s.Kernel.Free(value)
	return err
}

// Log passes a line on, cut to what a person reads.
func (s *Session) Log(level string, at int64) {
	b := s.Kernel.Bytes(at)
	if s.Host.Log != nil && len(b) > 0 {
		s.Host.Log(level, text(b, maxLogged))
	}
	s.Kernel.Free(at)
}

// HTTPRequest makes a request; the result is the body's handle.
func (s *Session) HTTPRequest(request, body int64) (int64, error) {
	s.status, s.header = 0, 0
	raw := append([]byte{}, s.Kernel.Bytes(request)...)
	var content []byte
	if body != 0 {
		content = append([]byte{}, s.Kernel.Bytes(body)...)
	}
	s.Kernel.Free(request)
	s.Kernel.Free(body)
	res, head, err := s.Host.Exchange(s.ctx, raw, content, s.Meter.Left())
	if over := s.Meter.Check(s.ctx); over != nil {
		return 0, over // whatever the request made of it
	}
	if err != nil {
		return 0, fault.Of(err, fault.Network)
	}
	s.status = int32(res.Status)
	if s.header, err = s.Kernel.Put(head); err != nil {
		return 0, err
	}
	return s.Kernel.Put(res.Body)
}

// HTTPStatus is the last response's status; HTTPHeaders the handle of its
// headers as a JSON object.
func (s *Session) HTTPStatus() int32 { return s.status }

// HTTPHeaders is 0 before the first response.
func (s *Session) HTTPHeaders() int64 { return s.header }

// GolemCall is golem_call: it calls a tool or worker as the running worker and
// returns the handle of what came back, a result or {"error":…}.
func (s *Session) GolemCall(name, args int64) (int64, error) {
	who, what := string(s.Kernel.Bytes(name)), append([]byte{}, s.Kernel.Bytes(args)...)
	back := s.Meter.Away()
	res := s.Host.CallBack(s.ctx, who, what)
	back()
	if err := s.Meter.Check(s.ctx); err != nil {
		return 0, err
	}
	return s.Kernel.Put(res)
}

// text is bytes for a person: valid UTF-8, at most limit bytes.
func text(b []byte, limit int) string {
	if len(b) > limit {
		b = b[:limit]
		for len(b) > 0 && !utf8.Valid(b[len(b)-min(len(b), 4):]) && !utf8.RuneStart(b[len(b)-1]) {
			b = b[:len(b)-1]
		}
	}
	return strings.ToValidUTF8(string(b), "\uFFFD")
}
