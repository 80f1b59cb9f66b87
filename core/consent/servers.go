package consent

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golem/core/approval"
	"golem/core/fault"
	"golem/core/mcp"
	"golem/core/project"
	"golem/core/run"
	"golem/core/tool"
	"golem/core/trace"
	"golem/core/trust"
)

// servers returns one widening for each MCP server that a worker names, or only that of
// the server called name, unless name is "". The value of the widening is the whole
// configuration: a yes holds for this command line or address and no other. Keys in it
// are replaced by fingerprints.
func (b *beyond) servers(w *project.Worker, name string) trust.List {
	if w.Builtin() {
		return nil
	}
	var out trust.List
	for _, s := range w.Servers() {
		if name != "" && s.Key != name {
			continue
		}
		var config map[string]any
		if json.Unmarshal([]byte(s.Value), &config) != nil {
			continue // the project's own faults say what is wrong
		}
		line, starts := serverLine(config) // with the real values of env
		hideKeys(config)
		if shown, err := json.Marshal(config); err == nil {
			s.Value = string(shown)
		}
		one := asWidening(s, "", serverMeans(config)).As(trust.Hosts)
		if starts {
			one = b.starting(one.As(trust.Programs), line)
		}
		out = append(out, one)
	}
	return out
}

// hideKeys replaces texts that may be secret by fingerprints.
func hideKeys(config map[string]any) {
	for _, kind := range []string{"headers", "env"} {
		values, ok := config[kind].(map[string]any)
		if !ok {
			continue
		}
		for name, v := range values {
			if text, ok := v.(string); ok && (kind == "headers" || trace.SecretName(name) || trace.KeyVariable("_"+name)) && !refers(text) {
				values[name] = fingerprint(text)
			}
		}
	}
	args, _ := config["args"].([]any)
	texts := make([]string, len(args))
	for i, a := range args {
		texts[i], _ = a.(string)
	}
	for i, secret := range trace.SecretParts(texts) {
		if secret != "" && !refers(secret) {
			args[i] = strings.Replace(texts[i], secret, fingerprint(secret), 1)
		}
	}
	if address, ok := config["url"].(string); ok {
		if secret := trace.SecretParts([]string{address})[0]; secret != "" && !refers(secret) {
			config["url"] = strings.Replace(address, secret, fingerprint(secret), 1)
		}
	}
}

// refers reports whether a text has nothing of a key in it, because the key is in a
// variable to which it refers: Bearer ${TOKEN}.
func refers(text string) bool {
	rest := mcp.WithoutReferences(text)
	return mcp.References(text) && len(rest) <= 16 && !strings.ContainsFunc(rest, func(r rune) bool { return r >= '0' && r <= '9' })
}

// serverMeans returns a text that says what follows from a yes to a server.
func serverMeans(config map[string]any) string {
	if address, ok := config["url"].(string); ok {
		host := address
		if u, err := url.Parse(address); err == nil {
			host = u.Host
		}
		return "what its tools are given goes to " + host + "; its answers and its descriptions of tools go to the model"
	}
	return "golem starts this program with your rights on this machine, outside the sandbox; its answers and its descriptions of tools go to the model. Its command line: " + commandLine(config)
}

// commandLine returns the program and its arguments. It quotes all that is not a plain
// word, so that no argument looks like two.
func commandLine(config map[string]any) string {
	args, _ := config["args"].([]any)
	var out []string
	for _, a := range append([]any{config["command"]}, args...) {
		word, plain := a.(string)
		if ref, ok := a.(map[string]any); ok && !plain { // {env: NAME} or {secret: NAME}
			for kind, name := range ref {
				word = fmt.Sprintf("{%s: %v}", kind, name)
			}
		}
		if word == "" || strings.ContainsFunc(word, func(r rune) bool {
			return r > 'z' || !strings.ContainsRune("@%+=:,./\\-_", r) && (r < '0' || r > '9' && r < 'A' || r > 'Z' && r < 'a')
		}) {
			word = strconv.Quote(word)
		}
		out = append(out, word)
	}
	return strings.Join(out, " ")
}

// remote returns placeholders for the tools of a worker's MCP servers, because the
// tools are not known before the servers run: for each server, one for each of its
// tools that an approval setting names, and one without a name for the others.
func (b *beyond) remote(w *project.Worker) []tool.Spec {
	var out []tool.Spec
	for _, s := range w.Servers() {
		spec := tool.Spec{Toolset: "mcp", Risk: tool.Command}
		if strings.Contains(s.Value, `"url"`) {
			spec.Risk = tool.Network
		}
		names := []string{""}
		for name := range w.Policy.WorkerTools {
			names = append(names, name)
		}
		for name := range w.Policy.ProjectTools {
			names = append(names, name)
		}
		for _, r := range w.Policy.Rules {
			names = append(names, r.Tool)
		}
		for _, name := range names {
			if spec.Name = name; name == "" || strings.HasPrefix(name, s.Key+"__") || name == "read_resource" || name == "get_prompt" {
				out = append(out, spec)
			}
		}
	}
	return out
}

