package worktest_test

import (
	"testing"

	"golem/core/tool"
	"golem/core/worktest"
)

// In a file of tests a person reads the input and the answer as they are.
func TestTextsOfCasesAreReadable(t *testing.T) {
	const text = "'quotes' & <tags>\nsecond \"line\""
	const want = `"'quotes' & <tags>\nsecond \"line\""`
	if got := (worktest.Input{Text: text}).Raw(); string(got) != want {
		t.Errorf("an input is %s", got)
	}
	if got := worktest.ValueOf(tool.Output{Text: text}); string(got) != want {
		t.Errorf("an answer is %s", got)
	}
}
