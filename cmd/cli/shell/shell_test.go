package shell

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golem/core/sandbox"
	"golem/core/tool"
	"golem/core/toolset"
	"golem/sandbox/osfs"
)

func TestMain(m *testing.M) {
	if IsHelper() {
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
	k := machine()
	y.host = Host{Root: y.root, Kernel: &k, Env: map[string]string{"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": y.home, "OPENAI_API_KEY": "sk-secret", "MY_VAR": "1"}}
	return y
}

// view is the project as a worker sees it.
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

// open makes the tools as a worker run does.
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

// What the interpreter runs, with exit codes as shells have them.
func TestRun(t *testing.T) {
	y := newYard(t)
	s := y.open(t, y.whole(t), options{}, false)
	for line, want := range map[string]commandResult{
		"echo hi":                               {0, "hi\n", ""},
		"printf '%s-' a 'b c' \"d\"":            {0, "a-b c-d-", ""},
		"cat a.txt | tr a-z A-Z; echo x >&2":    {0, "INSIDE\nx\n", ""},
		"cat < a.txt > c.txt && cat c.txt":      {0, "inside\n", ""},
		"exit 3":                                {3, "", ""},
		"sh -c 'exit 4'":                        {4, "", ""},
		"sh -c 'kill -9 $$'":                    {137, "", ""},
		"X=1 sh -c 'echo $X'; echo [$X]":        {0, "1\n[]\n", ""},
		"for i in 1 2; do echo $i; done":        {0, "1\n2\n", ""},
		"cat <<E\nx $((1+1))\nE\n":              {0, "x 2\n", ""},
		"cat":                                   {0, "", ""},
		"echo *.txt $(cat a.txt)":               {0, "a.txt c.txt inside\n", ""},
		"echo $OPENAI_API_KEY$MY_VAR":           {0, "\n", ""},
		"no-such-program":                       {127, "\"no-such-program\": executable file not found in $PATH\n", ""},
		"false || echo no && true":              {0, "no\n", ""},
		"cd src && cat b.txt":                   {0, "source\n", ""},
		"sh -c 'echo $0' 2>/dev/null":           {0, "sh\n", ""},
		"[ -t 0 ] || (: < /dev/tty) || echo no": {0, "", ""},
	} {
		if got := s.try(t, t.Context(), line); strings.HasPrefix(line, "[ -t") {
			if !strings.HasSuffix(got.Output, "no\n") {
				t.Errorf("%q: %+v", line, got)
			}
		} else if got != want && line != "echo *.txt $(cat a.txt)" {
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

// attack is a command line that tries to leave what it is confined to.
type attack struct {
	line string
	bad  string // what the output has if it succeeded
}

// attacks on the files of the person, on golem and on the network. $HOMEDIR, $GOLEM,
// $PORT and $SOCKET are put in.
var attacks = []attack{
	{"cat $HOMEDIR/.ssh/id", "private"},
	{"cat < $HOMEDIR/.ssh/id", "private"},
	{"ls $HOMEDIR", "notes"},
	{"echo $HOMEDIR/*", "notes"},
	{"ln -s $HOMEDIR/.ssh/id link; cat link; rm -f link", "private"},
	{"ln $HOMEDIR/.ssh/id hard; cat hard; rm -f hard", "private"},
	{"cp $HOMEDIR/.ssh/id here; cat here", "private"},
	{"echo x > $HOMEDIR/notes.txt", ""},
	{"echo x >> $HOMEDIR/notes.txt", ""},
	{"sh -c 'echo x > $HOMEDIR/notes.txt'", ""},
	{"truncate -s 0 $HOMEDIR/notes.txt", ""},
	{"rm -rf $HOMEDIR/notes.txt", ""},
	{"mv $HOMEDIR/notes.txt moved", ""},
	{"touch $HOMEDIR/new", ""},
	{"mkdir $HOMEDIR/new", ""},
	{"ln -s /etc/passwd $HOMEDIR/new", ""},
	{"cd $HOMEDIR && rm -f notes.txt && echo x > new", ""},
	{"find $HOMEDIR -delete", ""},
	{"cat /proc/$GOLEM/environ", "PWD="},
	{"ls -l /proc/$GOLEM/root/ /proc/$GOLEM/cwd/", "home"},
	{"sh -c 'kill -9 $GOLEM'", ""},
	{"python3 -c 'import socket; s=socket.create_connection((\"127.0.0.1\",$PORT)); print(\"conn\"+\"ected\")'", "connected"},
	{"bash -c 'exec 3<>/dev/tcp/127.0.0.1/$PORT && echo conn''ected'", "connected"},
	{"perl -MIO::Socket -e 'print \"conn\".\"ected\" if IO::Socket::INET->new(\"127.0.0.1:$PORT\")'", "connected"},
	{"perl -MIO::Socket::UNIX -e 'print \"conn\".\"ected\" if IO::Socket::UNIX->new(\"$SOCKET\")'", "connected"},
	{"perl -MSocket -e 'socket(S,AF_INET,SOCK_DGRAM,0) and print \"conn\".\"ected\"'", "connected"},
}

// The kernel keeps a command from what is not the worker's. Where it cannot, golem
// says so, and a worker that does not see the whole project gets no shell.
func TestConfined(t *testing.T) {
	y := newYard(t)
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer tcp.Close()
	unix, err := net.Listen("unix", filepath.Join(y.home, "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close()
	_, port, _ := net.SplitHostPort(tcp.Addr().String())
	replace := strings.NewReplacer("$HOMEDIR", y.home, "$GOLEM", strconv.Itoa(os.Getpid()), "$PORT", port, "$SOCKET", unix.Addr().String())
	none := Kernel{Lacks: "this Linux has no Landlock, or it is turned off"}
	part := y.view(t, sandbox.Mount{At: "src", Mode: sandbox.ReadWrite})
	for name, c := range map[string]struct {
		kernel Kernel
		view   sandbox.FS
	}{"whole": {machine(), y.whole(t)}, "part": {machine(), part}, "no kernel, whole": {none, y.whole(t)}, "no kernel, part": {none, part}} {
		t.Run(name, func(t *testing.T) {
			y.host.Kernel = &c.kernel
			err := toolset.NewRegistry(Toolset(y.host)).Whole("w", "shell", sandbox.Partial(c.view), c.view)
			if !c.kernel.Files && c.view == part {
				if err == nil || !strings.Contains(err.Error(), c.kernel.Lacks) {
					t.Errorf("a part of the project without Landlock: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			s := y.open(t, c.view, options{}, true)
			if says := s.grants()[0].Value; strings.Contains(says, "not confined") == c.kernel.Files {
				t.Errorf("kernel %+v, and golem says %q", c.kernel, says)
			}
			if !c.kernel.Files {
				return // nothing to attack: golem says that it does not confine
			}
			for _, a := range attacks {
				got := s.try(t, t.Context(), replace.Replace(a.line))
				if a.bad != "" && strings.Contains(got.Output, a.bad) {
					t.Errorf("%q: %s", a.line, got.Output)
				}
				left, err := os.ReadDir(y.home)
				notes, _ := os.ReadFile(filepath.Join(y.home, "notes.txt"))
				if err != nil || len(left) != 3 || string(notes) != "notes\n" {
					t.Fatalf("%q changed the home: %v %v %q", a.line, left, err, notes)
				}
			}
			inside := "echo x > a.txt; echo y > $TMPDIR/t && cat $TMPDIR/t; rm a.txt; cd; pwd | grep -c golem-shell"
			if got := s.try(t, t.Context(), inside); s.disk == nil && got.Output != "y\n1\n" || s.disk != nil && !strings.Contains(got.Output, "ermission denied") {
				t.Errorf("what is allowed inside: %+v", got)
			}
			if got := s.try(t, t.Context(), "cat src/b.txt && echo x > src/c.txt && cat src/c.txt"); got.Output != "source\nx\n" {
				t.Errorf("the worker's own files: %+v", got)
			}
		})
	}
}

// A part of the project that the kernel cannot express is refused, also if it comes
// to be during the run.
func TestNotToBeConfined(t *testing.T) {
	y := newYard(t)
	yes := Kernel{Files: true}
	y.host.Kernel = &yes
	for want, view := range map[string]sandbox.FS{
		"":                  y.view(t, sandbox.Mount{At: "src", Mode: sandbox.ReadOnly}, sandbox.Mount{At: "a.txt", Mode: sandbox.ReadWrite}),
		"staged":            y.view(t, sandbox.Mount{At: "src", Mode: sandbox.Staged}),
		"limits":            y.view(t, sandbox.Mount{At: "src", Mode: sandbox.ReadWrite, Suffixes: []string{".txt"}}),
		"part that is read": y.view(t, sandbox.Mount{At: ".", Mode: sandbox.ReadWrite}, sandbox.Mount{At: "src", Mode: sandbox.ReadOnly}),
	} {
		if got := y.host.confines(view); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("want %q, got %q", want, got)
		}
	}
	s := y.open(t, y.view(t, sandbox.Mount{At: "src", Mode: sandbox.ReadWrite}), options{}, false)
	for _, name := range []string{"deep/.env", ".git/config", "x.worker"} {
		full := filepath.Join(y.root, "src", name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := s.run(t.Context(), commandArgs{Command: "true"}); err == nil || !strings.Contains(err.Error(), "E_ESCALATION") {
			t.Errorf("%s: %v", name, err)
		}
		if err := os.RemoveAll(filepath.Join(y.root, "src", strings.Split(name, "/")[0])); err != nil {
			t.Fatal(err)
		}
	}
}

// A read-only project is readable, but for what no worker reads: .env, .git.
func TestReadOnlyProject(t *testing.T) {
	y := newYard(t)
	for _, name := range []string{".env", ".git/config", "src/deep/.env", "src/deep/c.txt"} {
		full := filepath.Join(y.root, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte("text\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(y.home, filepath.Join(y.root, "link")); err != nil {
		t.Fatal(err)
	}
	view := y.view(t, sandbox.Mount{At: ".", Mode: sandbox.ReadOnly})
	var got []string
	places, why := sandbox.InReach(view)
	for _, p := range places {
		got = append(got, p.At)
		if p.Write || p.List != slices.Contains([]string{"/", "/src", "/src/deep"}, p.At) {
			t.Errorf("%+v", p)
		}
	}
	slices.Sort(got)
	if want := []string{"/", "/a.txt", "/main.worker", "/src", "/src/b.txt", "/src/deep", "/src/deep/c.txt"}; !slices.Equal(got, want) || why != "" {
		t.Errorf("%v %s", got, why)
	}
	if !y.host.Kernel.Files {
		if why := y.host.confines(view); why != y.host.Kernel.Lacks {
			t.Error(why)
		}
		return
	}
	s := y.open(t, view, options{}, false)
	res := s.try(t, t.Context(), "ls; cat a.txt src/deep/c.txt; cat .env .git/config src/deep/.env link/notes.txt; echo x > new; echo x > a.txt; rm src/b.txt")
	if !strings.HasPrefix(res.Output, "a.txt\nlink\nmain.worker\nsrc\ninside\ntext\n") || strings.Count(res.Output, "text\n") != 1 || strings.Contains(res.Output, "notes\n") {
		t.Error(res.Output)
	}
	for name, want := range map[string]string{"a.txt": "inside\n", "src/b.txt": "source\n", "new": ""} {
		if data, _ := os.ReadFile(filepath.Join(y.root, name)); string(data) != want {
			t.Errorf("%s: %q", name, data)
		}
	}
}

// While a command runs, the person is shown what it writes.
func TestOutputIsShownWhileItRuns(t *testing.T) {
	y := newYard(t)
	var log []string
	s, err := y.host.open(toolset.Env{Worker: "w", View: y.whole(t), Log: func(_, text string) {
		log = append(log, text)
		if err := os.WriteFile(filepath.Join(y.root, "seen"), nil, 0o600); err != nil {
			t.Error(err)
		}
	}}, &options{})
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
	if runtime.GOOS == "linux" { // elsewhere what left its session is not found
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

// A redirection is a write of the worker: never into a file that defines the project.
func TestRedirections(t *testing.T) {
	y := newYard(t)
	s := y.open(t, y.whole(t), options{}, false)
	for _, line := range []string{"echo x > main.worker", "echo x >> ./main.worker", "echo x > src/../main.worker", "> .env", "true && echo x >| .git/config", "echo x > '" + y.root + "/main.worker'", "for i in 1; do echo x > MAIN.worker; done"} {
		if _, err := s.run(t.Context(), commandArgs{Command: line}); err == nil || !strings.Contains(err.Error(), "E_PROTECTED") {
			t.Errorf("%q: %v", line, err)
		}
	}
	if got := s.try(t, t.Context(), "echo x > new && cat new"); got.Output != "x\n" {
		t.Errorf("%+v", got)
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
