//go:build unix

// Package faults proves that golem batch loses and doubles nothing: it runs a batch, kills golem
// at random until the batch is done, and compares its results and files with those of a run that
// nobody disturbed. It answers in the place of a model and counts what it is asked.
package faults

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golem/core/batch"
	"golem/core/state"
	"golem/sandbox/osfs"
)

// Plan says what is played.
type Plan struct {
	Golem    string   // the program
	Env      []string // variables for it, in addition
	Dir      string   // an empty directory
	Items    int
	Turns    int // model requests of each item
	Kills    int
	Jobs     int           // --jobs
	Alive    time.Duration // how long golem lives at most, once it asks
	Delay    time.Duration // how long an answer takes
	Large    int           // bytes of a file that each item writes
	Staged   bool          // out/ of the project waits for a person
	Machines int           // how many golem workers run the batch of the case machines
	Remote   bool          // the batch runs on other machines, where nobody answers
	In, Out  int           // tokens of a request; 0: 10 and 2
	// Config is golem's config.yaml, Storm how long the provider refuses, and Scales are the
	// numbers of items of the case scale.
	Config string
	Storm  time.Duration
	Scales []int
	Seed   uint64 // of the random times
	clocks clocksOff
}

// Report is what became of it.
type Report struct {
	Kills    int
	Lost     int // items without a result
	Doubled  int // items with two results
	Failed   int // results that are not ok
	Requests int
	Twice    int      // requests that were made again
	Differs  []string // results and files that are not as they were undisturbed
	Took     time.Duration
}

// Good reports whether nothing was lost, doubled or changed, and not more was asked again than
// was under way.
func (r Report) Good(p Plan) bool {
	return r.Lost+r.Doubled+r.Failed+len(r.Differs) == 0 && r.Twice <= r.Kills*p.Jobs
}

// Text returns the report as one line.
func (r Report) Text(p Plan) string {
	verdict := "good"
	if !r.Good(p) {
		verdict = "BAD: " + strings.Join(r.Differs[:min(len(r.Differs), 5)], ", ")
	}
	return fmt.Sprintf("%d items × %d turns, %d jobs, %d kills: lost %d, doubled %d, failed %d, asked twice %d of %d (at most %d), files that differ %d, %s: %s\n",
		p.Items, p.Turns, p.Jobs, r.Kills, r.Lost, r.Doubled, r.Failed, r.Twice, r.Requests, r.Kills*p.Jobs, len(r.Differs), r.Took.Round(time.Second), verdict)
}

// Play runs the batch undisturbed and with kills, and compares.
func (p Plan) Play() (r Report, err error) {
	model, err := p.calm()
	if err != nil {
		return r, err
	}
	defer model.close()
	began := time.Now()
	random := rand.New(rand.NewPCG(p.Seed, 0))
	for {
		done, err := p.disturbed(model, random, r.Kills < p.Kills)
		if err != nil {
			return r, err
		}
		if done {
			break
		}
		r.Kills++
	}
	r.Took = time.Since(began)
	r.Requests, r.Twice = model.counts()
	return r, p.compare(&r)
}

// calm writes the project and runs the batch undisturbed. The caller closes the model.
func (p Plan) calm() (*model, error) {
	if err := p.write(); err != nil {
		return nil, err
	}
	m := newModel(p)
	if err := p.run(m, calmBatch).Run(); err != nil {
		m.close()
		return nil, fmt.Errorf("the undisturbed batch: %w", err)
	}
	m.forget()
	return m, nil
}

// The names of the batches.
const (
	calmBatch = "calm"
	hardBatch = "killed"
)

