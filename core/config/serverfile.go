package config

import (
	"fmt"
	"strconv"
	"strings"

	"golem/core/fault"
	"golem/core/yamltree"
)

// ServersIn returns the MCP servers of a file as golem's configuration has them; nil if
// it has none. Those that golem cannot use are warnings.
func ServersIn(file string, data []byte) (*yamltree.Node, fault.List) {
	root, f := yamltree.ParseJSON(file, PlainJSON(data))
	if f != nil {
		return nil, fault.List{f}
	}
	servers := root.Get("mcpServers")
	if servers == nil {
		servers = root.Get("servers")
	}
	if servers == nil || servers.Kind != yamltree.Mapping {
		return nil, fault.List{root.Pos.Fault(fault.Config, "%s has no servers", file).Hinting(`write {"mcpServers": {NAME: {"command": …} or {"url": …}}}`)}
	}
	found := &yamltree.Node{Pos: servers.Pos, Kind: yamltree.Mapping}
	var faults fault.List
	for i, one := range servers.Fields {
		if i == maxServers {
			faults = append(faults, one.Pos.Fault(fault.Config, "%s has more than %d MCP servers, and the others are not used", file, maxServers))
			faults[len(faults)-1].Severity = fault.Warning
			break
		}
		mapped, problem := foreignServer(one)
		if mapped != nil {
			key := ServerName(found, one.Name)
			found.Fields = append(found.Fields, yamltree.Field{Name: key, Pos: one.Pos, Value: mapped})
		}
		if problem != nil {
			problem.Severity = fault.Warning
			faults = append(faults, problem)
		}
	}
	return found, faults
}

// maxServers is the most servers of a file that are used.
const maxServers = 200

// maxServerName is the longest name of a server, in bytes.
const maxServerName = 24

// ServerName returns a name that golem allows for a server, and that no other server has:
// its own with - for other characters.
func ServerName(taken *yamltree.Node, name string) string {
	plain := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' {
			return r
		}
		return '-'
	}, name)
	for strings.Contains(plain, "__") {
		plain = strings.ReplaceAll(plain, "__", "_")
	}
	if plain = plain[:min(len(plain), maxServerName)]; plain == "" || plain == "approval" || plain == "from" {
		plain = "server"
	}
	out := plain
	for n := 2; taken.Get(out) != nil; n++ {
		end := "-" + strconv.Itoa(n)
		out = plain[:min(len(plain), maxServerName-len(end))] + end
	}
	return out
}

// foreignServer returns a server of the file as golem's configuration has it; nil for one
// that is switched off or that golem cannot use. The fault says what golem does not use.
func foreignServer(one yamltree.Field) (*yamltree.Node, *fault.Fault) {
	lost := func(at yamltree.Pos, format string, args ...any) (*yamltree.Node, *fault.Fault) {
		return nil, at.Fault(fault.Config, "the MCP server "+fault.Quoted(one.Name)+" is not used: "+format, args...)
	}
	n := one.Value
	switch {
	case n.Kind != yamltree.Mapping:
		return lost(n.Pos, "expected its settings, found %s", n.Found())
	case n.Get("disabled").Flag() || n.Get("enabled") != nil && !n.Get("enabled").Flag():
		return nil, nil
	case n.Get("type").String() == "sse" || n.Get("transport").String() == "sse":
		return lost(n.Pos, "it speaks the transport SSE of 2024, and golem speaks streamable HTTP")
	}
	out := &yamltree.Node{Pos: n.Pos, Kind: yamltree.Mapping}
	var ignored []string
	for _, f := range n.Fields {
		name, value := f.Name, f.Value
		switch name {
		case "command", "args", "env", "headers", "cwd", "url":
		case "serverUrl", "httpUrl":
			name = "url"
		case "timeout":
			if value = milliseconds(value); value == nil {
				return lost(f.Pos, "its timeout is not a number")
			}
		case "type", "transport", "description", "disabled", "enabled", "name", "id":
			continue
		default:
			ignored = append(ignored, f.Name)
			continue
		}
		if problem := valueProblem(name, value); problem != "" {
			return lost(value.Pos, "%s", problem)
		}
		out.Fields = append(out.Fields, yamltree.Field{Name: name, Pos: f.Pos, Value: value})
	}
	if len(ignored) > 0 {
		return out, n.Pos.Fault(fault.Config, "golem does not use these settings of the MCP server %s: %s", fault.Quoted(one.Name), fault.Brief(strings.Join(ignored, ", ")))
	}
	return out, nil
}

// milliseconds returns a time in the file as a text. A number below 1000 is taken for
// seconds, as some editors write it; a larger one for milliseconds.
func milliseconds(n *yamltree.Node) *yamltree.Node {
	var amount float64
	if _, err := fmt.Sscan(n.Text, &amount); err != nil || n.Kind != yamltree.Scalar || amount <= 0 {
		return nil
	}
	unit := "ms"
	if amount < 1000 {
		unit = "s"
	}
	return &yamltree.Node{Pos: n.Pos, Kind: yamltree.Scalar, Tag: yamltree.TagText, Text: strconv.FormatFloat(amount, 'f', -1, 64) + unit}
}

// valueProblem returns what is wrong with a value of a server; "" for nothing.
func valueProblem(name string, n *yamltree.Node) string {
	texts := func(values ...*yamltree.Node) string {
		for _, v := range values {
			if v.Kind != yamltree.Scalar || v.Tag != yamltree.TagText {
				return name + " has " + v.Found() + " where a text is expected"
			}
			if strings.Contains(v.Text, "${input:") || strings.Contains(v.Text, "${workspaceFolder") || strings.Contains(v.Text, "${userHome") {
				return name + " has a variable that only an editor knows"
			}
		}
		return ""
	}
	switch name {
	case "args":
		if n.Kind != yamltree.List {
			return "args is not a list"
		}
		return texts(n.Items...)
	case "env", "headers":
		if n.Kind != yamltree.Mapping {
			return name + " is not a mapping"
		}
		for _, f := range n.Fields {
			if problem := texts(f.Value); problem != "" {
				return problem
			}
		}
		return ""
	}
	return texts(n)
}

// PlainJSON returns JSON with blanks in place of comments and of commas before a closing
// bracket, which editors allow in their files; every position stays.
func PlainJSON(data []byte) []byte {
	out := append([]byte{}, data...)
	if len(out) >= 3 && string(out[:3]) == "\xef\xbb\xbf" {
		copy(out, "   ")
	}
	blank := func(from, to int) {
		for i := from; i < to && i < len(out); i++ {
			if out[i] != '\n' {
				out[i] = ' '
			}
		}
	}
	comma, text := -1, false
	for i := 0; i < len(out); i++ {
		c := out[i]
		rest := string(out[i:min(i+2, len(out))])
		switch {
		case text && c == '\\':
			i++
		case c == '"':
			text, comma = !text, -1
		case text || strings.ContainsRune(" \t\r\n", rune(c)):
		case rest == "//":
			end := strings.IndexByte(string(out[i:]), '\n')
			if end < 0 {
				end = len(out) - i
			}
			blank(i, i+end)
		case rest == "/*":
			end := strings.Index(string(out[i+2:]), "*/")
			if end < 0 {
				return out // the parser says what is wrong
			}
			blank(i, i+2+end+2)
			i += end + 3
		case c == ',':
			comma = i
		case (c == '}' || c == ']') && comma >= 0:
			out[comma], comma = ' ', -1
		default:
			comma = -1
		}
	}
	return out
}
