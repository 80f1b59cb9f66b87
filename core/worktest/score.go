package worktest

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"golem/core/fault"
	"golem/core/tool"
)

// JudgeInput returns what a judge is given: {input, output}, and of an eval what is expected of
// the output in words. Of any other case that is in the judge's own instructions.
func JudgeInput(c Case, got Outcome) json.RawMessage {
	data, err := json.Marshal(struct {
		Input        json.RawMessage `json:"input"`
		Output       json.RawMessage `json:"output"`
		Expected     string          `json:"expected,omitempty"`
		Expectations []string        `json:"expectations,omitempty"`
	}{c.Input.Raw(), ValueOf(got.Output), c.Expected, c.Expectations})
	if err != nil { // unreachable: both are JSON
		return json.RawMessage("{}")
	}
	return data
}

// Apply reads the score that a judge gave, and adds a Miss to the verdict if it is too low.
// An answer without a score from 0 to 1 is an error: the case cannot be judged.
func (j *Judge) Apply(answer tool.Output, v *Verdict) error {
	score, reason, ok := scoreOf(answer)
	if !ok {
		return fault.New(fault.OutputSchema, "the judge %s gave no score from 0 to 1: %s", j.Worker, fault.Quoted(brief(textOf(answer)))).
			Hinting("let it answer with a number, or with {score, reason}")
	}
	v.Score = &score
	if score < j.AtLeast {
		got := strconv.FormatFloat(score, 'g', -1, 64)
		if reason != "" {
			got += ": " + reason
		}
		v.Misses = append(v.Misses, Miss{"output.judge " + j.Worker, fmt.Sprintf("at least %g", j.AtLeast), brief(got)})
	}
	return nil
}

func scoreOf(answer tool.Output) (score float64, reason string, ok bool) {
	text := strings.TrimSpace(textOf(answer))
	var object struct {
		Score  *float64 `json:"score"`
		Reason string   `json:"reason"`
	}
	if json.Unmarshal([]byte(text), &object) == nil && object.Score != nil {
		score, reason, ok = *object.Score, object.Reason, true
	} else if value, err := strconv.ParseFloat(text, 64); err == nil {
		score, ok = value, true
	}
	return score, reason, ok && score >= 0 && score <= 1
}
