package core_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"golem/core"
	"golem/core/model"
	"golem/core/worktest"
)

// grading answers with the task, and as the grader with 1 for an answer that has an owl, else 0.5.
type grading struct{}

var _ model.HTTPDoer = grading{}

func (grading) Do(r *http.Request) (*http.Response, error) {
	var body struct {
		Messages []struct{ Role, Content string }
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		return nil, err
	}
	last := body.Messages[len(body.Messages)-1]
	answer := "I see: " + last.Content
	message := map[string]any{"role": "assistant", "content": answer}
	if strings.Contains(body.Messages[0].Content, "Judge the answer") {
		answer = `{"score": 0.5, "reason": "no owl"}`
		if strings.Contains(body.Messages[0].Content+body.Messages[1].Content, "I see: an owl") {
			answer = `{"score": 1, "reason": "an owl"}`
		}
	}
	finish := "stop"
	message["content"] = answer
	if last.Role == "user" && last.Content == "read the file" {
		finish, message["tool_calls"] = "tool_calls", []any{map[string]any{"id": "c1", "type": "function", "function": map[string]any{"name": "read_file", "arguments": `{"path":"/evals/files/m.txt"}`}}}
	}
	data, err := json.Marshal(map[string]any{
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": finish}},
		"usage":   map[string]int{"prompt_tokens": 1, "completion_tokens": 1},
	})
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(string(data)))}, err
}

// Evals of Agent Skills are cases as they are: golem's own worker grade judges them by what they
// expect in words, and their files lie where they say (SPEC §17).
func TestEvalsOfSkills(t *testing.T) {
	p, o, _ := testProject(t, map[string]string{
		"project.yaml": "entry: main\nmodel: page:m\n",
		"main.worker":  scribe,
		"skills/owls/evals/evals.json": "{\n\t\"skill_name\": \"owls\", \"extra\": 1,\n\t\"evals\": [\n" +
			"\t\t{\"id\": 1, \"prompt\": \"an owl\", \"expected_output\": \"a bird\", \"expectations\": [\"it is an owl\"]},\n" +
			"\t\t{\"id\": \"two\", \"name\": \"a mouse\", \"prompt\": \"a mouse\", \"assertions\": [\"it is an owl\"]},\n" +
			"\t\t{\"id\": 3, \"prompt\": \"nothing is expected\"},\n" +
			"\t\t{\"id\": 4, \"prompt\": \"half\", \"expected_output\": \"an owl\"},\n" +
			"\t\t{\"id\": 5, \"prompt\": \"read the file\", \"expected_output\": \"an owl\", \"files\": [\"evals/files/m.txt\"]}\n\t]\n}\n",
		"skills/owls/evals/files/m.txt": "an owl",
		".claude/skills/bad/evals/evals.json": "{\"evals\": [\n{\"id\": 1},\n{\"id\": 2, \"prompt\": \"x\", \"files\": [\"../../../../secret\"]},\n" +
			"{\"id\": 3, \"prompt\": \"x\"}, {\"id\": 3, \"prompt\": \"y\"},\n{\"id\": \"\\u202e\", \"prompt\": \"x\"}, {\"id\": 5, \"prompt\": \"x\", \"files\": [\".env\"]}, {\"id\": 6, \"prompt\": 7}]}",
		"evals/evals.json": "{\n\n\"evals\": [}",
	})
	p.Models = modelsOf("page:m", grading{})
	tests := testsOf(t, p, o)
	faults := tests.Faults.Error()
	for _, want := range []string{
		"evals/evals.json:3: E_CONFIG: the file is not JSON with evals", ".claude/skills/bad/evals/evals.json:2: E_CONFIG: the eval \"1\" has no prompt",
		`:3: E_CONFIG: the eval "2": "../../../../secret" is not a file of the skill`, ":4: E_CONFIG: two evals have the id", ":5: E_CONFIG: the eval ",
		`":.env" is not`[2:], "an eval is not as Agent Skills have it",
	} {
		if !strings.Contains(faults, want) {
			t.Errorf("no fault %s in:\n%s", want, faults)
		}
	}
	for _, how := range []core.TestRun{{Record: true, Live: liveProject{p, o}}, {}} {
		verdicts, err := tests.Run(t.Context(), how)
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"1: passed", "two a mouse: failed", "3: passed", "4: failed", "5: passed"}
		if len(verdicts) != len(want) {
			t.Fatalf("%d verdicts", len(verdicts))
		}
		for i, v := range verdicts {
			if got := v.Case + ": " + v.Status; got != want[i] || v.Line != i+4 {
				t.Errorf("got %s in line %d, want %s: %v %v", got, v.Line, want[i], v.Fault, v.Misses)
			}
		}
		if miss := verdicts[1].Misses; len(miss) != 1 || miss[0].Want != "at least 1" || miss[0].Got != "0.5: no owl" {
			t.Errorf("%+v", miss)
		}
	}
	if name := worktest.RecordingOf("skills/owls/evals/evals.json", "1", "", 0, true); !strings.HasPrefix(name, "tests/recordings/skills/owls/evals/evals/1-") {
		t.Error(name)
	}
}