// Known is what golem knows of a tool of an MCP server without starting the server.
type Known struct {
	Spec   tool.Spec
	Server string // its name
	At     string // its command line or address
	URL    string // "" for a command
	Open   bool   // nobody trusted the server
}

// KnownTools returns what is known of the tools of a worker's MCP servers without
// starting one: for each server the tools that a person said yes to, or if there are
// none, the tools that approval settings name and NAME__* for all others.
func (c *Consent) KnownTools(w *project.Worker) []Known {
	var out []Known
	for _, s := range c.beyond.servers(w, "") {
		var config mcp.Config
		name := s.Path[strings.LastIndex(s.Path, ".")+1:]
		if json.Unmarshal([]byte(s.Value), &config) != nil {
			continue // the project's own faults say what is wrong
		}
		at, open := config.URL, !c.judge.Trusts(s)
		if at == "" {
			at = config.Command
			for _, v := range config.Args {
				at += " " + v.String()
			}
		}
		var ids, names []string
		c.judge.Any(func(pin trust.Widening) bool {
			if isPin(s, pin) && !strings.HasSuffix(pin.Path, "."+mcp.InstructionsName) {
				ids = append(ids, name+"/"+strings.TrimPrefix(pin.Path, s.Path+"."))
			}
			return false
		})
		slices.Sort(ids)
		if names = tool.ToolNames(ids); len(names) == 0 {
			for _, spec := range c.beyond.remote(w) {
				if strings.HasPrefix(spec.Name, name+"__") && !slices.Contains(names, spec.Name) {
					names = append(names, spec.Name)
				}
			}
			names = append(names, name+"__*")
			slices.Sort(names)
		}
		for _, n := range names {
			spec := tool.Spec{Name: n, Toolset: "mcp", Risk: tool.Command}
			if config.URL != "" {
				spec.Risk, spec.Network = tool.Network, true
			}
			out = append(out, Known{spec, name, at, config.URL, open})
		}
	}
	return out
}

// Server returns E_TRUST if an MCP server of a worker is not trusted. It asks the
// person as Model does. Call it before each start of the server's program: the files that
// it starts must be those that a person trusted, also if the server starts again.
func (c *Consent) Server(ctx context.Context, w *project.Worker, name string, ask run.Asker) error {
	return c.use(ctx, c.beyond.servers(w, name), ask)
}

// ServerTools reports for each tool of an MCP server whether it may be offered to the
// model. The first time it asks about all tools; after that, about tools that are new
// or that the server describes in another way. A tool without a yes is not offered. A
// digest that a person pinned counts, in this run, as a yes to the tools that the
// server lists the first time.
func (c *Consent) ServerTools(ctx context.Context, w *project.Worker, name string, tools []mcp.Tool, ask run.Asker) ([]bool, error) {
	out := make([]bool, len(tools))
	servers := c.beyond.servers(w, name)
	if len(servers) == 0 { // golem's own worker
		for i := range out {
			out[i] = true
		}
		return out, nil
	}
	all := make(trust.List, len(tools))
	for i, t := range tools {
		all[i] = pinned(servers[0], t)
	}
	if err := c.settleTools(ctx, servers[0], name, all, ask); err != nil {
		return nil, err
	}
	for i := range all {
		out[i] = c.judge.Trusts(all[i])
	}
	return out, nil
}

// settleTools asks until a person has answered for each tool, or nobody can be asked.
func (c *Consent) settleTools(ctx context.Context, server trust.Widening, name string, all trust.List, ask run.Asker) error {
	if c.pinned != "" {
		c.trustFirstList(server, all)
	}
	for {
		open := slices.DeleteFunc(c.judge.Untrusted(all), c.saidNo)
		if len(open) == 0 || c.neverAsk {
			return nil
		}
		if again, err := c.askTools(ctx, name, open, c.isFirst(server, all), ask); !again || err != nil {
			return err
		}
	}
}

// trustFirstList trusts the tools that a server lists the first time; an empty list also counts
// as the first time. The trust is for this run and is not stored, because it comes from
// the pinned digest and not from a person's answer.
func (c *Consent) trustFirstList(server trust.Widening, all trust.List) {
	first, _ := c.met.LoadOrStore(server.File+"\n"+server.Path+pinnedAt(server), sync.OnceFunc(func() {
		if c.isFirst(server, all) {
			c.judge.Trust(all)
		}
	}))
	first.(func())() // a second worker that opens the server at the same time waits
}

