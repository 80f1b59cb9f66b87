package enginetest

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/wasmtool"
	"golem/core/wasmtool/guard"
)

// grace is how long a call may exceed its limit before the suite reports that it hangs.
// It is far longer than any load of the machine explains.
const grace = 5 * time.Minute

// Test tests an engine with every case, and closes it at the end. leaveOut names cases
// that the engine's platform cannot run, each with the reason.
func Test(t *testing.T, open func(t *testing.T) wasmtool.Engine, leaveOut map[string]string) {
	cases, err := Cases()
	if err != nil {
		t.Fatal(err)
	}
	engine := open(t)
	t.Cleanup(func() {
		if err := engine.Close(); err != nil {
			t.Errorf("closing the engine: %v", err)
		}
	})
	names := map[string]bool{}
	for _, c := range cases {
		if names[c.Name] {
			t.Errorf("two cases are named %s", c.Name)
		}
		names[c.Name] = true
		if why := leaveOut[c.Name]; why != "" {
			t.Logf("left out: %s: %s", c.Name, why)
			continue
		}
		t.Run(strings.ReplaceAll(c.Name, " ", "-"), func(t *testing.T) {
			got := Play(engine, c)
			for _, problem := range c.Judge(got) {
				t.Error(problem)
			}
			if got.Alone && runtime.GOOS != "js" { // under js all goroutines share one thread
				t.Error("nobody else could run meanwhile")
			}
			if c.Want.Code != "" {
				alive(t, engine, cases)
			}
		})
	}
	for _, c := range cases {
		if slices.Contains([]string{"upper", "counter", "recursion", "start_trap", "var_flood", "create", "stdin"}, c.Name) && leaveOut[c.Name] == "" {
			t.Run("together/"+c.Name, func(t *testing.T) {
				if err := Together(engine, c); err != nil {
					t.Error(err)
				}
			})
		}
	}
	t.Run("closed", func(t *testing.T) { closed(t, open, cases) })
	for name := range leaveOut {
		if !names[name] {
			t.Errorf("%q is left out, and there is no such case", name)
		}
	}
}

// closed closes an engine while it compiles: the compilation must end, with success or as
// interrupted.
func closed(t *testing.T, open func(t *testing.T) wasmtool.Engine, cases []Case) {
	i := slices.IndexFunc(cases, func(c Case) bool { return c.Module == "words" })
	module, err := cases[i].Source()
	if err != nil {
		t.Fatal(err)
	}
	if module, err = guard.Weave(module); err != nil {
		t.Fatal(err)
	}
	engine := open(t)
	ended := make(chan error, 1)
	go func() {
		code, err := engine.Compile(context.Background(), module, "closed")
		if err == nil {
			err = code.Close()
		}
		ended <- err
	}()
	runtime.Gosched()
	if err := engine.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; err != nil && fault.Of(err, "not a fault").Code != fault.Interrupted {
		t.Error(err)
	}
}

// alive checks that the engine still works after a failure.
func alive(t *testing.T, engine wasmtool.Engine, cases []Case) {
	i := slices.IndexFunc(cases, func(c Case) bool { return c.Name == "echo" })
	if i < 0 {
		t.Fatal("there is no case echo")
	}
	for _, problem := range cases[i].Judge(Play(engine, cases[i])) {
		t.Errorf("afterwards: %s", problem)
	}
}

// Outcome is the result of playing a case.
type Outcome struct {
	Result wasmtool.Result
	Fault  *fault.Fault
	Files  map[string]string
	Hung   bool // it did not end within its limit and grace
	Alone  bool // it took long, and other goroutines hardly ran meanwhile
}

// Play guards and compiles the module of a case and makes its calls. Only the calls are
// limited in time (grace), because the time of compiling depends on the machine.
func Play(engine wasmtool.Engine, c Case) Outcome {
	done, begun := make(chan Outcome, 1), make(chan struct{})
	others := newBeat()
	go func() { done <- c.play(engine, func() { close(begun) }) }()
	select {
	case o := <-done:
		o.Alone = others.end()
		return o
	case <-begun:
	}
	select {
	case o := <-done:
		o.Alone = others.end()
		return o
	case <-time.After(c.Invocation().Limits.Time + grace):
		return Outcome{Hung: true, Alone: others.end()}
	}
}

func (c Case) play(engine wasmtool.Engine, begins func()) Outcome {
	module, err := c.Source()
	if err != nil {
		return Outcome{Fault: fault.Of(err, fault.NotFound)}
	}
	ctx := context.Background()
	if c.Limits.Cancel > 0 {
		stopping, stop := context.WithCancel(ctx)
		defer stop()
		defer time.AfterFunc(time.Duration(c.Limits.Cancel)*time.Millisecond, stop).Stop()
		ctx = stopping
	}
	woven, err := guard.Weave(module)
	if err != nil {
		return Outcome{Fault: fault.Of(err, "not a fault")}
	}
	code, err := engine.Compile(ctx, woven, c.Name)
	if err != nil {
		return Outcome{Fault: fault.Of(err, "not a fault")}
	}
	defer code.Close()
	host, files := c.host()
	call := code.Call
	if c.Keep {
		kept := code.Keep()
		defer kept.Close()
		call = kept.Call
	}
	begins()
	var o Outcome
	for _, input := range append(slices.Clip(c.Before), c.Input) {
		in := c.Invocation()
		in.Input = []byte(input)
		o.Result, err = call(ctx, in, host)
		o.Fault = fault.Of(err, "not a fault")
	}
	o.Files = contents(files)
	return o
}

