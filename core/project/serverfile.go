package project

import (
	"fmt"
	"strconv"
	"strings"

	"golem/core/fault"
	"golem/core/yamltree"
)

// serverFile puts the MCP servers of the file that toolsets.mcp.from names into the
// configuration, as if they stood there. What the configuration itself says of a server
// wins; false removes one. The file is of the form that editors and agents use:
// {"mcpServers": {NAME: {…}}}, or {"servers": {…}}.
func (b *built) serverFile() {
	mcp := b.eff.Path("toolsets", "mcp")
	from := mcp.Get("from")
	if from == nil {
		return
	}
	own := mcp.With("from", nil)
	defer func() { b.eff = b.eff.With("toolsets", b.eff.Get("toolsets").With("mcp", own)) }()
	name, inside := inside(from.Text)
	if !inside {
		b.add(from.Pos.Fault(fault.Path, "toolsets.mcp.from: %s is not inside the project", fault.Quoted(from.Text)).Hinting("name a file of the project, such as .mcp.json"))
		return
	}
	l := b.d.at(name)
	data, f := b.p.read(l, maxFile)
	if f != nil {
		b.add(from.Pos.Fault(f.Code, "toolsets.mcp.from: %s", f.Message).Hinting("%s", f.Hint))
		return
	}
	root, f := yamltree.ParseJSON(l.String(), plainJSON(data))
	if f != nil {
		b.add(f)
		return
	}
	servers := root.Get("mcpServers")
	if servers == nil {
		servers = root.Get("servers")
	}
	if servers == nil || servers.Kind != yamltree.Mapping {
		b.add(root.Pos.Fault(fault.Config, "%s has no servers", l.String()).Hinting(`write {"mcpServers": {NAME: {"command": …} or {"url": …}}}`))
		return
	}
	found := &yamltree.Node{Pos: servers.Pos, Kind: yamltree.Mapping}
	for _, one := range servers.Fields {
		if mapped := b.foreignServer(one); mapped != nil {
			key := freeName(found, one.Name)
			found.Fields = append(found.Fields, yamltree.Field{Name: key, Pos: one.Pos, Value: mapped})
		}
	}
	own = yamltree.Merge(found, own)
}

// maxServerName is the longest name of a server, in bytes.
const maxServerName = 24

// freeName returns a name that golem allows for a server, and that no other server has:
// its own with - for other characters.
func freeName(taken *yamltree.Node, name string) string {
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
// that is switched off or that golem cannot use, which is a warning.
func (b *built) foreignServer(one yamltree.Field) *yamltree.Node {
	lost := func(at yamltree.Pos, format string, args ...any) *yamltree.Node {
		f := at.Fault(fault.Config, "the MCP server "+fault.Quoted(one.Name)+" is not used: "+format, args...)
		f.Severity = fault.Warning
		b.add(f)
		return nil
	}
	n := one.Value
	switch {
	case n.Kind != yamltree.Mapping:
		return lost(n.Pos, "expected its settings, found %s", n.Found())
	case n.Get("disabled").Flag() || n.Get("enabled") != nil && !n.Get("enabled").Flag():
		return nil
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
		f := n.Pos.Fault(fault.Config, "golem does not use these settings of the MCP server %s: %s", fault.Quoted(one.Name), fault.Brief(strings.Join(ignored, ", ")))
		f.Severity = fault.Warning
		b.add(f)
	}
	return out
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

// plainJSON returns JSON with blanks in place of comments and of commas before a closing
// bracket, which editors allow in their files; every position stays.
func plainJSON(data []byte) []byte {
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
