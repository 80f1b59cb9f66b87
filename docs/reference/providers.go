package reference

import (
	"cmp"
	"fmt"
	"strings"

	"golem/core/model"
)

// fromPage says whether a provider answers requests of web pages, as its documentation or
// reports say; of the others it is not known.
var fromPage = map[string]string{
	"openai": "yes", "anthropic": "yes", "openrouter": "yes", "groq": "yes", "mistral": "yes",
	"ollama": "with `OLLAMA_ORIGINS`", "lmstudio": "with CORS switched on there",
}

const providersHead = `# Providers

Write a model as ` + "`provider:name`" + `, such as ` + "`openai:gpt-5-mini`" + `. These providers are built in; [others](other-providers.md) can be added. ` + "`golem models PROVIDER`" + ` lists a provider's models.

| provider | variable of the API key | address | images | PDF | from a page |
|---|---|---|---|---|---|
`

const protocolsHead = `
` + "`OPENAI_BASE_URL`, `OLLAMA_BASE_URL`" + ` and so on give a provider another address. *From a page*: the provider answers requests of web pages. Where this is not known, try it: the page says if the browser refuses.

## What golem sends

| provider | protocol | typed output | settings that it lacks | gets back |
|---|---|---|---|---|
`

const providersEnd = `
- **Protocol**: ` + "`chat`" + ` is OpenAI's chat completions, ` + "`responses`" + ` its newer protocol, ` + "`anthropic`" + ` Anthropic's Messages. ` + "`providers: {NAME: {api: …}}`" + ` chooses another one. With ` + "`responses`" + `, OpenAI stores nothing. With ` + "`anthropic`" + `, golem uses the provider's prompt cache.
- **Typed output**: how golem asks for an answer that fits an ` + "`output_schema`" + `. Some providers refuse a schema beside tools (` + "%s" + `): there golem puts the schema into the prompt. golem checks each answer itself.
- **Settings that it lacks**: golem does not send them, and warns.
- **Gets back**: what came with an answer and goes back to the same provider with the history, and to no other.

## Providers that need more than an API key

- **azure** needs your address in ` + "`AZURE_BASE_URL` or `AZURE_OPENAI_ENDPOINT`" + `. golem completes ` + "`https://NAME.openai.azure.com`" + ` to ` + "`/openai/v1`" + `. An address that ends in ` + "`/openai/deployments`" + ` gets the model's name and an ` + "`api-version`" + `, which ` + "`query: {api-version: …}`" + ` sets.
- **ollama's cloud**: ` + "`OLLAMA_BASE_URL=https://ollama.com/v1`" + ` and ` + "`OLLAMA_API_KEY`" + `.
- **perplexity** accepts no tools, so give such a worker none. Its models search the web themselves.
- **` + "`device:`" + `** is the browser's own model and needs no API key. In YAML, write it in quotes: ` + "`model: 'device:'`" + `. **` + "`page:NAME`" + `** is a model of the [web page](../web/providing.md) that embeds golem. Both work only in a browser; ` + "`golem check --platform browser`" + ` accepts them.
`

// Providers returns the page of the built-in providers.
func Providers() (string, error) {
	yes := map[bool]string{true: "yes", false: "no"}
	every := model.Settings{}
	for _, name := range []string{"temperature", "top_p", "max_output_tokens", "reasoning_effort", "seed", "stop", "parallel_tool_calls", "service_tier", "verbosity", "cache"} {
		every[name] = nil
	}
	var where, how strings.Builder
	var alone []string
	found := 0
	for _, p := range model.Rows() {
		key := "`" + strings.Join(p.Keys(), "`, `") + "`"
		if p.NoKey {
			key = "none needed (" + key + ")"
		}
		page, known := fromPage[p.Name]
		if known {
			found++
		}
		fmt.Fprintf(&where, "| `%s` | %s | %s | %s | %s | %s |\n", p.Name, key, cmp.Or(p.BaseURL, "your own"), yes[p.Image], yes[p.PDF], cmp.Or(page, "not known"))
		protocol, back := cmp.Or(p.API, model.Chat), "nothing"
		switch {
		case p.Name == "openai":
			protocol, back = "responses; chat at other addresses", "reasoning items"
		case p.API == model.Anthropic:
			back = "thinking"
		case len(p.Quirks.Carry) > 0:
			back = "`" + strings.Join(p.Quirks.Carry, "`, `") + "`"
		}
		if p.Quirks.JSONAlone {
			alone = append(alone, p.Name)
		}
		output := map[string]string{model.JSONSchema: "JSON Schema", model.JSONObject: "JSON object"}[p.JSON]
		fmt.Fprintf(&how, "| `%s` | %s | %s | %s | %s |\n", p.Name, protocol, cmp.Or(output, "in the prompt"), strings.Join(model.Config{}.Lacking(p.Name+":m", every), ", "), back)
	}
	if found != len(fromPage) {
		return "", fmt.Errorf("fromPage in docs/reference/providers.go has a provider that golem does not have")
	}
	return providersHead + where.String() + protocolsHead + how.String() + fmt.Sprintf(providersEnd, strings.Join(alone, ", ")), nil
}
