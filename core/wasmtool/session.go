package wasmtool

import (
	"bytes"
	"context"
	"strings"
	"unicode/utf8"

	"golem/core/fault"
)

// Session is the state of one running call. Its methods are the host functions of
// Extism, with handles and numbers, independent of the engine. An engine connects the
// module's imports to these methods, and ends the call when one returns an error.
type Session struct {
	Kernel *Kernel
	Meter  *Meter
	In     Invocation
	Host   Host

	ctx     context.Context
	input   int64
	inLen   int64
	out     int64 // handle of the output, which is read after the call has ended
	outLen  int64
	failed  int64  // the block that error_set named; 0: none
	said    []byte // what the block contained then, in case it is freed
	status  int32
	header  int64
	refused *fault.Fault // the first thing that the module used without a grant
}

// NewSession starts a call: it resets the kernel and the meter and stores the input in
// the kernel. ctx limits the call and everything that it waits for.
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

// Refuse records that the module used something that it was not granted. If the
// call fails, this becomes the reason.
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

// Context returns the context that limits the call and everything that it waits
// for.
func (s *Session) Context() context.Context { return s.ctx }

// InputOffset returns the handle of the input.
func (s *Session) InputOffset() int64 { return s.input }

// InputLength returns the size of the input in bytes.
func (s *Session) InputLength() int64 { return s.inLen }

// OutputOffset returns where the result is, as output_set said; 0 if it was not
// called.
func (s *Session) OutputOffset() int64 { return s.out }

// OutputLength returns the size of the result in bytes, as output_set said.
func (s *Session) OutputLength() int64 { return s.outLen }

// ErrorHandle returns the block that error_set named last; 0 if none.
func (s *Session) ErrorHandle() int64 { return s.failed }

// Output returns a copy of the result as it is in memory now. Plug-ins may
// change or free it after output_set.
func (s *Session) Output() []byte {
	b, err := s.Kernel.Range(s.out, s.outLen)
	if err != nil { // unreachable: the memory does not shrink without Reset
		return nil
	}
	return bytes.Clone(b)
}

// Message returns the text of the error that was set, as it is in memory now,
// or nil. If its block was freed, it returns the text at the time of error_set.
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

// Reset frees every block, including input, output and error.
func (s *Session) Reset() {
	s.Kernel.Reset()
	s.input, s.inLen, s.out, s.outLen, s.failed, s.said = 0, 0, 0, 0, 0, nil
}

// Free frees a block. If it was the input, the input's length becomes 0.
func (s *Session) Free(at int64) {
	if at == s.input {
		s.inLen = 0
	}
	s.Kernel.Free(at)
}

// InputLoad reads a number of size bytes (1 or 8) from the input.
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

// ErrorSet makes a block the text of the error with which the call ends; 0
// removes the error.
func (s *Session) ErrorSet(at int64) {
	b := s.Kernel.Bytes(at)
	s.failed, s.said = at, bytes.Clone(b[:min(len(b), StderrLimit)])
}

// ConfigGet returns the handle of a configuration value, or 0. The key is freed only after
// the value has a block: some plug-ins free the key, too, and would free a value that lies
// in the same block.
func (s *Session) ConfigGet(key int64) (int64, error) {
	v, ok := s.In.Config[string(s.Kernel.Bytes(key))]
	defer s.Kernel.Free(key)
	if !ok {
		return 0, nil
	}
	return s.Kernel.Put([]byte(v))
}

// VarGet returns the handle of a variable's value, or 0.
func (s *Session) VarGet(key int64) (int64, error) {
	v := s.Kernel.variable(string(s.Kernel.Bytes(key)))
	defer s.Kernel.Free(key) // as in ConfigGet
	return s.Kernel.Put(v)
}

// VarSet sets a variable; the value 0 deletes it.
func (s *Session) VarSet(key, value int64) error {
	var v []byte
	if value != 0 {
		v = append([]byte{}, s.Kernel.Bytes(value)...)
	}
	err := s.Kernel.setVariable(string(s.Kernel.Bytes(key)), v)
	s.Kernel.Free(key)
	s.Kernel.Free(value)
	return err
}

// Log passes on a log line, shortened if it is too long.
func (s *Session) Log(level string, at int64) {
	b := s.Kernel.Bytes(at)
	if s.Host.Log != nil && len(b) > 0 {
		s.Host.Log(level, text(b, maxLogged))
	}
	s.Kernel.Free(at)
}

// HTTPRequest makes a request and returns the handle of the response's body.
func (s *Session) HTTPRequest(request, body int64) (int64, error) {
	s.status, s.header = 0, 0
	raw := append([]byte{}, s.Kernel.Bytes(request)...)
	var content []byte
	if body != 0 {
		content = append([]byte{}, s.Kernel.Bytes(body)...)
	}
	defer s.Kernel.Free(request) // as in ConfigGet
	defer s.Kernel.Free(body)
	res, head, err := s.Host.Exchange(s.ctx, raw, content, s.Meter.Left())
	if over := s.Meter.Check(s.ctx); over != nil {
		return 0, over // even if the request succeeded
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

// HTTPStatus returns the status of the last response.
func (s *Session) HTTPStatus() int32 { return s.status }

// HTTPHeaders returns the handle of the last response's headers as a JSON
// object, or 0 before the first response.
func (s *Session) HTTPHeaders() int64 { return s.header }

// GolemCall implements golem_call: it calls a tool or worker on behalf of the running
// worker, and returns the handle of the result or of {"error":…}.
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

// text returns the first limit bytes as text for a person: valid UTF-8, with U+FFFD for
// invalid bytes.
func text(b []byte, limit int) string {
	if len(b) > limit {
		b = b[:limit]
		for n := 1; n <= min(len(b), utf8.UTFMax-1); n++ {
			if last := b[len(b)-n:]; utf8.RuneStart(last[0]) {
				if !utf8.FullRune(last) {
					b = b[:len(b)-n]
				}
				break
			}
		}
	}
	return strings.ToValidUTF8(string(b), "\uFFFD")
}
