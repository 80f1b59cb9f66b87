package foreign

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"golem/core/config"
	"golem/core/mcp"
	"golem/core/trace"
	"golem/core/yamltree"
)

// server is an MCP server.
type server struct {
	name   string         // in golem
	config map[string]any // under toolsets.mcp
	file   string         // the list that it is in
}

// serverFile reads a list of MCP servers, such as .mcp.json.
func (m *maker) serverFile(f read) {
	list, faults := config.ServersIn(f.name, f.data)
	for _, one := range faults {
		m.lost(f.name, "servers", one.Message)
	}
	if list == nil {
		return
	}
	for _, one := range list.Fields {
		if m.servers[one.Name] != nil {
			m.lost(f.name, "server "+inNote(one.Name), "another file has a server of this name, and the first one counts")
			continue
		}
		if s := m.server(f.name, "server "+inNote(one.Name), one.Name, one.Value); s != nil {
			s.file = f.name
			m.servers[one.Name] = s
			m.order = append(m.order, one.Name)
		}
	}
}

// ownServer gives a worker a server of its own.
func (m *maker) ownServer(w *worker, key, name string, n *yamltree.Node, only []string) {
	if len(w.servers) >= maxOwn {
		m.lost(w.from, key, "golem gives a worker at most 100 servers")
		return
	}
	one := yamltree.Node{Kind: yamltree.Mapping, Pos: n.Pos, Fields: []yamltree.Field{{Name: name, Pos: n.Pos, Value: n}}}
	plain := config.ServerName(&yamltree.Node{Kind: yamltree.Mapping, Fields: taken(w)}, one.Fields[0].Name)
	s := m.server(w.from, key, plain, n)
	if s == nil {
		return
	}
	w.servers[plain] = s
	if only != nil {
		w.only[plain] = only
	}
}

// taken returns the names of a worker's servers.
func taken(w *worker) []yamltree.Field {
	var out []yamltree.Field
	for name := range w.servers {
		out = append(out, yamltree.Field{Name: name, Value: &yamltree.Node{}})
	}
	return out
}

// server maps the settings of a server. Values that are secret, or may be, become variables
// of the environment; a server whose address or arguments have a key is left out, because
// what is written in a project is no secret.
func (m *maker) server(file, key, name string, n *yamltree.Node) *server {
	s := &server{name: name, config: map[string]any{}}
	for _, f := range n.Fields {
		switch f.Name {
		case "command", "cwd", "timeout":
			s.config[f.Name] = f.Value.String()
		case "url":
			if why := badAddress(f.Value.String()); why != "" {
				m.lost(file, key, why)
				return nil
			}
			s.config["url"] = f.Value.String()
		case "args":
			list := []any{}
			for i, one := range f.Value.Items {
				before := ""
				if i > 0 {
					before = f.Value.Items[i-1].String()
				}
				list = append(list, m.argument(file, key, name, before, one.String()))
			}
			s.config["args"] = list
		case "env", "headers":
			values := map[string]any{}
			for _, one := range f.Value.Fields {
				values[one.Name] = m.value(file, key, name, f.Name, one.Name, one.Value.String())
			}
			if len(values) > 0 {
				s.config[f.Name] = values
			}
		}
	}
	if s.config["command"] == nil && s.config["url"] == nil {
		m.lost(file, key, "it has neither a command nor a url")
		return nil
	}
	if problem := mcp.NameProblem(name); problem != "" {
		m.lost(file, key, "its name "+problem)
		return nil
	}
	m.mapped(file, key, "toolsets.mcp."+name, "golem asks whether you trust it before it starts or asks the server")
	return s
}

// reference is a value that has nothing but variables and words that are no secret.
var (
	reference = regexp.MustCompile(`\$\{[A-Za-z_][A-Za-z0-9_]*(:-[^}]*)?\}`)
	harmless  = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(true|false|yes|no|on|off|info|debug|warn|warning|error|trace|production|development|test|stdio|http|utf-?8|[a-z]{2}[-_][A-Za-z]{2}|[0-9]{1,5}|/[A-Za-z0-9._/-]{0,80}|\./[A-Za-z0-9._/-]{0,80}|https?://[A-Za-z0-9.:-]+(/[A-Za-z0-9._-]{0,20}){0,4}/?)$`)
	})
)

// value returns a value of env or headers: as it is if it is surely no secret, or has
// variables only; otherwise the name of a variable.
func (m *maker) value(file, key, server, kind, name, text string) any {
	rest := strings.TrimSpace(reference.ReplaceAllString(text, ""))
	if reference.MatchString(text) && !strings.Contains(text, ":-") && (rest == "" || strings.EqualFold(rest, "bearer") || strings.EqualFold(rest, "token")) {
		return text
	}
	if kind == "env" && !secretName(name) && (text == "" || harmless().MatchString(strings.ToLower(text))) && !trace.LooksLikeKey(text) {
		return text
	}
	variable := variableOf(name)
	if kind == "headers" {
		variable = variableOf(server + "_" + name)
	}
	m.vars[variable] = true
	m.mapped(file, key+" "+kind+"."+inNote(name), "{env: "+variable+"}", "values that may be secret are not written into a project: set the variable, or write {secret: NAME} and golem secret set NAME")
	return map[string]any{"env": variable}
}

// secretName reports whether the name of a variable says that its value is secret.
func secretName(name string) bool {
	if trace.SecretName(name) {
		return true
	}
	upper := strings.ToUpper(name)
	return slices.ContainsFunc([]string{"KEY", "TOKEN", "SECRET", "PASS", "PWD", "AUTH", "CRED", "PRIVATE", "SESSION", "COOKIE", "DSN", "CONNECTION", "PAT"}, func(part string) bool { return strings.Contains(upper, part) })
}

// variableOf returns the name of a variable of the environment.
func variableOf(name string) string {
	out := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return r - 'a' + 'A'
		case r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_':
			return r
		}
		return '_'
	}, name)
	if out = out[:min(len(out), 80)]; out == "" || out[0] >= '0' && out[0] <= '9' {
		out = "VALUE_" + out
	}
	return out
}

// argument returns an argument: as it is, or the name of a variable if it is a key, or
// follows a flag that says so.
func (m *maker) argument(file, key, server, before, text string) any {
	flag, value, assigned := strings.Cut(text, "=")
	secret := trace.LooksLikeKey(text) || hasPassword(text) || assigned && secretName(flag) && value != "" || strings.HasPrefix(before, "-") && !strings.Contains(before, "=") && secretName(before) && !strings.HasPrefix(text, "-")
	if !secret || strings.TrimSpace(reference.ReplaceAllString(value, "")) == "" && assigned || reference.ReplaceAllString(text, "") == "" {
		return text
	}
	variable := variableOf(server + "_" + strings.Trim(before, "-"))
	if assigned {
		variable = variableOf(server + "_" + strings.Trim(flag, "-"))
	}
	m.vars[variable] = true
	why := "values that may be secret are not written into a project: set the variable to the whole argument"
	m.mapped(file, key+" args", "{env: "+variable+"}", why)
	return map[string]any{"env": variable}
}

// hasPassword reports whether a text is an address with a password.
func hasPassword(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.User != nil && u.Host != ""
}

// badAddress returns why an address is not written into a project; "" if it is.
func badAddress(text string) string {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "":
		return "its address is not valid"
	case u.User != nil:
		return "its address has a password, which is not written into a project"
	case trace.LooksLikeKey(text):
		return "its address has a key, which is not written into a project"
	}
	for name := range u.Query() {
		if secretName(name) {
			return "its address has a key, which is not written into a project"
		}
	}
	return ""
}