// isFirst reports whether none of a server's tools is trusted, neither as listed now
// nor as listed before.
func (a *Answers) isFirst(server trust.Widening, all trust.List) bool {
	return len(a.judge.Untrusted(all)) == len(all) && !a.judge.Any(func(w trust.Widening) bool { return isPin(server, w) })
}

// saidNo reports whether the person said no to a tool in this run.
func (c *Consent) saidNo(w trust.Widening) bool {
	_, no := c.refused.Load(w.File + "\n" + w.Path + "\n" + w.Value)
	return no
}

// pinned returns the widening for a tool of a server. Its value has the digest of the
// tool as the server describes it.
func pinned(server trust.Widening, t mcp.Tool) trust.Widening {
	out := server
	out.Path += "." + t.Name
	out.Value, out.Started = "sha256:"+t.Digest+pinnedAt(server), "" // its program is asked about by itself
	out.Means = t.Name + " (sha256 " + t.Digest[:min(12, len(t.Digest))] + "…, schema of " + strconv.Itoa(len(t.Input)) + " bytes)"
	if t.Name == mcp.InstructionsName {
		out.Means = "what it says about their use (sha256 " + t.Digest[:min(12, len(t.Digest))] + "…):"
	}
	if about := strings.TrimSpace(t.Description); about != "" {
		// Its lines are indented: none looks like the next tool.
		out.Means += " " + strings.ReplaceAll(about, "\n", "\n    ")
	}
	return out
}

// pinnedAt returns the end of the value of each pinned tool of a server. It names the
// server's configuration, so that the pin does not hold for another configuration.
func pinnedAt(server trust.Widening) string {
	return " at " + strings.TrimPrefix(fingerprint(server.Value), "sha256:")
}

// shortPin reports whether an older golem stored a yes to a tool with a short fingerprint
// of the server's configuration.
func (a *Answers) shortPin(w trust.Widening) bool {
	return slices.ContainsFunc(a.stored, func(old trust.Widening) bool {
		return old.File == w.File && old.Path == w.Path && old.Value != w.Value && shortened(old.Value) == shortened(w.Value)
	})
}

func isPin(server, w trust.Widening) bool {
	return w.File == server.File && strings.HasPrefix(w.Path, server.Path+".") && strings.HasSuffix(w.Value, pinnedAt(server))
}

// askTools asks about tools of a server that nobody trusted yet: all of them, or those
// that changed. They are one line of the question, which front ends fold. again is true
// if the question was not asked because the answer to another worker's question covered
// some of the tools.
func (c *Consent) askTools(ctx context.Context, server string, open trust.List, first bool, ask run.Asker) (again bool, err error) {
	q := c.question(nil)
	q.Title = fmt.Sprintf("The MCP server %s has new or changed tools (%d). Offer them to the model?", fault.Brief(server), len(open))
	if first {
		q.Title = fmt.Sprintf("The MCP server %s offers tools (%d). Offer them to the model?", fault.Brief(server), len(open))
	}
	line := approval.Line{Path: "toolsets.mcp." + server, Where: open[0].At, Danger: trust.Other.String(), Means: "the model reads these descriptions, which are the server's own words; when one changes, golem asks again"}
	if slices.ContainsFunc(open, c.shortPin) {
		line.Means = "asked again: " + shorter + "; " + line.Means
	}
	for i, w := range open {
		if i > 0 {
			line.Value += "\n"
		}
		line.Value += w.Means
	}
	q.Lines = append(q.Lines, line)
	answers := &toolAnswers{listAnswers: listAnswers{c, open}}
	q.Answers = answers
	rec, err := ask(ctx, q)
	if err == nil {
		c.unattended.Store(c.unattended.Load() || rec.Nobody)
	}
	return answers.again, err
}

// toolAnswers keeps the answers about tools of a server.
type toolAnswers struct {
	listAnswers
	again bool // an answer to another worker's question covered some of the tools
}

// Settled ends the question if another answer covered some of the tools: then it is asked
// again about the rest.
func (a *toolAnswers) Settled() (yes, known bool) {
	a.again = slices.ContainsFunc(a.list, func(w trust.Widening) bool { return a.judge.Trusts(w) || a.saidNo(w) })
	return false, a.again
}

// Answered also remembers a no, for the next question, which may be about the same tools.
func (a *toolAnswers) Answered(yes bool) error {
	if !yes {
		for _, w := range a.list {
			a.refused.Store(w.File+"\n"+w.Path+"\n"+w.Value, true)
		}
	}
	return a.listAnswers.Answered(yes)
}
