package config

import (
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/yamltree"
)

// families has, for each provider, the beginnings of its models' names, to find the
// provider of a name that was given without one.
var families = []struct{ provider, begins string }{
	{"openai", "gpt chatgpt o1 o3 o4 codex"}, {"anthropic", "claude"}, {"google", "gemini"}, {"mistral", "mistral codestral ministral magistral"},
	{"deepseek", "deepseek"}, {"xai", "grok"}, {"perplexity", "sonar"}, {"moonshot", "kimi"}, {"zai", "glm"},
	{"ollama", "llama qwen gemma phi"},
}

// OtherProviders are what other tools call a provider.
var OtherProviders = map[string]string{
	"google-gla": "google", "google-vertex": "google", "gemini": "google", "openai-chat": "openai", "openai-responses": "openai", "grok": "xai", "togetherai": "together",
}

// knownProviders are those of golem's table (SPEC §10), core/model/rows.go.
const knownProviders = "openai anthropic google openrouter groq mistral deepseek together xai azure cerebras moonshot zai perplexity huggingface vercel ollama lmstudio"

// ModelName returns a model's name as golem writes it, provider:name, if the given name
// can mean only one: provider/name, another tool's name for a provider, or a model
// family that one provider has. It returns "" if that would be a guess.
func ModelName(name string) string {
	provider, rest, ok := strings.Cut(name, ":")
	if !ok {
		hint, found := strings.CutPrefix(ModelHint(name), "did you mean ")
		if provider, rest, ok = strings.Cut(hint, ":"); !found || !ok || provider == "ollama" && !strings.HasPrefix(name, "ollama/") {
			return ""
		}
	} else if OtherProviders[provider] == "" {
		return ""
	}
	if ours := OtherProviders[provider]; ours != "" {
		provider = ours
	}
	if rest == "" || !slices.Contains(strings.Fields(knownProviders), provider) {
		return ""
	}
	return provider + ":" + rest
}

// ModelHint returns what to write instead of a name that is not provider:name.
func ModelHint(name string) string {
	if yamltree.NameProblem(name) == "" {
		if provider, rest, ok := strings.Cut(name, "/"); ok && provider != "" && rest != "" && !strings.ContainsAny(name, ":.") {
			return "did you mean " + fault.Brief(provider+":"+rest)
		}
		for _, f := range families {
			for _, begin := range strings.Fields(f.begins) {
				if strings.HasPrefix(strings.ToLower(name), begin) && !strings.Contains(name, ":") {
					return "did you mean " + fault.Brief(f.provider+":"+name)
				}
			}
		}
	}
	return "write provider:name, for example openai:gpt-5-mini"
}

// modelsShape returns the shape of one model, or of a list of models in the order in
// which they are used: the next one if one is overloaded or gone.
func modelsShape() *yamltree.Shape {
	s := yamltree.ListOf(modelShape())
	s.Needed, s.Want, s.Or = true, "a model or a list of models", []string{`{"type": "string"}`}
	s.Rewrite = func(_ *yamltree.Conformer, n *yamltree.Node, _ string) *yamltree.Node {
		if n.Kind == yamltree.Scalar {
			return &yamltree.Node{Pos: n.Pos, Kind: yamltree.List, Items: []*yamltree.Node{n}}
		}
		return n
	}
	return named("models", s)
}

func modelShape() *yamltree.Shape {
	return inJSON(`{"type": "string"}`, yamltree.ScalarOf("text", func(n *yamltree.Node) (string, string) {
		if n.Tag != yamltree.TagText {
			return yamltree.Expected("text", n)
		}
		if problem := ModelProblem(n.Text); problem != "" {
			return problem, ModelHint(n.Text)
		}
		return "", ""
	}))
}
