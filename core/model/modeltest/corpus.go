// Package modeltest has what providers answer and what they refuse: for each row of the
// provider table, the stream of one answer of each kind, the request that golem sends,
// and a check that refuses what the real provider refuses. It does not import package
// model, so that the tests of every platform can use it.
package modeltest

import (
	"bufio"
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

//go:embed providers
var files embed.FS

// Kinds are the kinds of answers: tags is reasoning in tags before the text, halves a
// character whose surrogates come in two pieces, empty an end without an answer, image
// the refusal of an image. Of each kind a provider has an answer in the corpus,
// or its file says that it has none.
var Kinds = []string{"text", "calls", "reasoning", "refusal", "filter", "length", "error", "broken", "tags", "halves", "empty", "image"}

// Models has one model of each provider: one for which the provider is strict about requests.
var Models = map[string]string{
	"openai": "gpt-5-mini", "anthropic": "claude-sonnet-5", "google": "gemini-3-pro", "openrouter": "anthropic/claude-sonnet-5", "groq": "llama-4",
	"mistral": "mistral-large-latest", "deepseek": "deepseek-reasoner", "together": "meta-llama/Llama-4", "xai": "grok-4", "azure": "gpt-4o",
	"cerebras": "gpt-oss-120b", "moonshot": "kimi-k2.5", "zai": "glm-5", "perplexity": "sonar-pro", "huggingface": "openai/gpt-oss-120b",
	"vercel": "openai/gpt-5-mini", "ollama": "qwen3", "lmstudio": "qwen3",
}

// Provider is one row of the corpus.
type Provider struct {
	Name    string
	Answers []Answer // in the order of Kinds
	None    []string // kinds that the provider does not have
	Request string   // the corpus' request as golem sends it to the provider, see Sent
}

// Answer is one HTTP answer, and what golem must make of it.
type Answer struct {
	Kind   string
	Status int
	Header http.Header
	Body   string
	Want   Want
}

// Want is what golem makes of an answer: a turn, or an error.
type Want struct {
	Text   string          `json:"text,omitempty"`
	Calls  []Call          `json:"calls,omitempty"`
	Finish string          `json:"finish,omitempty"`
	In     int             `json:"in,omitempty"`
	Cached int             `json:"cached,omitempty"`
	Out    int             `json:"out,omitempty"`
	Kept   json.RawMessage `json:"kept,omitempty"` // what goes back with the history
	// Reasoning is the reasoning that a person is shown, and Reasoned how many tokens it had.
	Reasoning string `json:"reasoning,omitempty"`
	Reasoned  int    `json:"reasoned,omitempty"`
	Error     string `json:"error,omitempty"`
	Retry     bool   `json:"retry,omitempty"` // another attempt can help
}

// Call is a tool call. Invalid says why it must not run.
type Call struct {
	Name    string `json:"name"`
	Args    string `json:"args"`
	Invalid string `json:"invalid,omitempty"`
}

// Corpus returns the whole corpus, in the order of the providers' names.
func Corpus() ([]Provider, error) {
	entries, err := fs.ReadDir(files, "providers")
	if err != nil {
		return nil, err
	}
	var all []Provider
	for _, e := range entries {
		data, err := files.ReadFile(path.Join("providers", e.Name()))
		if err != nil {
			return nil, err
		}
		p, err := parse(strings.TrimSuffix(e.Name(), ".txtar"), txtar.Parse(data))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name(), err)
		}
		all = append(all, p)
	}
	return all, nil
}

func parse(name string, a *txtar.Archive) (Provider, error) {
	p := Provider{Name: name}
	for line := range strings.Lines(string(a.Comment)) {
		if none, ok := strings.CutPrefix(line, "none: "); ok {
			p.None = strings.Fields(none)
		}
	}
	for _, f := range a.Files {
		kind, want := strings.CutPrefix(f.Name, "want/")
		at := slices.IndexFunc(p.Answers, func(a Answer) bool { return a.Kind == kind })
		switch {
		case f.Name == "request":
			p.Request = string(f.Data)
		case want && at >= 0:
			if len(f.Data) > 0 {
				if err := json.Unmarshal(f.Data, &p.Answers[at].Want); err != nil {
					return p, fmt.Errorf("%s: %w", f.Name, err)
				}
			}
		case !want && at < 0 && slices.Contains(Kinds, kind):
			one, err := answer(f.Data)
			if err != nil {
				return p, fmt.Errorf("%s: %w", f.Name, err)
			}
			one.Kind = kind
			p.Answers = append(p.Answers, one)
		default:
			return p, fmt.Errorf("unknown file %s: expected request, a kind, or want/KIND after the kind", f.Name)
		}
	}
	return p, nil
}

// answer reads an answer: a stream of events, or, after a line such as "HTTP 400",
// header lines, an empty line and a body.
func answer(data []byte) (Answer, error) {
	a := Answer{Status: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: string(data)}
	if !bytes.HasPrefix(data, []byte("HTTP ")) {
		return a, nil
	}
	in := bufio.NewReader(bytes.NewReader(data))
	line, err := in.ReadString('\n')
	if err != nil {
		return a, err
	}
	if a.Status, err = strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(line, "HTTP "))); err != nil {
		return a, err
	}
	for {
		line, err := in.ReadString('\n')
		if line = strings.TrimSpace(line); line == "" || err != nil {
			break
		}
		name, value, _ := strings.Cut(line, ":")
		a.Header.Set(name, strings.TrimSpace(value))
	}
	rest, err := io.ReadAll(in)
	a.Body = string(rest)
	return a, err
}

// Events returns the answer's body in pieces of one event each; in one piece if it is
// not a stream.
func (a Answer) Events() []string {
	if a.Header.Get("Content-Type") != "text/event-stream" {
		return []string{a.Body}
	}
	return strings.SplitAfter(strings.TrimSuffix(a.Body, "\n\n")+"\n\n", "\n\n")[:strings.Count(strings.TrimSuffix(a.Body, "\n\n"), "\n\n")+1]
}

// Sent returns a request in the form of the corpus: address, headers that matter, body.
func Sent(r *http.Request, body []byte) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", r.Method, r.URL)
	for _, name := range []string{"Authorization", "X-Api-Key", "Api-Key", "Anthropic-Version", "Anthropic-Dangerous-Direct-Browser-Access", "Content-Type"} {
		if v := r.Header.Get(name); v != "" {
			fmt.Fprintf(&b, "%s: %s\n", name, v)
		}
	}
	b.WriteString("\n")
	var pretty bytes.Buffer
	if json.Indent(&pretty, body, "", " ") != nil {
		pretty.Write(body)
	}
	return b.String() + pretty.String() + "\n"
}
