package wasmtool

import (
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
	out     []byte
	message []byte // what error_set said
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

// Output is what was set as the result so far.
func (s *Session) Output() []byte { return s.out }

// Message is the error that was set, nil if there is none.
func (s *Session) Message() []byte { return s.message }

// Input is where the input lies, and its length.
func (s *Session) Input() (at, n int64) { return s.input, s.inLen }

// InputLoad reads size bytes (1 or 8) of the input.
func (s *Session) InputLoad(at, size int64) (uint64, error) {
	if at < 0 || size > s.inLen || at > s.inLen-size {
		return 0, fault.New(fault.ToolTrap, "the module reads its input at %d, and it has %d bytes", uint64(at), s.inLen)
	}
	return s.Kernel.Load(s.input+at, size)
}

// OutputSet makes a range the result.
func (s *Session) OutputSet(at, n int64) error {
	if n > s.In.Limits.Output {
		return OutputTooLarge(s.In.Limits.Output)
	}
	b, err := s.Kernel.Range(at, n)
	s.out = append(s.out[:0], b...)
	return err
}

// OutputTooLarge is the fault of a result beyond its limit, in bytes.
func OutputTooLarge(limit int64) error {
	return fault.New(fault.ToolSize, "the module's output is larger than %d bytes", limit).
		Hinting("ask it for less, or in parts")
}

// ErrorSet makes a block the error that the call ends with; 0 takes it back.
func (s *Session) ErrorSet(at int64) {
	s.message = nil
	if at != 0 {
		s.message = append([]byte{}, s.Kernel.Bytes(at)...)
		if s.message = s.message[:min(len(s.message), StderrLimit)]; len(s.message) == 0 {
			s.message = []byte("it failed without a message")
		}
	}
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
		s.Host.Log(level, text(b, 4096))
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
