package openaiserve

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// recorded are requests as clients send them: the path, the request, and what the answer has.
//
//go:embed testdata/requests
var recorded embed.FS

// The requests that OpenAI's own SDKs and other clients send are understood: messages of all
// roles, parts, files, and parameters that have no effect, which a header names. What no worker
// does is refused with the reason.
func TestRequests(t *testing.T) {
	base := site(t, workers())
	names, err := fs.Glob(recorded, "testdata/requests/*.txtar")
	if err != nil || len(names) < 20 {
		t.Fatalf("%v, %d requests", err, len(names))
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(path.Base(name), ".txtar"), func(t *testing.T) {
			data, err := recorded.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			a := txtar.Parse(data)
			if len(a.Files) != 2 {
				t.Fatalf("%d files", len(a.Files))
			}
			res, body := ask(t, base, "/"+strings.TrimSuffix(a.Files[0].Name, ".json"), string(a.Files[0].Data))
			if got, want := described(t, res, body), strings.TrimSpace(string(a.Files[1].Data)); got != want {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

// described returns the status, what was ignored, and the text or the error of an answer.
func described(t *testing.T, res *http.Response, body string) string {
	t.Helper()
	out := fmt.Sprint(res.StatusCode)
	if ignored := res.Header.Get("X-Golem-Ignored"); ignored != "" {
		out += "\nignored: " + ignored
	}
	if strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		var text string
		for line := range strings.Lines(body) {
			var chunk struct {
				Type, Delta string
				Choices     []struct{ Delta struct{ Content string } }
			}
			var part struct {
				Choices []struct{ Delta struct{ Content string } }
				Delta   json.RawMessage
			}
			data, is := strings.CutPrefix(line, "data: ")
			if !is || json.Unmarshal([]byte(data), &part) != nil {
				continue
			}
			_ = json.Unmarshal(part.Delta, &chunk.Delta) // absent in chat completions
			text += chunk.Delta
			for _, one := range part.Choices {
				text += one.Delta.Content
			}
		}
		return out + "\n" + text
	}
	var got struct {
		Choices []struct{ Message struct{ Content string } }
		Output  []struct{ Content []struct{ Text string } }
		Error   *errorObject
	}
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	switch {
	case got.Error != nil:
		param := "-"
		if got.Error.Param != nil {
			param = *got.Error.Param
		}
		return out + "\n" + param + ": " + got.Error.Message
	case len(got.Choices) == 1:
		return out + "\n" + got.Choices[0].Message.Content
	case len(got.Output) == 1 && len(got.Output[0].Content) == 1:
		return out + "\n" + got.Output[0].Content[0].Text
	}
	t.Fatalf("neither an answer nor an error: %s", body)
	return ""
}
