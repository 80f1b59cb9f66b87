package core_test

import (
	"strings"
	"testing"

	"golem/core"
	"golem/core/worktest"
)

// A recording that no later run of the tests would read is refused before the first request,
// with the key to write; all others are read.
func TestNothingIsRecordedThatNobodyReads(t *testing.T) {
	tests := []struct {
		name, keys string // of the file of tests
		how        core.TestRun
		want       string // part of the error; "": it records, and the tests then pass on recordings
	}{
		{"two models", "", core.TestRun{Models: []string{"page:m", "page:n"}}, `tests/a.yaml: E_USAGE: golem test would not read recordings of 2 models, because the file does not name them (write model: [page:m, page:n] into the file)`},
		{"a model that the list has not", "model: [page:m, page:n]\n", core.TestRun{Models: []string{"page:o"}}, `would not read a recording of page:o, because the file names other models (add it to model: in the file)`},
		{"a model of the list", "model: [page:m, page:n]\n", core.TestRun{Models: []string{"page:m"}}, ""},
		{"another model", "model: page:n\n", core.TestRun{Models: []string{"page:m"}}, ""},
		{"the models of the file", "model: [page:m, replay, page:n]\n", core.TestRun{}, ""},
		{"samples", "", core.TestRun{Samples: 3}, `would not read the recordings of 3 samples, because the file has 1 (write samples: 3 into the file)`},
		{"more samples", "samples: 2\n", core.TestRun{Samples: 3}, `because the file has 2 (write samples: 3`},
		{"fewer samples", "samples: 2\n", core.TestRun{Samples: 1}, ""},
		{"samples of the file", "samples: 2\n", core.TestRun{}, ""},
		{"a script", "", core.TestRun{Models: []string{"script:s.yaml"}}, `E_USAGE: the answers of script:s.yaml come from a script, so there is nothing to record (name a real model)`},
		{"a file with a script", "model: script:s.yaml\n", core.TestRun{}, `tests/a.yaml: E_USAGE: the answers of the cases come from script:s.yaml, so there is nothing to record (remove model: from the file)`},
		{"a model for a file with a script", "model: script:s.yaml\n", core.TestRun{Models: []string{"page:m"}}, `would not read a recording, because the answers of the cases come from script:s.yaml (remove model: from the file)`},
	}
	for _, one := range tests {
		t.Run(one.name, func(t *testing.T) {
			lent := &lentModel{}
			p, o, _ := testProject(t, map[string]string{
				"main.worker": strings.Replace(scribe, "---\n", "---\nmodel: page:m\n", 1), "s.yaml": "script: 1\nworkers: {main: [{say: ok}]}\n",
				"tests/a.yaml": "test: 1\n" + one.keys + "cases: [{name: a, input: x}]\n",
			})
			p.Models = modelsOf("page:m", lent)
			p.Models["page:n"], p.Models["page:o"] = lent, lent
			one.how.Record, one.how.Live = true, liveProject{p, o}
			_, err := testsOf(t, p, o).Run(t.Context(), one.how)
			if one.want != "" {
				if err == nil || !strings.Contains(err.Error(), one.want) || lent.requests.Load() > 0 {
					t.Errorf("after %d requests: %v\nwant %s", lent.requests.Load(), err, one.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			verdicts, err := testsOf(t, p, o).Run(t.Context(), core.TestRun{})
			passed := 0
			for _, v := range verdicts {
				if v.Status == worktest.Passed {
					passed++
				}
			}
			if err != nil || int64(passed) != lent.requests.Load() {
				t.Errorf("%d requests, and then %d passed: %v %v", lent.requests.Load(), passed, verdicts, err)
			}
		})
	}
}

// A script beside recorded cases is named, because nothing is recorded of it.
func TestScriptsAreNamedWhenTheRestIsRecorded(t *testing.T) {
	p, o, _ := testProject(t, map[string]string{
		"main.worker": scribe, "s.yaml": "script: 1\nworkers: {main: [{say: ok}]}\n",
		"tests/a.yaml": "test: 1\nmodel: page:m\ncases: [{name: a, input: x}]\n",
		"tests/b.yaml": "test: 1\nmodel: script:s.yaml\ncases: [{name: a, input: x}]\n",
	})
	p.Models = modelsOf("page:m", &lentModel{})
	tests := testsOf(t, p, o)
	how := core.TestRun{Record: true, Live: liveProject{p, o}}
	verdicts, err := tests.Run(t.Context(), how)
	if err != nil || len(verdicts) != 2 || verdicts[0].Recorded == "" || verdicts[1].Recorded != "" {
		t.Fatal(verdicts, err)
	}
	want := "tests/b.yaml: E_USAGE: warning: the answers of the cases come from script:s.yaml, so nothing was recorded"
	if got := tests.Warnings(t.Context(), how); len(got) != 1 || !strings.HasPrefix(got[0].Error(), want) {
		t.Errorf("warnings: %v", got)
	}
}

// A file whose recordings not every system can store is refused before the first request.
func TestRecordingsHaveNamesThatEverySystemCanStore(t *testing.T) {
	lent := &lentModel{}
	p, o, _ := testProject(t, map[string]string{"main.worker": scribe})
	p.Models = modelsOf("page:m", lent)
	tests := testsOf(t, p, o)
	tests.Files = []worktest.File{{Path: "tests/con.yaml", Models: []string{"page:m"}, Samples: 1, Cases: []worktest.Case{{Name: "a", Input: worktest.Input{Text: "x"}}}}}
	_, err := tests.Run(t.Context(), core.TestRun{Record: true, Live: liveProject{p, o}})
	want := "tests/con.yaml: E_PATH: no recording can have the name of this file: "
	if err == nil || !strings.Contains(err.Error(), want) || !strings.HasSuffix(err.Error(), "CON is a device on Windows (rename the file)") || lent.requests.Load() > 0 {
		t.Errorf("%v", err)
	}
}
