package reference

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

const otlpHead = `# OpenTelemetry attributes

What the spans and events that golem sends have. [OpenTelemetry](../trace/opentelemetry.md) says when golem sends them, and to whom. An attribute without a value is left out. Those with a * are sent only with ` + "`--otlp-contents`" + `.
`

// sent is a part of what golem sends: a kind of span, or an event.
type sent struct {
	title string
	has   []string // pairs of an attribute and what it is
}

// otlpSent describes the attributes that core/otlp sends.
var otlpSent = []sent{
	{"All of a run (resource)", []string{
		"service.name", "`OTEL_SERVICE_NAME`, or golem", "service.version", "golem's version",
		"golem.platform", "where golem ran", "golem.project", "the project's name",
	}},
	{"Every span", []string{
		"gen_ai.operation.name", "invoke_agent, chat or execute_tool", "gen_ai.conversation.id", "the same for all runs of a conversation",
		"error.type", "the code of what failed", "golem.unfinished", "true: the trace has no end of it",
	}},
	{"The first worker's span", []string{
		"golem.run.id", "the run's name", "golem.run.status", "how it ended", "golem.run.exit", "the exit code",
		"golem.run.denied", "calls that were not run", "golem.run.failed", "calls that failed",
		"golem.truncated", "true: spans are missing, because there were too many", "gen_ai.input.messages", "your message",
	}},
	{"A worker: `invoke_agent NAME`", []string{
		"gen_ai.agent.name", "the worker", "golem.worker.status", "how it ended", "golem.worker.digest", "the digest of its file",
		"golem.worker.hardened", "true: code answered", "golem.usage.input_tokens", "with all workers below it", "golem.usage.output_tokens", "the same",
		"golem.usage.cost_usd", "US dollars, also of each request", "golem.usage.cost_partial", "true: not all prices are known", "golem.usage.estimated", "true: golem counted the tokens",
	}},
	{"A request to a model: `chat MODEL`", []string{
		"gen_ai.provider.name", "the provider", "gen_ai.request.model", "the model that was asked, also of a worker", "gen_ai.response.model", "the model that answered",
		"gen_ai.response.finish_reasons", "why the answer ended", "gen_ai.usage.input_tokens", "sent", "gen_ai.usage.output_tokens", "answered",
		"gen_ai.usage.cache_read.input_tokens", "read from the provider's cache", "gen_ai.usage.cache_creation.input_tokens", "written into it",
		"gen_ai.usage.reasoning.output_tokens", "for reasoning", "golem.turn", "the turn's number, from 1", "golem.attempts", "how often it was sent",
		"gen_ai.output.messages", "the answer, also of a worker",
	}},
	{"A call: `execute_tool NAME`", []string{
		"gen_ai.tool.name", "the tool; `_OTHER` if no tool has the name", "gen_ai.tool.call.id", "the call's id in the trace", "gen_ai.tool.type", "`function`, for tools that run in golem",
		"golem.tool.kind", "builtin, wasm, worker, or provider for a tool that ran there", "golem.tool.status", "how it ended", "golem.tool.fuel", "what a module computed",
		"gen_ai.tool.call.arguments", "what the model gave", "gen_ai.tool.call.result", "what it got",
	}},
	{"Events, such as `golem.approval`", []string{
		"golem.approval.decision", "run or deny", "golem.approval.source", "who decided: setting, cache (an earlier answer), mode or user",
		"golem.approval.setting", "preApproved, ask or blocked", "golem.approval.rule", "where the setting is written", "golem.approval.remember", "session, always, never or keep",
		"golem.approval.kind", "of a question that is not about a call: trust, turns, resume or secret", "golem.approval.question", "what such a question was", "golem.approval.reason", "why, in words",
		"golem.attempt", "the number of a retry", "golem.wait_ms", "the pause before it", "golem.code", "of a warning", "golem.text", "the message",
		"golem.fallback.reason", "why another model was asked", "golem.clearance.action", "staged, push, discard, defer or pending", "golem.permission", "the mode of a session",
		"golem.role", "whose message it is", "golem.steering", "true: a message while a run goes on",
	}},
}

var attributeName = regexp.MustCompile(`^(gen_ai|golem|error|service)\.[a-z_.]*[a-z]$`)

// withContents are the methods of core/otlp that set an attribute only with --otlp-contents.
var withContents = map[string]bool{"say": true, "sayValue": true, "messages": true, "whole": true}

// Attributes returns the page of the attributes that golem sends to a collector. It fails if the
// source below root sends others than otlpSent describes.
func Attributes(root string) (string, error) {
	left, err := attributesOf(filepath.Join(root, "core", "otlp"))
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(otlpHead)
	for _, part := range otlpSent {
		fmt.Fprintf(&b, "\n## %s\n\n| attribute | what |\n|---|---|\n", part.title)
		for i := 0; i < len(part.has); i += 2 {
			name, star := part.has[i], ""
			contents, is := left[name]
			if !is {
				return "", fmt.Errorf("core/otlp sends no %s, or otlpSent has it twice", name)
			}
			delete(left, name)
			if contents {
				star = " *"
			}
			fmt.Fprintf(&b, "| `%s`%s | %s |\n", name, star, part.has[i+1])
		}
	}
	for name := range left {
		return "", fmt.Errorf("core/otlp sends %s, and otlpSent in docs/reference/otlp.go does not describe it", name)
	}
	return b.String(), nil
}

// attributesOf returns the names of attributes in the source of a package, and whether each is
// sent with --otlp-contents only.
func attributesOf(dir string) (map[string]bool, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	found := map[string]bool{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			return nil, err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if f, ok := n.Fun.(*ast.SelectorExpr); ok && withContents[f.Sel.Name] {
					for _, arg := range n.Args {
						if key, ok := attribute(arg); ok {
							found[key] = true
						}
					}
				}
			case *ast.BasicLit:
				if key, ok := attribute(n); ok && !found[key] {
					found[key] = false
				}
			}
			return true
		})
	}
	delete(found, "golem.retry") // the name of an event
	return found, err
}

// attribute returns the name of an attribute that an expression is.
func attribute(e ast.Expr) (string, bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	key, err := strconv.Unquote(lit.Value)
	return key, err == nil && attributeName.MatchString(key)
}
