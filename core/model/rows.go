package model

import "strings"

// rows is the built-in table. It is read only.
var rows = []Provider{
	{Name: "openai", BaseURL: "https://api.openai.com/v1", KeyVar: "OPENAI_API_KEY", Image: true, PDF: true, JSON: JSONSchema, ServerTools: serverToolsOf(),
		Quirks: Quirks{Settings: map[string]string{"max_output_tokens": "max_completion_tokens"}}},
	// Without the header the API refuses requests of web pages.
	{Name: "anthropic", BaseURL: "https://api.anthropic.com/v1", KeyVar: "ANTHROPIC_API_KEY", Image: true, PDF: true, JSON: JSONSchema, API: Anthropic, ServerTools: serverToolsOf(),
		Headers: map[string]string{"anthropic-dangerous-direct-browser-access": "true"}, Quirks: Quirks{KeyHeader: "x-api-key"}},
	{Name: "google", BaseURL: "https://generativelanguage.googleapis.com/v1beta/openai", KeyVar: "GEMINI_API_KEY",
		altKeyVar: "GOOGLE_API_KEY", Image: true, JSON: JSONSchema, plainSchemas: true,
		Quirks: Quirks{JSONAlone: true, Carry: []string{"extra_content"}, Settings: lacks("service_tier verbosity"),
			Fill: map[string]string{"tool_calls.extra_content.google.thought_signature": "skip_thought_signature_validator"}}}, // Google's value for a call that another model made
	{Name: "openrouter", BaseURL: "https://openrouter.ai/api/v1", KeyVar: "OPENROUTER_API_KEY", Image: true, PDF: true, JSON: JSONSchema,
		Quirks: Quirks{Carry: []string{"reasoning_details"}, Settings: map[string]string{"reasoning_effort": "reasoning.effort"}}},
	{Name: "groq", BaseURL: "https://api.groq.com/openai/v1", KeyVar: "GROQ_API_KEY", Image: true, JSON: JSONObject,
		Quirks: Quirks{JSONAlone: true, Settings: withSetting(lacks("verbosity"), "max_output_tokens", "max_completion_tokens")}},
	{Name: "mistral", BaseURL: "https://api.mistral.ai/v1", KeyVar: "MISTRAL_API_KEY", Image: true, JSON: JSONSchema,
		Quirks: Quirks{JSONAlone: true, NoUsage: true, NoUserAfterTool: true, Settings: withSetting(lacks("service_tier verbosity"), "seed", "random_seed")}},
	{Name: "deepseek", BaseURL: "https://api.deepseek.com/v1", KeyVar: "DEEPSEEK_API_KEY", JSON: JSONObject,
		Quirks: Quirks{Carry: []string{"reasoning_content"}, Fill: map[string]string{"reasoning_content": ""}, Settings: lacks("seed parallel_tool_calls service_tier verbosity")}},
	{Name: "together", BaseURL: "https://api.together.xyz/v1", KeyVar: "TOGETHER_API_KEY", Image: true, JSON: JSONObject,
		Quirks: Quirks{Settings: lacks("service_tier verbosity")}},
	{Name: "xai", BaseURL: "https://api.x.ai/v1", KeyVar: "XAI_API_KEY", Image: true, JSON: JSONSchema,
		Quirks: Quirks{Settings: lacks("service_tier verbosity")}},
	{Name: "azure", KeyVar: "AZURE_OPENAI_API_KEY", altKeyVar: "AZURE_API_KEY", Image: true, JSON: JSONSchema,
		Quirks:   Quirks{KeyHeader: "api-key", Settings: map[string]string{"max_output_tokens": "max_completion_tokens"}},
		unlisted: "its models are deployments, under names that you gave them"},
	{Name: "cerebras", BaseURL: "https://api.cerebras.ai/v1", KeyVar: "CEREBRAS_API_KEY", JSON: JSONSchema,
		Quirks: Quirks{Settings: withSetting(lacks("verbosity"), "max_output_tokens", "max_completion_tokens")}},
	{Name: "moonshot", BaseURL: "https://api.moonshot.ai/v1", KeyVar: "MOONSHOT_API_KEY", Image: true, JSON: JSONObject,
		Quirks: Quirks{Carry: []string{"reasoning_content"}, Fill: map[string]string{"reasoning_content": " "}, Settings: lacks("seed parallel_tool_calls reasoning_effort service_tier verbosity")}},
	{Name: "zai", BaseURL: "https://api.z.ai/api/paas/v4", KeyVar: "ZAI_API_KEY", Image: true, JSON: JSONObject,
		Quirks: Quirks{Carry: []string{"reasoning_content"}, Settings: lacks("seed parallel_tool_calls reasoning_effort service_tier verbosity")}},
	{Name: "perplexity", BaseURL: "https://api.perplexity.ai", KeyVar: "PERPLEXITY_API_KEY", altKeyVar: "PPLX_API_KEY", Image: true, JSON: JSONSchema,
		Quirks: Quirks{NoUsage: true, Settings: lacks("seed parallel_tool_calls service_tier verbosity")}, unlisted: "look at its documentation"},
	{Name: "huggingface", BaseURL: "https://router.huggingface.co/v1", KeyVar: "HF_TOKEN", Image: true, JSON: JSONSchema,
		Quirks: Quirks{Settings: lacks("service_tier verbosity")}},
	{Name: "vercel", BaseURL: "https://ai-gateway.vercel.sh/v1", KeyVar: "AI_GATEWAY_API_KEY", Image: true, PDF: true, JSON: JSONSchema},
	{Name: "ollama", BaseURL: "http://localhost:11434/v1", KeyVar: "OLLAMA_API_KEY", NoKey: true, Image: true, JSON: JSONSchema,
		Quirks: Quirks{JSONAlone: true, Settings: lacks("parallel_tool_calls service_tier verbosity")}, local: true, unreachable: "is it running? start it with `ollama serve`"},
	{Name: "lmstudio", BaseURL: "http://localhost:1234/v1", KeyVar: "LMSTUDIO_API_KEY", NoKey: true, Image: true, JSON: JSONSchema,
		Quirks: Quirks{JSONAlone: true, Settings: lacks("parallel_tool_calls service_tier verbosity")}, local: true, unreachable: "is it running? start its local server"},
}

// lacks returns the Quirks.Settings of a provider that does not have these settings.
func lacks(settings string) map[string]string {
	out := map[string]string{}
	for _, name := range strings.Fields(settings) {
		out[name] = ""
	}
	return out
}

// withSetting sets the provider's name of a setting in m and returns m.
func withSetting(m map[string]string, setting, name string) map[string]string {
	m[setting] = name
	return m
}
