package project

import "strings"

// families are how the models of a provider begin, for a name that was given
// without it.
var families = []struct{ provider, begins string }{
	{"openai", "gpt chatgpt o1 o3 o4 codex"}, {"anthropic", "claude"}, {"google", "gemini"}, {"mistral", "mistral codestral ministral magistral"},
	{"deepseek", "deepseek"}, {"xai", "grok"}, {"perplexity", "sonar"}, {"moonshot", "kimi"}, {"zai", "glm"},
	{"ollama", "llama qwen gemma phi"},
}

// modelHint tells what to write instead of a name that is not provider:name.
func modelHint(name string) string {
	if nameProblem(name) == "" {
		if provider, rest, ok := strings.Cut(name, "/"); ok && provider != "" && rest != "" && !strings.ContainsAny(name, ":.") {
			return "did you mean " + brief(provider+":"+rest)
		}
		for _, f := range families {
			for _, begin := range strings.Fields(f.begins) {
				if strings.HasPrefix(strings.ToLower(name), begin) && !strings.Contains(name, ":") {
					return "did you mean " + brief(f.provider+":"+name)
				}
			}
		}
	}
	return "write provider:name, for example openai:gpt-5-mini"
}

// modelsShape is one model, or a list of them in the order in which they are
// asked: the next where one is overloaded or gone.
func modelsShape() *shape {
	s := listOf(modelShape())
	s.needed, s.want = true, "a model or a list of models"
	s.rewrite = func(_ *conformer, n *node, _ string) *node {
		if n.kind == scalar {
			return &node{at: n.at, kind: list, items: []*node{n}}
		}
		return n
	}
	return s
}

func modelShape() *shape {
	return scalarShape("text", func(n *node) (string, string) {
		if n.tag != tagText {
			return expected("text", n)
		}
		if problem := modelProblem(n.text); problem != "" {
			return problem, modelHint(n.text)
		}
		return "", ""
	})
}
