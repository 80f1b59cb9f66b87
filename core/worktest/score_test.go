package worktest

import (
	"errors"
	"testing"

	"golem/core/fault"
	"golem/core/tool"
)

// A judge that answers something else than a score makes the case not judged; it is neither
// green nor red.
func TestScores(t *testing.T) {
	for answer, want := range map[string]float64{"0.5": 0.5, " 1\n": 1, "0": 0, `{"score": 0.75, "reason": "good"}`: 0.75, `{"score": 1e0, "more": []}`: 1} {
		var v Verdict
		if err := (&Judge{Worker: "j", AtLeast: 0.6}).Apply(tool.Output{Text: answer}, &v); err != nil || v.Score == nil || *v.Score != want || (len(v.Misses) > 0) != (want < 0.6) {
			t.Errorf("%s: %v %v %v", answer, v.Score, v.Misses, err)
		}
	}
	for _, answer := range []string{
		"", "great!", "0.9 of 1", "2", "-0.1", "NaN", "Inf", "1e400", "null", "[0.5]", "true", `"0.9"`, `{"score": "0.9"}`, `{"score": null}`, `{"score": 1.01}`, `{"Score": {}}`,
		`{"reason": "good"}`, `{"score": 0.5`, "\x1b[2J",
	} {
		var v Verdict
		err := (&Judge{Worker: "j", AtLeast: 0.6}).Apply(tool.Output{Text: answer}, &v)
		if !errors.Is(err, fault.OutputSchema) || v.Score != nil || len(v.Misses) > 0 {
			t.Errorf("%q: %v %v %v", answer, v.Score, v.Misses, err)
		}
		if v.Settle(err); v.Status != NotJudged {
			t.Errorf("%q: the case is %s", answer, v.Status)
		}
	}
}
