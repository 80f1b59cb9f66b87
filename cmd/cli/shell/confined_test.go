package shell

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golem/core/approval"
	"golem/core/sandbox"
	"golem/core/tool"
	"golem/core/toolset"
	"golem/sandbox/osfs"

	"golem/cmd/cli/shell/confine"
)

// attack is a command line that tries to break out of its confinement.
type attack struct {
	line string
	bad  string // what the output has if it succeeded
}

// attacks are directed at the files of the person, at golem and at the network.
// $HOMEDIR, $GOLEM, $PORT and $SOCKET are replaced.
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

// The kernel confines a command to the worker's files. If it cannot, golem says so, and
// a worker that does not see the whole project gets no shell.
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
	}{"whole": {confine.Machine(), y.whole(t)}, "part": {confine.Machine(), part}, "no kernel, whole": {none, y.whole(t)}, "no kernel, part": {none, part}} {
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
			if got := s.try(t, t.Context(), inside); s.disk == nil && got.Output != "y\n1\n" || s.disk != nil && !strings.Contains(got.Output, "ermission denied") && !strings.Contains(got.Output, "ead-only file system") {
				t.Errorf("what is allowed inside: %+v", got)
			}
			if got := s.try(t, t.Context(), "cat src/b.txt && echo x > src/c.txt && cat src/c.txt"); got.Output != "source\nx\n" {
				t.Errorf("the worker's own files: %+v", got)
			}
		})
	}
}

// A view to which the kernel cannot confine commands is refused, also one that becomes
// so during the run.
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

// In a read-only project, commands can read all files except those that no worker may
// read: .env, .git.
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

// seeing is a Caller with a view, none of whose calls runs.
type seeing struct {
	approval.Outside
	view sandbox.FS
}

func (s seeing) SourceOf(mount string) string { return sandbox.SourceIn(s.view, mount) }

func (seeing) Enter(context.Context, tool.Risk) (context.Context, func(), error) {
	return nil, nil, errors.New("nothing runs in this test")
}

// "This call, for the session" means the command in the same real places: not in
// another directory that another worker mounts under the same name, and not with other
// rights.
func TestAnAnswerIsForTheRealPlaces(t *testing.T) {
	y := newYard(t)
	y.host.Kernel = &Kernel{Files: true, Network: true} // nothing runs in the end
	if err := os.Mkdir(filepath.Join(y.root, "other"), 0o755); err != nil {
		t.Fatal(err)
	}
	work := func(dir string, mode sandbox.Mode) sandbox.FS {
		files, err := osfs.Open(y.root)
		if err != nil {
			t.Fatal(err)
		}
		sub, _, err := sandbox.Nest(files, dir)
		if err != nil {
			t.Fatal(err)
		}
		v, err := sandbox.View(sandbox.ViewSpec{Mounts: []sandbox.Mount{{FS: sub, At: "work", Name: "work", Source: filepath.Join(y.root, dir), Mode: mode}}})
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	call := func(g *approval.Gate, view sandbox.FS, opts options) {
		s := y.open(t, view, opts, true)
		_, _ = g.Call(t.Context(), approval.Item{
			Tool: s.Tools()[0], FromModel: true, Call: tool.Call{Name: "run_command", Args: tool.ReadArguments([]byte(`{"command":"rm -f f"}`))},
			By: seeing{view: view},
		})
	}
	for name, c := range map[string]struct {
		view sandbox.FS
		opts options
		asks int
	}{
		"the same places":        {work("src", sandbox.ReadWrite), options{}, 1},
		"another directory":      {work("other", sandbox.ReadWrite), options{}, 2},
		"another mode":           {work("src", sandbox.ReadOnly), options{}, 2},
		"one more directory":     {work("src", sandbox.ReadWrite), options{Read: []string{y.home}}, 2},
		"with the network":       {work("src", sandbox.ReadWrite), options{Network: true}, 2},
		"the system's own shell": {work("src", sandbox.ReadWrite), options{SystemShell: true}, 2},
		"the whole project":      {y.whole(t), options{}, 2},
	} {
		person := &sessionYes{}
		g := approval.NewGate(approval.Interactive, person)
		call(g, work("src", sandbox.ReadWrite), options{})
		call(g, c.view, c.opts)
		if person.asked != c.asks {
			t.Errorf("%s: asked %d times, want %d", name, person.asked, c.asks)
		}
	}
}

// sessionYes is a person who says yes to each call for the session.
type sessionYes struct{ asked int }

// Approve says yes.
func (p *sessionYes) Approve(_ context.Context, r approval.Request) (approval.Decision, error) {
	p.asked++
	return approval.Decision{ID: r.ID, Answer: approval.Session}, nil
}

// Where golem cannot confine, each command asks, unless a person said --unconfined. Where one
// wall is missing although others are there, no command runs.
func TestUnconfined(t *testing.T) {
	y := newYard(t)
	for name, c := range map[string]struct {
		kernel   Kernel
		accepted bool
		want     string
	}{
		"confined":         {Kernel{Files: true, Network: true}, false, ""},
		"not confined":     {Kernel{Lacks: "it is a test"}, false, "it is a test"},
		"and accepted":     {Kernel{Lacks: "it is a test"}, true, ""},
		"one wall missing": {Kernel{ABI: 7, Fails: "seccomp: it is a test"}, true, ""},
	} {
		y.host.Kernel, y.host.Unconfined = &c.kernel, c.accepted
		s := y.open(t, y.whole(t), options{}, false)
		if got := s.Tools()[0].Spec().Unconfined; got != c.want {
			t.Errorf("%s: %q", name, got)
		}
		if c.kernel.Fails == "" {
			continue
		}
		for _, tools := range []string{"run_command", "start_command"} {
			var err error
			if tools == "run_command" {
				_, err = s.run(t.Context(), commandArgs{Command: "true"})
			} else {
				_, err = s.begun(t.Context(), startArgs{"true"})
			}
			if err == nil || !strings.Contains(err.Error(), "E_PLATFORM") || !strings.Contains(err.Error(), "seccomp") {
				t.Errorf("%s, %s: %v", name, tools, err)
			}
		}
	}
}