// host returns the Host with what the case grants, and its files.
func (c Case) host() (wasmtool.Host, sandbox.FS) {
	h := wasmtool.Host{
		Log:    func(string, string) {},
		Chance: known{},
	}
	if c.Files != nil {
		h.Files = onDisk{sandbox.Memory()}
		for name, text := range c.Files {
			if err := h.Files.WriteFile(name, []byte(text)); err != nil {
				return h, h.Files
			}
		}
	}
	if c.HTTP {
		h.HTTP = func(ctx context.Context, r wasmtool.HTTPRequest) (wasmtool.HTTPResponse, error) {
			if c.Silent {
				<-ctx.Done()
				return wasmtool.HTTPResponse{}, fault.New(fault.Network, "nobody answers")
			}
			return wasmtool.HTTPResponse{Status: 200, Header: map[string]string{"Content-Type": "text/plain"}, Body: []byte(r.Method + " " + r.URL)}, nil
		}
	}
	if c.Call {
		h.Call = func(_ context.Context, name string, args []byte) []byte {
			return fmt.Appendf(nil, "called %s with %s", name, args)
		}
	}
	return h, h.Files
}

// onDisk is a tree whose directories have a size, as on a disk. Modules must not see this
// size, because in a page directories have none.
type onDisk struct{ sandbox.FS }

func (d onDisk) Stat(name string) (fs.FileInfo, error) {
	info, err := fs.Stat(d.FS, name)
	if err == nil && info.IsDir() {
		info = sandbox.Info{Base: info.Name(), Bytes: 4096, Perm: info.Mode(), When: info.ModTime()}
	}
	return info, err
}

func contents(files sandbox.FS) map[string]string {
	if files == nil {
		return nil
	}
	out := map[string]string{}
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(files, name)
		out[name] = string(data)
		return err
	})
	if err != nil {
		out["error"] = err.Error()
	}
	return out
}

// differences compares transcripts line by line.
func differences(got, want string) (bad []string) {
	have, wanted := strings.Split(got, "\n"), strings.Split(want, "\n")
	if len(have) != len(wanted) {
		bad = append(bad, fmt.Sprintf("%d lines, want %d", len(have), len(wanted)))
	}
	for i := range min(len(have), len(wanted)) {
		if have[i] != wanted[i] {
			bad = append(bad, fmt.Sprintf("line %d: %s, want %s", i+1, have[i], wanted[i]))
		}
	}
	return bad
}

// Judge compares an outcome with the expected result and returns the differences.
func (c Case) Judge(o Outcome) []string {
	var bad []string
	fail := func(format string, args ...any) { bad = append(bad, fmt.Sprintf(format, args...)) }
	if o.Hung {
		return []string{"it did not end"}
	}
	code := ""
	if o.Fault != nil {
		code = string(o.Fault.Code)
	}
	w := c.Want
	if code != w.Code {
		fail("code %q, want %q (%v)", code, w.Code, o.Fault)
	}
	if w.Message != "" && (o.Fault == nil || !strings.Contains(o.Fault.Message, w.Message)) {
		fail("fault %v, want %q in it", o.Fault, w.Message)
	}
	out := string(o.Result.Output)
	if c.Transcript != "" {
		bad = append(bad, differences(out, c.Calls())...)
	}
	if w.Output != nil && out != *w.Output {
		fail("output %q, want %q", out, *w.Output)
	}
	if !strings.Contains(out, w.Match) {
		fail("output %q, want %q in it", out, w.Match)
	}
	if w.Length != 0 && len(out) != w.Length {
		fail("%d bytes of output, want %d", len(out), w.Length)
	}
	if !strings.Contains(string(o.Result.Stderr), w.Stderr) {
		fail("standard error %q, want %q in it", o.Result.Stderr, w.Stderr)
	}
	if w.Exit != 0 && o.Result.Exit != w.Exit {
		fail("exit %d, want %d", o.Result.Exit, w.Exit)
	}
	if w.Code == "" && o.Result.Fuel != w.Fuel {
		fail("fuel %d, want %d", o.Result.Fuel, w.Fuel)
	}
	if w.Code == "" && o.Result.Fuel <= 0 {
		fail("no fuel was used")
	}
	if w.Files != nil && !maps.Equal(w.Files, o.Files) {
		fail("files %v, want %v", o.Files, w.Files)
	}
	return bad
}

// known is the time and the random numbers of the cases.
type known struct{}

func (known) Now() time.Time { return time.Unix(1_700_000_000, 0) }

// Random fills b with *.
func (known) Random(b []byte) error {
	for n := copy(b, "*"); n > 0 && n < len(b); n *= 2 {
		copy(b[n:], b[:n])
	}
	return nil
}
