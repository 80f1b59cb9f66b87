package main

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// publicServers is the example whose MCP servers come from npm.
var publicServers = filepath.Join("..", "..", "examples", "mcp-servers")

// The example with three public MCP servers works as its README shows: the gate and the
// worker's rules decide about each call, the server stays in its directory, results are
// untrusted, and text, data, an image, progress, a resource and a prompt arrive.
func TestPublicServers(t *testing.T) {
	t.Parallel()
	p := newPublicProject(t)
	const approval, end = `"type":"approval".*"tool":"`, `"type":"tool.end".*"tool":"`
	run := p.run(t, "", "Sort out the meeting", "--trust")
	run.want(t, 3, "Nothing was written: nobody could be asked.",
		approval+`files__read_text_file","setting":"preApproved".*"decision":"run"`, approval+`files__write_file","setting":"ask".*"decision":"deny"`,
		`"code":"E_TRUST","message":"untrusted content from outside`, end+`files__write_file","status":"denied"`)
	if p.text("data/tasks.md") != "" || p.text("memory.jsonl") != "" {
		t.Error("a run without a yes wrote something")
	}
	run = p.run(t, "", "Sort out the meeting", "--trust", "--approve-all")
	run.want(t, 0, "The tasks are in data/tasks.md. I remember Ada and Bo.",
		end+`files__read_text_file","status":"error".*E_TOOL.*Access denied - path outside allowed directories`,
		approval+`files__move_file","setting":"blocked".*"decision":"deny"`, end+`files__move_file","status":"denied"`,
		approval+`files__write_file","setting":"ask","rule":"risk command","source":"mode","decision":"run"`, end+`files__write_file","status":"ok"`,
		end+`memory__create_entities","status":"ok"`, end+`memory__read_graph","status":"ok","result":{"entities":\[{"entityType":"person","name":"Ada","observations":\["repairs the roof"`)
	if p.text("data/tasks.md") != "Ada: repairs the roof\nBo: buys oak boards\n" || p.text("data/old.md") != "" || !strings.Contains(p.text("memory.jsonl"), "buys oak boards") {
		t.Errorf("%q %q", p.text("data/tasks.md"), p.text("memory.jsonl"))
	}
	run = p.run(t, "/tour.worker", "Go", "--trust", "--approve-all")
	run.want(t, 0, "with data and with an image",
		end+`tour__echo","status":"ok","result":"Echo: hello"`, end+`tour__get-structured-content","status":"ok","result":{"conditions":`,
		end+`tour__get-tiny-image","status":"ok".*"mimeType":"image/png"`, end+`tour__trigger-long-running-operation","status":"ok"`,
		end+`read_resource","status":"ok".*# Everything Server`, end+`get_prompt","status":"ok","result":"What's weather in Oslo\?"`)
	for _, line := range []string{"operation: 1 of 2", "operation: 2 of 2", "[image: image/png"} {
		if !strings.Contains(run.said, line) {
			t.Errorf("a person is not shown %q:\n%s", line, run.said)
		}
	}
}

// publicProject is a copy of the example, with the packages of the original.
type publicProject struct {
	dir, readme string
}

func newPublicProject(t *testing.T) publicProject {
	t.Helper()
	lock, err := os.ReadFile(filepath.Join(publicServers, "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	modules, err := filepath.Abs(filepath.Join(publicServers, "node_modules"))
	if err != nil {
		t.Fatal(err)
	}
	if from, err := os.ReadFile(filepath.Join(modules, ".package-lock.from")); err != nil || !bytes.Equal(from, lock) {
		t.Fatal("the packages of examples/mcp-servers are not installed, or others than its lock file names: make test installs them")
	}
	p := publicProject{dir: t.TempDir()}
	example := os.DirFS(publicServers)
	err = fs.WalkDir(example, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == "node_modules" {
			return cmp.Or[error](err, fs.SkipDir)
		}
		to := filepath.Join(p.dir, "examples", "mcp-servers", filepath.FromSlash(name))
		if d.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		data, err := fs.ReadFile(example, name)
		if name == "README.md" {
			p.readme = string(data)
		}
		return errors.Join(err, os.WriteFile(to, data, 0o644))
	})
	if err := errors.Join(err, os.Symlink(modules, filepath.Join(p.dir, "examples", "mcp-servers", "node_modules"))); err != nil {
		t.Fatal(err)
	}
	return p
}

// text returns the content of a file of the project; "" if it does not exist.
func (p publicProject) text(name string) string {
	data, err := os.ReadFile(filepath.Join(p.dir, "examples", "mcp-servers", name))
	if err != nil {
		return ""
	}
	return string(data)
}

// publicRun is the result of a run.
type publicRun struct {
	exit                int
	answer, said, trace string // standard output, standard error, the trace's lines
}

// want checks the exit code, the answer and lines of the trace.
func (r publicRun) want(t *testing.T, exit int, answer string, lines ...string) {
	t.Helper()
	if r.exit != exit || !strings.Contains(r.answer, answer) {
		t.Errorf("exit %d, want %d: %s\n%s", r.exit, exit, r.answer, r.said)
	}
	for _, line := range lines {
		if !regexp.MustCompile(line).MatchString(r.trace) {
			t.Errorf("no line of the trace has %s:\n%s", line, r.trace)
		}
	}
}

// run runs a command of the example's README, without a person.
func (p publicProject) run(t *testing.T, target, input string, flags ...string) publicRun {
	t.Helper()
	words := append([]string{"run", "examples/mcp-servers" + target, input}, flags...)
	words = append(words, "--model", "script:examples/mcp-servers/script.yaml")
	if line := "\ngolem " + strings.Replace(strings.Join(words, " "), input, `"`+input+`"`, 1) + "\n"; !strings.Contains(p.readme, line) {
		t.Errorf("the README of the example lacks the line %q", line)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "trace.jsonl")
	cmd := exec.Command(exe, append(words, "--trace", file)...)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), asGolem+"=1", "GOLEM_HOME="+homeOf(p.dir), "GOLEM_PROJECT=", "GOLEM_MODEL=", "GOLEM_APPROVAL=", "GOLEM_TRUST=",
		"MEMORY_FILE_PATH="+filepath.Join(p.dir, "examples", "mcp-servers", "memory.jsonl"))
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	trace, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	return publicRun{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String(), string(trace)}
}
