package shell

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golem/cmd/cli/shell/confine"
)

// usualPrograms are command lines of programs that people use in commands, with what they
// print. The first five are programs that make test needs; the others run where they are.
var usualPrograms = []struct{ program, line, prints string }{
	{"go", "go env GOOS && go list -f '{{.ImportPath}}' strings", "linux\nstrings\n"},
	{"gcc", "printf '#include <stdio.h>\\nint main(void){puts(\"compiled\");return 0;}' > h.c && gcc -o h h.c && ./h", "compiled\n"},
	{"node", "node -e 'setTimeout(() => console.log(require(\"os\").platform()), 1)'", "linux\n"},
	{"npm", "npm --version | grep -c '\\.'", "1\n"},
	{"git", "git init -q -b m r && cd r && git -c user.name=a -c user.email=a@example.com commit -q --allow-empty -m x && git log --format=%s", "x\n"},
	{"make", "printf 'a:\\n\\t@echo made\\n' > Makefile && make", "made\n"},
	{"perl", "perl -e 'print join(\",\", map { $_ * 2 } 1..3)'", "2,4,6"},
	{"python3", "python3 -c 'import subprocess, threading; t = threading.Thread(target=lambda: print(subprocess.check_output([\"echo\", \"py\"]).decode(), end=\"\")); t.start(); t.join()'", "py\n"},
	{"java", "java -version 2>&1 | grep -ci version", "1\n"},
}

// Usual programs run behind the walls, on the oldest and the newest kernel interface that
// golem accepts.
func TestUsualProgramsRun(t *testing.T) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	for name, k := range kernels() {
		if oldest, newest := "landlock 3, none", fmt.Sprintf("landlock %d, pid", max(confine.Machine().ABI, 3)); name != oldest && name != newest {
			continue
		}
		y := newYard(t)
		y.host.Kernel = &k
		y.host.Env["PATH"] = filepath.Join(strings.TrimSpace(string(root)), "bin") + ":" + y.host.Env["PATH"] // a version manager in a home directory is out of reach
		s := y.open(t, y.whole(t), options{}, false)
		for n, p := range usualPrograms {
			if n >= 5 && s.try(t, t.Context(), "command -v "+p.program).Exit != 0 {
				continue
			}
			if got := s.try(t, t.Context(), "export GOCACHE=$TMPDIR/go GOFLAGS=-mod=mod GOTOOLCHAIN=local npm_config_cache=$TMPDIR/npm; "+p.line); got.Exit != 0 || got.Output != p.prints {
				t.Errorf("%s: %s: %+v", name, p.program, got)
			}
		}
	}
}
