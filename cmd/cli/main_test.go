package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/zalando/go-keyring"

	"golem/cmd/cli/shell"
)

// asGolem is the variable that makes the test binary behave as golem, for tests that
// start it themselves, on a terminal of their own.
const asGolem = "GOLEM_TEST_AS_GOLEM"

func TestMain(m *testing.M) {
	keyring.MockInitWithError(errors.New("tests have no keyring")) // tests must not use the keyring of the person who runs them
	if shell.IsHelper() || os.Getenv(asGolem) != "" {
		main()
	}
	if script := os.Getenv(scriptedServer); script != "" {
		os.Exit(serveScript([]byte(script)))
	}
	if signal.Ignored(syscall.SIGHUP) { // under nohup: programs started by tests must not ignore the signal
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	if err := flag.Set("test.parallel", strconv.Itoa(waiters*runtime.GOMAXPROCS(0))); err != nil { // go test -parallel replaces it
		panic(err)
	}
	testscript.Main(m, map[string]func(){
		"golem": func() {
			leaveTerminal()
			usePublicServer()
			main()
		},
		"mcpserver": serveScriptFile,
	})
}

// moduleDirs are the directories that scripts get in variables: built modules, those of
// golem's scaffold and of core's own cases, and the JSON Schemas.
var moduleDirs = map[string]string{
	"MODULES": filepath.Join("testdata", "modules"),
	"FOREIGN": filepath.Join("..", "..", "core", "wasmtool", "testdata", "foreign"),
	"TOOLS":   filepath.Join("..", "..", "core", "coretest", "testdata", "tools"),
	"SCHEMAS": filepath.Join("..", "..", "docs", "schemas"),
}

// seen looks at each file below a directory. go test keeps the result of tests until a file
// changes that this process has looked at; it does not see what the golem of a script reads.
func seen(dir string) error {
	return filepath.WalkDir(dir, func(name string, _ fs.DirEntry, err error) error {
		if err == nil {
			_, err = os.Stat(name)
		}
		return err
	})
}

// waiters is how many parallel tests run on each processor. Most of their time they wait for
// processes and for servers.
const waiters = 2

// TestScripts runs testdata/script/*.txtar. The first comment of each says what
// it proves. golem has no terminal there, whoever runs the tests.
func TestScripts(t *testing.T) {
	t.Cleanup(func() {
		if t.Failed() {
			t.Log("UPDATE_SCRIPTS=1 go test ./cmd/cli -run TestScripts/NAME writes what cmp compares into testdata/script/NAME.txtar; read the difference before you commit it")
		}
	})
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("GOLEM_HOME", filepath.Join(env.WorkDir, "home", "golem"))
			env.Setenv("GORACE", os.Getenv("GORACE")) // without it each golem with the race detector sleeps for a second at its end
			for name, dir := range moduleDirs {
				full, err := filepath.Abs(dir)
				if err == nil {
					err = seen(full)
				}
				if err != nil {
					return err
				}
				env.Setenv(name, full)
			}
			for _, name := range []string{"GOLEM_MODEL", "GOLEM_PROJECT", "GOLEM_PATH", "GOLEM_APPROVAL", "NO_COLOR", "OPENAI_API_KEY"} {
				env.Setenv(name, "")
			}
			return nil
		},
		Condition: func(name string) (bool, error) {
			if name != "confines" {
				return false, fmt.Errorf("unknown condition %q", name)
			}
			return shell.Confines(), nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exit":         cmdExit,
			"wait-file":    cmdWaitFile,
			"mode":         cmdMode,
			"jsonlines":    cmdJSONLines,
			"extract":      cmdExtract,
			"count":        cmdCount,
			"wait-text":    cmdWaitText,
			"wait-gone":    cmdWaitGone,
			"serve":        cmdServe,
			"collector":    cmdCollector,
			"serve-public": cmdServePublic,
			"flip":         cmdFlip,
			"cut":          cmdCut,
			"gitrepo":      cmdGitRepo,
			"nowhere":      cmdNowhere,
		},
	})
}