// write writes the project and the inputs.
func (p Plan) write() error {
	var inputs bytes.Buffer
	for n := range p.Items {
		fmt.Fprintf(&inputs, "{\"id\": \"item-%d\"}\n", n)
	}
	worker := "---\nmodel: openai:mock\ntoolsets: {filesystem: {}}\nlimits: {turns: 100}\n---\nDo as you are told.\n"
	switch {
	case p.Staged:
		worker = stagedWorker
	case p.Remote:
		worker = machinesWorker
	}
	for name, text := range map[string]string{
		"p/main.worker":           worker,
		"p/out/.keep":             "",
		"p/log.txt":               "begin\n",
		"p/dir0/a.txt":            "a\n",
		"p/dir0/b/c.md":           "c\n",
		"in.jsonl":                inputs.String(),
		"home/.golem/config.yaml": p.Config,
	} {
		name = filepath.Join(p.Dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// run returns the command of the batch, with more words.
func (p Plan) run(m *model, name string, more ...string) *exec.Cmd {
	cmd := p.command(append([]string{"batch", "p", "--inputs", "in.jsonl", "--key", "id", "--name", name, "--approve-all", "--jobs", fmt.Sprint(p.Jobs), "--quiet"}, more...)...)
	cmd.Env = append(cmd.Env, "OPENAI_BASE_URL="+m.url, "OPENAI_API_KEY=mock-key-of-no-use")
	return cmd
}

// command returns a command of golem.
func (p Plan) command(words ...string) *exec.Cmd {
	cmd := exec.Command(p.Golem, words...)
	cmd.Dir = p.Dir
	cmd.Env = append([]string{"HOME=" + filepath.Join(p.Dir, "home"), "PATH=" + os.Getenv("PATH"), "NO_COLOR=1"}, p.Env...)
	cmd.Stderr = os.Stderr
	return cmd
}

// disturbed runs the batch and, if kill is true, kills it some time after it first asked. done
// says that it came to its end.
func (p Plan) disturbed(m *model, random *rand.Rand, kill bool) (done bool, err error) {
	cmd := p.run(m, hardBatch)
	cmd.Stderr = nil
	before, _ := m.counts()
	if err := cmd.Start(); err != nil {
		return false, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	if kill {
		for asked := false; !asked; {
			select {
			case err := <-ended:
				return true, err
			case <-time.After(time.Millisecond):
				now, _ := m.counts()
				asked = now > before
			}
		}
		select {
		case err := <-ended:
			return true, err
		case <-time.After(time.Duration(random.Int64N(int64(p.Alive)))):
		}
		for !m.progresses() || p.suspects() {
			select {
			case err := <-ended:
				return true, err
			case <-time.After(time.Millisecond):
			}
		}
		_ = cmd.Process.Kill() // it may have ended meanwhile
	}
	err = <-ended
	exit := new(exec.ExitError)
	switch {
	case errors.As(err, &exit) && !exit.Exited():
		m.died()
		return false, nil
	case errors.As(err, &exit) && exit.ExitCode() == 1: // items failed: the report says how many
		return true, nil
	}
	return true, err
}

// suspects reports whether golem works on an item that ends as one that kills it, if it is killed
// now: also before the item's first request, and while its last answer is written.
func (p Plan) suspects() bool {
	files, err := osfs.Open(filepath.Join(p.Dir, "home", ".golem", "batches", hardBatch))
	if err != nil {
		return false // it did not begin
	}
	l, err := batch.ReadLocal(&state.Store{Files: files})
	return err == nil && batch.Suspects(l) > 0
}

// result is a line of results.jsonl.
type result struct {
	Item   string          `json:"item"`
	Status string          `json:"status"`
	Output json.RawMessage `json:"output"`
	Error  json.RawMessage `json:"error"`
	Files  []string        `json:"files"`
}

// compare compares results and files of both batches.
func (p Plan) compare(r *Report) error {
	calm, err := p.results(calmBatch)
	if err != nil {
		return err
	}
	killed, err := p.results(hardBatch)
	if err != nil {
		return err
	}
	seen := map[string]int{}
	for n, one := range killed {
		seen[one.Item]++
		if one.Status != "ok" {
			r.Failed++
			r.Differs = append(r.Differs, fmt.Sprintf("%s is %s %s", one.Item, one.Status, one.Error))
		}
		if n < len(calm) && (one.Item != calm[n].Item || !bytes.Equal(one.Output, calm[n].Output)) {
			r.Differs = append(r.Differs, "the result of "+one.Item)
		}
	}
	for n := range p.Items {
		if seen[fmt.Sprintf("item-%d", n)] == 0 {
			r.Lost++
		}
	}
	if r.Doubled, err = p.doubled(); err != nil {
		return err
	}
	for _, way := range [][2]string{{calmBatch + ".out", hardBatch + ".out"}, {hardBatch + ".out", calmBatch + ".out"}} {
		if err := p.differ(way[0], way[1], r); err != nil {
			return err
		}
	}
	return nil
}

func (p Plan) results(name string) (out []result, err error) {
	data, err := os.ReadFile(filepath.Join(p.Dir, name+".out", "results.jsonl"))
	for line := range bytes.Lines(data) {
		var one result
		if err := json.Unmarshal(line, &one); err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, err
}

// doubled counts the items whose end was written more than once.
func (p Plan) doubled() (n int, err error) {
	files, err := filepath.Glob(filepath.Join(p.Dir, "home", ".golem", "batches", hardBatch, "*.marks.jsonl"))
	if err != nil {
		return 0, err
	}
	ends := map[int]int{}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			return 0, err
		}
		for line := range bytes.Lines(data) {
			var mark struct {
				N      int    `json:"n"`
				Status string `json:"status"`
			}
			if json.Unmarshal(line, &mark) == nil && mark.Status == "ok" {
				ends[mark.N]++
			}
		}
	}
	for _, times := range ends {
		if times > 1 {
			n++
		}
	}
	return n, nil
}

// differ notes the files of one directory that another does not have with the same bytes. The
// summary has times.
func (p Plan) differ(from, to string, r *Report) error {
	root := filepath.Join(p.Dir, from)
	return filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil || rel == "results.jsonl" || rel == "summary.json" {
			return err
		}
		one, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if other, err := os.ReadFile(filepath.Join(p.Dir, to, rel)); err != nil || !bytes.Equal(one, other) {
			r.Differs = append(r.Differs, rel)
		}
		return nil
	})
}
