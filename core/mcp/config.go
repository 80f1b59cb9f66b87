package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"golem/core/fault"
	"golem/core/tool"
)

// Config has the settings of a server in a worker's file, under toolsets.mcp.NAME.
type Config struct {
	Command string                `json:"command,omitempty"`
	Args    []tool.Value          `json:"args,omitempty"`
	Env     map[string]tool.Value `json:"env,omitempty"`
	URL     string                `json:"url,omitempty"`
	Headers map[string]tool.Value `json:"headers,omitempty"`
	// Tools are globs for the names of the tools that the worker gets; empty: all tools.
	Tools []string `json:"tools,omitempty"`
	// Optional says that a server that cannot be used is a warning: its tools are absent.
	Optional bool `json:"optional,omitempty"`
	// Cwd is the directory in the project in which the command is started; "": the root.
	Cwd string `json:"cwd,omitempty"`
	// Timeout is how long the server may take to begin; 0: one minute.
	Timeout Duration `json:"timeout,omitempty"`
}

// Duration is a time in a file: a text such as 90s, or a number of seconds.
type Duration time.Duration

// UnmarshalJSON reads a text or a number of seconds.
func (d *Duration) UnmarshalJSON(raw []byte) error {
	var seconds float64
	if json.Unmarshal(raw, &seconds) == nil {
		*d = Duration(seconds * float64(time.Second))
	} else if parsed, err := time.ParseDuration(text(raw)); err == nil {
		*d = Duration(parsed)
	} else {
		return errors.New("timeout: write a time such as 90s")
	}
	if *d <= 0 || time.Duration(*d) > maxTimeout {
		return fmt.Errorf("timeout: write a time of at most %v", maxTimeout)
	}
	return nil
}

// MarshalJSON writes the time as a text.
func (d Duration) MarshalJSON() ([]byte, error) { return json.Marshal(time.Duration(d).String()) }

// Configs reads the options of the toolset mcp, which are servers by name. It leaves out
// servers whose value is false. The error has an E_CONFIG for each server that cannot be
// used, and names it.
func Configs(options json.RawMessage) (map[string]Config, error) {
	var raw map[string]json.RawMessage
	if len(options) > 0 {
		if err := json.Unmarshal(options, &raw); err != nil {
			return nil, fault.New(fault.Config, "the options of toolset mcp must be servers by name").Hinting("write mcp: {NAME: {command: …} or {url: …}}")
		}
	}
	out := map[string]Config{}
	var faults fault.List
	for _, name := range slices.Sorted(maps.Keys(raw)) {
		if string(raw[name]) == "false" {
			continue
		}
		c, err := configOf(name, raw[name])
		if err != nil {
			faults = append(faults, fault.Of(err, fault.Config))
			continue
		}
		out[name] = c
	}
	return out, faults.Err()
}

// configOf reads the settings of one server.
func configOf(name string, raw json.RawMessage) (c Config, err error) {
	if problem := NameProblem(name); problem != "" {
		return c, fault.New(fault.Config, "toolset mcp: %s %s", fault.Quoted(name), problem)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&c); err != nil {
		return c, fault.New(fault.Config, "toolset mcp: the server %s: %s", fault.Quoted(name), strings.TrimPrefix(err.Error(), "json: "))
	}
	return c, c.check(name)
}

// NameProblem returns what is wrong with the name of a server, or "".
func NameProblem(name string) string {
	ok := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-'
	}
	if name == "" || len(name) > maxServer || strings.Contains(name, "__") || strings.ContainsFunc(name, func(r rune) bool { return !ok(r) }) {
		return "is not a name for a server: use at most 24 letters, digits, - and _, and no __"
	}
	return ""
}

func (c Config) check(name string) error {
	bad := func(format string, args ...any) *fault.Fault {
		return fault.New(fault.Config, "toolset mcp: the server "+fault.Quoted(name)+" "+format, args...)
	}
	switch {
	case (c.Command == "") == (c.URL == ""):
		return bad("needs either command or url").Hinting("write command: PROGRAM for a program, or url: https://… for a server on the network")
	case c.URL != "" && (len(c.Args) > 0 || len(c.Env) > 0):
		return bad("has a url, so args and env have no effect").Hinting("remove them, or write headers")
	case c.Command != "" && len(c.Headers) > 0:
		return bad("has a command, so headers have no effect").Hinting("remove them, or write env")
	}
	for _, v := range append([]tool.Value{{Text: c.Command}}, c.Args...) {
		if strings.ContainsRune(v.Text, 0) {
			return bad("has a NUL byte in its command")
		}
	}
	if c.Cwd != "" && (c.URL != "" || !inProject(c.Cwd)) {
		return bad("has cwd %s, which is not a directory of the project for a command", fault.Quoted(c.Cwd)).Hinting("write a path below the project's root, such as ./server")
	}
	if problem := c.references(); problem != "" {
		return bad("%s", problem).Hinting("write ${NAME} or ${NAME:-text}, for a variable of the environment, and $$ for a dollar sign before {")
	}
	for _, glob := range c.Tools {
		if _, err := path.Match(glob, ""); err != nil {
			return bad("has %s in tools, which is not a pattern", fault.Quoted(glob)).Hinting("write names, with * for any letters")
		}
	}
	if c.URL == "" {
		return nil
	}
	if problem, hint := urlProblem(c.URL); problem != "" {
		return bad("has the url %s: %s", fault.Quoted(c.URL), problem).Hinting("%s", hint)
	}
	return nil
}

func urlProblem(text string) (problem, hint string) {
	u, err := url.Parse(text)
	switch {
	case err != nil, u.Host == "", u.User != nil, u.Fragment != "":
		return "an address has a host, and neither a user nor a part after #", "write https://HOST/PATH; a key belongs in headers"
	case u.Scheme == "https", u.Scheme == "http" && loopback(u.Hostname()):
		return "", ""
	}
	return "only https, and http on this machine, are allowed", "what is sent over http can be read on the way"
}

// CheckURL returns E_USAGE if golem does not accept a text as the address of an MCP server.
func CheckURL(text string) error {
	if problem, hint := urlProblem(text); problem != "" {
		return fault.New(fault.Usage, "%s cannot be used as the address of an MCP server: %s", fault.Quoted(text), problem).Hinting("%s", hint)
	}
	return nil
}

func loopback(host string) bool {
	return host == "localhost" || host == "127.0.0.1" || host == "::1"
}

// Offers reports whether the worker gets the tool of this name.
func (c Config) Offers(tool string) bool {
	return len(c.Tools) == 0 || slices.ContainsFunc(c.Tools, func(glob string) bool {
		ok, err := path.Match(glob, tool)
		return ok && err == nil
	})
}

// Server returns the settings of the server. lookup returns the text for a value that
// refers to an environment variable or a secret. The error is the first one of lookup.
func (c Config) Server(name string, lookup func(tool.Value) (string, error)) (Server, error) {
	s := Server{Name: name, Command: c.Command, Cwd: c.Cwd, Timeout: time.Duration(c.Timeout)}
	var err error
	resolve := func(v tool.Value) string {
		found, missing := resolved(v, lookup)
		if missing != nil && err == nil {
			err = missing
		}
		return found
	}
	all := func(values map[string]tool.Value) map[string]string {
		out := map[string]string{}
		for _, key := range slices.Sorted(maps.Keys(values)) {
			out[key] = resolve(values[key])
		}
		return out
	}
	for _, v := range c.Args {
		s.Args = append(s.Args, resolve(v))
	}
	s.URL, s.Env, s.Headers = resolve(tool.Value{Text: c.URL}), all(c.Env), all(c.Headers)
	return s, err
}
