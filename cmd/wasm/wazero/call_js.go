package main

import (
	"context"
	"encoding/json"
	"strconv"
	"sync"
	"syscall/js"
	"time"

	"golem/cmd/wasm/jsbytes"
	"golem/core/fault"
	"golem/core/wasmtool"
	"golem/core/wasmtool/guard"
)

func number(n int64) string { return strconv.FormatInt(n, 10) }

func parsed(v js.Value) int64 {
	n, err := strconv.ParseInt(v.String(), 10, 64)
	if err != nil {
		return 0 // not reached: both sides write whole numbers
	}
	return n
}

// invocation returns the call that a message asks for.
func invocation(m js.Value) wasmtool.Invocation {
	in := wasmtool.Invocation{
		Form: wasmtool.Extism, Export: m.Get("export").String(), Input: jsbytes.Bytes(m.Get("input")), Stdin: jsbytes.Bytes(m.Get("stdin")), Config: map[string]string{},
		Limits: wasmtool.Limits{
			Fuel: parsed(m.Get("fuel")), Output: int64(m.Get("output").Float()), Memory: int64(m.Get("memory").Float()), Time: time.Duration(m.Get("limit").Float() * float64(time.Millisecond)),
		},
	}
	if m.Get("command").Bool() {
		in.Form = wasmtool.Command
	}
	if fill := m.Get("fill"); fill.Truthy() {
		in.Fill = guard.Filling{At: uint32(m.Get("fillAt").Float()), Data: jsbytes.Bytes(fill)}
	}
	for i := range m.Get("args").Length() {
		in.Args = append(in.Args, m.Get("args").Index(i).String())
	}
	for i := range m.Get("config").Length() {
		pair := m.Get("config").Index(i)
		in.Config[pair.Index(0).String()] = pair.Index(1).String()
	}
	return in
}

// link sends questions to golem.wasm (cmd/wasm/toolcall_js.go) and receives the answers.
type link struct {
	mu      sync.Mutex
	last    int
	waiting map[int]chan js.Value
}

// ask sends a question and waits for its answer. The error is the one in the answer.
func (l *link) ask(question map[string]any) (js.Value, error) {
	ch := make(chan js.Value, 1)
	l.mu.Lock()
	l.last++
	question["ask"] = l.last
	l.waiting[l.last] = ch
	l.mu.Unlock()
	js.Global().Call("postMessage", question)
	answer := <-ch
	return answer, failure(answer)
}

func (l *link) answered(m js.Value) {
	id := m.Get("answer").Int()
	l.mu.Lock()
	defer l.mu.Unlock()
	if ch := l.waiting[id]; ch != nil {
		delete(l.waiting, id)
		ch <- m
	}
}

// host returns the host of a call, with what the call was granted. Its functions ask
// golem.wasm through the link.
func (l *link) host(m js.Value) wasmtool.Host {
	h := wasmtool.Host{
		HTTP: l.http,
		Call: func(_ context.Context, name string, args []byte) []byte {
			a, err := l.ask(map[string]any{"op": "call", "name": jsbytes.Array([]byte(name)), "data": jsbytes.Array(args)})
			if err != nil {
				return fault.Of(err, fault.Tool).Result()
			}
			return jsbytes.Bytes(a.Get("data"))
		},
	}
	if m.Get("granted").Bool() {
		h.Files = view{l}
	}
	if m.Get("logs").Bool() {
		lines := 0
		h.Log = func(level, text string) {
			if lines++; lines > wasmtool.LogLines {
				return
			}
			js.Global().Call("postMessage", map[string]any{"log": level, "text": jsbytes.Array([]byte(text))})
		}
	}
	if clock := m.Get("clock"); clock.Type() == js.TypeString {
		c := &lentChance{begun: time.Now(), there: time.Unix(0, parsed(clock)), pool: pool{link: l}}
		if chance := m.Get("chance"); !chance.IsNull() {
			c.pool.some = jsbytes.Bytes(chance)
		}
		h.Chance = c
	}
	return h
}

// lentChance is golem's clock and random numbers.
type lentChance struct {
	begun, there time.Time // here and there at the same time
	pool         pool
}

func (c *lentChance) Now() time.Time        { return c.there.Add(time.Since(c.begun)) }
func (c *lentChance) Random(b []byte) error { return c.pool.read(b) }

// http makes a module's request.
func (l *link) http(ctx context.Context, r wasmtool.HTTPRequest) (wasmtool.HTTPResponse, error) {
	request, err := json.Marshal(r)
	if err != nil {
		return wasmtool.HTTPResponse{}, err
	}
	until, _ := ctx.Deadline() // the engine's session always sets a deadline
	a, err := l.ask(map[string]any{"op": "http", "data": jsbytes.Array(request), "body": jsbytes.Array(r.Body), "left": float64(time.Until(until).Milliseconds())})
	if err != nil {
		return wasmtool.HTTPResponse{}, err
	}
	res := wasmtool.HTTPResponse{Status: a.Get("status").Int(), Body: jsbytes.Bytes(a.Get("data"))}
	return res, json.Unmarshal(jsbytes.Bytes(a.Get("head")), &res.Header)
}

// pool is a source of random bytes: some came with the call, more are asked for.
type pool struct {
	link *link
	some []byte
}

func (p *pool) read(b []byte) error {
	if n := len(b); n <= len(p.some) {
		copy(b, p.some)
		p.some = p.some[n:]
		return nil
	}
	for len(b) > 0 {
		a, err := p.link.ask(map[string]any{"op": "random", "size": min(len(b), 1<<20)})
		if err != nil {
			return err
		}
		n := copy(b, jsbytes.Bytes(a.Get("data")))
		b = b[max(n, 1):] // golem.wasm gives as many as were asked for
	}
	return nil
}
