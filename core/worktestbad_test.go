package core_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golem/core"
	"golem/core/worktest"
)

// A case that never ends is stopped after a minute, with the others judged beside it.
func TestACaseThatNeverEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		before := time.Now()
		got, verdicts := verdictsOf(t, map[string]string{
			"main.worker":  scribe,
			"s.yaml":       "script: 1\nworkers:\n  main:\n    - when: {text: hang}\n      hang: true\n    - say: done\n",
			"tests/a.yaml": "test: 1\nmodel: script:s.yaml\ncases:\n  - {name: hangs, input: hang}\n  - {name: ends, input: end, expect: {output: {equals: done}}}\n",
		}, core.TestRun{})
		if v := verdicts[0]; v.Status == worktest.Passed || !strings.Contains(got, "did not end within 1m0s") {
			t.Errorf("a case that never ends: %s", got)
		}
		if verdicts[1].Status != worktest.Passed {
			t.Errorf("the case beside it: %s", got)
		}
		if took := time.Since(before); took > 2*time.Minute {
			t.Errorf("the tests took %v", took)
		}
	})
}
