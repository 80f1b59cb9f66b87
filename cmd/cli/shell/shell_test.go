package shell

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/tool"
	"golem/core/toolset"
	"golem/sandbox/osfs"

	"golem/cmd/cli/shell/confine"
)

func TestMain(m *testing.M) {
	if IsHelper() {
		debug.SetGCPercent(1) // makes a helper fail that cannot collect garbage
		os.Exit(Helper())
	}
	os.Exit(m.Run())
}

// yard is a project on the disk, with a person's home beside it.
type yard struct {
	root, home string
	host       Host
}

func newYard(t *testing.T) yard {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	y := yard{root: filepath.Join(top, "project"), home: filepath.Join(top, "home")}
	for name, text := range map[string]string{
		"project/a.txt": "inside\n", "project/src/b.txt": "source\n", "project/main.worker": "go\n", "home/.ssh/id": "the private key\n", "home/notes.txt": "notes\n",
	} {
		name = filepath.Join(top, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	k := confine.Machine()
	y.host = Host{Root: y.root, Kernel: &k, Env: map[string]string{"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": y.home, "OPENAI_API_KEY": "sk-secret", "MY_VAR": "1"}}
	return y
}

// view returns the project as a worker sees it.
func (y yard) view(t *testing.T, mounts ...sandbox.Mount) sandbox.FS {
	t.Helper()
	files, err := osfs.Open(y.root)
	if err != nil {
		t.Fatal(err)
	}
	for i := range mounts {
		m := &mounts[i]
		sub, file, err := sandbox.Nest(files, m.At)
		if err != nil {
			t.Fatal(err)
		}
		m.FS, m.File, m.Source, m.Name = sub, file, filepath.Join(y.root, m.At), m.At
	}
	v, err := sandbox.View(sandbox.ViewSpec{Mounts: mounts, Protection: sandbox.Controls{Root: y.root}.Protect()})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func (y yard) whole(t *testing.T) sandbox.FS {
	return y.view(t, sandbox.Mount{At: ".", Mode: sandbox.ReadWrite})
}

// open opens the toolset like a worker run.
func (y yard) open(t *testing.T, view sandbox.FS, opts options, network bool) *shell {
	t.Helper()
	s, err := y.host.open(toolset.Env{Worker: "w", View: view, Network: network}, &opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func (s *shell) try(t *testing.T, ctx context.Context, line string) (res commandResult) {
	t.Helper()
	out, err := s.run(ctx, commandArgs{Command: line})
	if err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	if err := json.Unmarshal(out.Data, &res); err != nil {
		t.Fatal(err)
	}
	return res
}

// The interpreter runs command lines, with the exit codes of a shell.
func TestRun(t *testing.T) {
	y := newYard(t)
	s := y.open(t, y.whole(t), options{}, false)
	for line, want := range map[string]commandResult{
		"echo hi":                               {0, "hi\n", "", nil},
		"printf '%s-' a 'b c' \"d\"":            {0, "a-b c-d-", "", nil},
		"cat a.txt | tr a-z A-Z; echo x >&2":    {0, "INSIDE\nx\n", "", nil},
		"cat < a.txt > c.txt && cat c.txt":      {0, "inside\n", "", nil},
		"exit 3":                                {3, "", "", nil},
		"sh -c 'exit 4'":                        {4, "", "", nil},
		"sh -c 'kill -9 $$'":                    {137, "", "", nil},
		"X=1 sh -c 'echo $X'; echo [$X]":        {0, "1\n[]\n", "", nil},
		"for i in 1 2; do echo $i; done":        {0, "1\n2\n", "", nil},
		"cat <<E\nx $((1+1))\nE\n":              {0, "x 2\n", "", nil},
		"cat":                                   {0, "", "", nil},
		"echo *.txt $(cat a.txt)":               {0, "a.txt c.txt inside\n", "", nil},
		"echo $OPENAI_API_KEY$MY_VAR":           {0, "\n", "", nil},
		"no-such-program":                       {127, "\"no-such-program\": executable file not found in $PATH\n", "", nil},
		"false || echo no && true":              {0, "no\n", "", nil},
		"cd src && cat b.txt":                   {0, "source\n", "", nil},
		"sh -c 'echo $0' 2>/dev/null":           {0, "sh\n", "", nil},
		"[ -t 0 ] || (: < /dev/tty) || echo no": {0, "", "", nil},
	} {
		if got := s.try(t, t.Context(), line); strings.HasPrefix(line, "[ -t") {
			if !strings.HasSuffix(got.Output, "no\n") {
				t.Errorf("%q: %+v", line, got)
			}
		} else if !reflect.DeepEqual(got, want) && line != "echo *.txt $(cat a.txt)" {
			t.Errorf("%q: got %+v, want %+v", line, got, want)
		}
	}
	for _, line := range []string{"", " ", "echo 'x", "a\x00b", "(", strings.Repeat("x", maxCommand+1), "if", "$("} {
		if _, err := s.run(t.Context(), commandArgs{Command: line}); err == nil {
			t.Errorf("%q ran", line)
		}
	}
}

// SECURITY 16: commands get few variables, and no keys.
func TestEnvironment(t *testing.T) {
	y := newYard(t)
	none := Kernel{Lacks: "it is a test"}
	y.host.Kernel = &none
	s := y.open(t, y.whole(t), options{Env: []string{"MY_VAR", "NOT_THERE"}}, false)
	y.host.Env["PATH"] = "/bin:.:bin"
	env, err := s.environment()
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"GOLEM=1", "HOME=" + y.home, "MY_VAR=1", "NO_COLOR=1", "PATH=/bin", "TERM=dumb"}; !slices.Equal(env, want) {
		t.Error(env)
	}
}

// running is a run that passes on what its tools tell it.
type running struct {
	toolset.Run
	log     func(level, text string)
	rewrote func(files map[string]string)
}

func (r running) Log(level, text string)          { r.log(level, text) }
func (r running) Rewrote(files map[string]string) { r.rewrote(files) }

// While a command runs, the person is shown what it writes.
func TestOutputIsShownWhileItRuns(t *testing.T) {
	y := newYard(t)
	var log []string
	s, err := y.host.open(toolset.Env{Worker: "w", View: y.whole(t), Run: running{log: func(_, text string) {
		log = append(log, text)
		if err := os.WriteFile(filepath.Join(y.root, "seen"), nil, 0o600); err != nil {
			t.Error(err)
		}
	}}}, &options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	res := s.try(t, t.Context(), "echo one; until [ -e seen ]; do sleep 0.01; done; echo two")
	if res.Output != "one\ntwo\n" || len(log) == 0 || log[0] != "one" {
		t.Errorf("%+v, shown %q", res, log)
	}
}

// A command in the background is started, read and stopped, with all that it
// started; the worker's end ends it as well.
func TestBackground(t *testing.T) {
	y := newYard(t)
	s := y.open(t, y.whole(t), options{}, false)
	told := func(out tool.Output, err error) (b backgroundResult) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(out.Data, &b); err != nil {
			t.Fatal(err)
		}
		return b
	}
	ctx := t.Context()
	first := told(s.begun(ctx, startArgs{"echo one; until [ -e go ]; do sleep 0.01; done; echo two; exit 3"}))
	second := told(s.begun(ctx, startArgs{"setsid sh -c 'trap \"\" TERM; echo $$; sleep 600' & wait"}))
	if first.ID != "1" || second.ID != "2" || !first.Running {
		t.Errorf("%+v %+v", first, second)
	}
	read := func(id string) string {
		var out string
		for !strings.HasSuffix(out, "\n") {
			out += told(s.read(ctx, readArgs{id, maxWait})).Output
		}
		return out
	}
	if got := read("1"); got != "one\n" {
		t.Errorf("%q", got)
	}
	if err := os.WriteFile(filepath.Join(y.root, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := read("1"); got != "two\n" {
		t.Errorf("%q", got)
	}
	end := told(s.read(ctx, readArgs{"1", maxWait}))
	for end.Running {
		end = told(s.read(ctx, readArgs{"1", maxWait}))
	}
	if end.Exit == nil || *end.Exit != 3 || end.Output != "" {
		t.Errorf("%+v", end)
	}
	pid := strings.TrimSpace(read("2"))
	if got := told(s.end(ctx, stopArgs{"2"})); got.Running {
		t.Errorf("%+v", got)
	}
	if runtime.GOOS == "linux" { // only Linux finds processes that left their session
		if _, err := os.Stat("/proc/" + pid + "/exe"); err == nil {
			t.Errorf("process %s, which left the session, still runs", pid)
		}
	}
	if _, err := s.read(ctx, readArgs{"7", 0}); err == nil || !strings.Contains(err.Error(), "ids: 1, 2") {
		t.Error(err)
	}
	for range maxBackground {
		told(s.begun(ctx, startArgs{"sleep 600"}))
	}
	if _, err := s.begun(ctx, startArgs{"sleep 600"}); err == nil || !strings.Contains(err.Error(), "E_LIMIT") {
		t.Error(err)
	}
}

// Waiting for output ends with the time limit of the tool, which is no error: the command
// still runs. If the run is interrupted, that is the result.
func TestWaitIsBounded(t *testing.T) {
	y := newYard(t)
	s := y.open(t, y.whole(t), options{}, false)
	if _, err := s.begun(t.Context(), startArgs{"sleep 600"}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		cause error
		want  string
	}{
		{fault.New(fault.Timeout, "tool read_command ran longer than 1s"), `{"id":"1","running":true,"output":""}`},
		{context.Canceled, ""},
	} {
		ctx, end := context.WithCancelCause(t.Context())
		end(c.cause)
		out, err := s.read(ctx, readArgs{"1", maxWait})
		if string(out.Data) != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%v: %s, %v", c.cause, out.Data, err)
		}
	}
}

// A redirection counts as a write of the worker: it never goes into a file that defines
// the project.
func TestRedirections(t *testing.T) {
	y := newYard(t)
	s := y.open(t, y.whole(t), options{}, false)
	for _, line := range []string{"echo x > main.worker", "echo x >> ./main.worker", "echo x > src/../main.worker", "> .env", "true && echo x >| .git/config", "echo x > '" + y.root + "/main.worker'", "for i in 1; do echo x > MAIN.worker; done"} {
		if _, err := s.run(t.Context(), commandArgs{Command: line}); err == nil || !strings.Contains(err.Error(), "E_PROTECTED") {
			t.Errorf("%q: %v", line, err)
		}
	}
	if err := os.Symlink("main.worker", filepath.Join(y.root, "log")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.run(t.Context(), commandArgs{Command: "echo x >> log"}); err == nil || !strings.Contains(err.Error(), "E_PATH") {
		t.Errorf("through a link: %v", err)
	}
	if got := s.try(t, t.Context(), "echo x > new && cat new"); got.Output != "x\n" {
		t.Errorf("%+v", got)
	}
}

// Directories that a command made read-only are removed with the others.
func TestScratchIsRemoved(t *testing.T) {
	y := newYard(t)
	s := y.open(t, y.whole(t), options{}, false)
	s.try(t, t.Context(), "mkdir -p $TMPDIR/a/b && chmod 555 $TMPDIR/a")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(s.scratch); s.scratch == "" || !os.IsNotExist(err) {
		t.Errorf("%q: %v", s.scratch, err)
	}
}

func TestOutputIsCapped(t *testing.T) {
	var c capped
	chunk := []byte(strings.Repeat("a", 10_000))
	for range 1000 {
		if n, err := c.Write(chunk); n != len(chunk) || err != nil {
			t.Fatal(n, err)
		}
	}
	c.Write([]byte("THE END\xff"))
	s := c.String()
	if len(s) > maxOutput+100 || !strings.HasSuffix(s, "THE END\uFFFD") || !strings.Contains(s, "bytes left out]") {
		t.Errorf("%d bytes, ends in %q", len(s), s[len(s)-20:])
	}
	if cap(c.head)+cap(c.tail) > 4*maxOutput {
		t.Errorf("keeps %d bytes", cap(c.head)+cap(c.tail))
	}
	var small capped
	small.Write([]byte("x\n"))
	if small.String() != "x\n" {
		t.Errorf("%q", small.String())
	}
}
