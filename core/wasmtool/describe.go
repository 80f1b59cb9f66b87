package wasmtool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"regexp"
	"strings"
	"time"
	"unicode"

	"golem/core/fault"
	"golem/core/tool"
	"golem/core/wasmtool/guard"
)

// Section is the custom section that holds a module's description.
const Section = "golem.tools"

// ErrUndescribed is Describe's answer where a module would have to be run to
// tell its tools, and must not.
var ErrUndescribed = errors.New("undescribed: only running it would tell its tools")

// Description is one tool as its module describes it: its own word, which may
// make golem stricter, never laxer (SPEC §6).
type Description struct {
	Name          string          `json:"name"`
	Description   string          `json:"description,omitempty"`
	Input         json.RawMessage `json:"inputSchema,omitempty"`
	Output        json.RawMessage `json:"outputSchema,omitempty"`
	Risk          tool.Risk       `json:"risk,omitempty"`
	Exec          tool.Exec       `json:"exec,omitempty"`
	NeedsApproval *bool           `json:"needs_approval,omitempty"`
	Stateful      bool            `json:"stateful,omitempty"`
	Timeout       string          `json:"timeout,omitempty"` // a Go duration; "": the worker's tool_timeout
}

// Bounds of a description.
const (
	maxTools       = 256
	maxDescription = 16 << 10 // bytes of one text
)

var toolName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// Describe tells a module's tools: by its custom section, else its sidecar,
// else, with run, by running its describe function without any grant. That
// last answer is cached by digest.
func (m *Module) Describe(ctx context.Context, run bool) ([]Description, error) {
	ds, err := m.written()
	if ds != nil || err != nil {
		return ds, err
	}
	s, err := m.shape(ctx)
	if err != nil {
		return nil, err
	}
	if s == plain {
		return nil, m.contract()
	}
	key := "describe-" + m.digest
	if doc, ok := m.library.cached(key); ok {
		if ds, err := parseDescription(doc); err == nil {
			return ds, nil
		}
	}
	if !run {
		return nil, ErrUndescribed
	}
	doc, err := m.describe(ctx, s)
	if err != nil {
		return nil, m.at(err)
	}
	ds, err = parseDescription(doc)
	if err != nil {
		return nil, m.at(err)
	}
	m.library.keep(key, doc)
	return ds, nil
}

// written is a description that needs no run: nil if there is none.
func (m *Module) written() ([]Description, error) {
	doc, err := m.section()
	if err != nil {
		return nil, m.at(err)
	}
	if doc != nil {
		ds, err := parseDescription(doc)
		if err != nil {
			return nil, m.at(err)
		}
		return ds, nil
	}
	if m.source.Sidecar == nil {
		return nil, nil
	}
	raw, err := m.source.Sidecar()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fault.Of(err, fault.Config).At(sidecarName(m.source.Path), 0, 0)
	}
	return ParseSidecar(raw, sidecarName(m.source.Path))
}

// section reads the custom section, from section to section where the file
// lets us, so that a big module is not read for its description.
func (m *Module) section() ([]byte, error) {
	if m.data != nil {
		return guard.Custom(m.data, Section)
	}
	f, err := m.source.Open()
	if err != nil {
		return nil, fault.New(fault.NotFound, "the tool module cannot be read: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if at, ok := f.(io.ReaderAt); ok {
		var head [8]byte
		if n, _ := at.ReadAt(head[:], 0); n == 8 && head[4] == 0x0d {
			return nil, m.component()
		}
		return guard.ReadCustom(at, info.Size(), Section)
	}
	data, err := readLimited(f, guard.MaxSize)
	if err != nil {
		return nil, err
	}
	if len(data) >= 8 && data[4] == 0x0d {
		return nil, m.component()
	}
	return guard.Custom(data, Section)
}

// describe runs the module for its description: no files, no network, no
// configuration, little fuel and time.
func (m *Module) describe(ctx context.Context, s shape) ([]byte, error) {
	c, err := m.compiled(ctx)
	if err != nil {
		return nil, err
	}
	in := Invocation{Form: Extism, Export: "describe", Limits: Limits{Time: 10 * time.Second}}
	switch s {
	case hyper:
		in.Export = "list_tools"
		in.Input = []byte(`{"request":{},"context":{}}`)
	case command:
		in.Form = Command
		in.Args = []string{m.base(), "describe"}
	}
	res, err := c.Call(ctx, in, Host{})
	if err != nil {
		f := *fault.Of(err, fault.Tool)
		f.Message = "asked for its tools: " + f.Message
		return nil, &f
	}
	return res.Output, nil
}

// parseDescription reads the JSON of a description.
func parseDescription(doc []byte) ([]Description, error) {
	var d struct {
		Tools []Description `json:"tools"`
	}
	if err := json.Unmarshal(doc, &d); err != nil {
		return nil, fault.New(fault.ToolContract, "its description is not the JSON of tools: %v", err).
			Hinting(`it is {"tools":[{"name","description","inputSchema"}]}`)
	}
	return d.Tools, checkDescriptions(d.Tools)
}

// checkDescriptions holds a description to what golem can offer a model.
func checkDescriptions(ds []Description) error {
	if len(ds) == 0 {
		return fault.New(fault.ToolContract, "its description names no tools")
	}
	if len(ds) > maxTools {
		return fault.New(fault.ToolContract, "its description names %d tools, at most %d are allowed", len(ds), maxTools)
	}
	seen := map[string]bool{}
	for i := range ds {
		d := &ds[i]
		if !toolName.MatchString(d.Name) {
			return fault.New(fault.ToolContract, "its description has a tool named %q; a name has 1 to 64 letters, digits, _ and -", escaped([]byte(d.Name), 80))
		}
		if seen[d.Name] {
			return fault.New(fault.ToolContract, "its description names the tool %s twice", d.Name)
		}
		seen[d.Name] = true
		if err := d.check(); err != nil {
			return err
		}
	}
	return nil
}

func (d *Description) check() error {
	if len(d.Description) > maxDescription {
		return fault.New(fault.ToolContract, "the description of %s has %d bytes, at most %d are allowed", d.Name, len(d.Description), maxDescription)
	}
	d.Description = cleaned(d.Description)
	for what, schema := range map[string]*json.RawMessage{"inputSchema": &d.Input, "outputSchema": &d.Output} {
		if len(*schema) == 0 || bytes.Equal(*schema, []byte("null")) {
			*schema = nil
			continue
		}
		if _, err := tool.Compile(*schema); err != nil {
			return fault.New(fault.Schema, "the %s of %s is not valid: %w", what, d.Name, err)
		}
	}
	switch d.Risk {
	case "", tool.Read, tool.Write, tool.Network, tool.Destructive, tool.Command:
	default:
		return fault.New(fault.ToolContract, "the risk of %s is %q; read, write, network, destructive and command are known", d.Name, escaped([]byte(d.Risk), 40))
	}
	switch d.Exec {
	case "", tool.ExecLLM, tool.ExecManual, tool.ExecBoth:
	default:
		return fault.New(fault.ToolContract, "the exec of %s is %q; llm, manual and both are known", d.Name, escaped([]byte(d.Exec), 40))
	}
	if d.Timeout != "" {
		if t, err := time.ParseDuration(d.Timeout); err != nil || t <= 0 {
			return fault.New(fault.ToolContract, "the timeout of %s is %q; it is a duration like 10s", d.Name, escaped([]byte(d.Timeout), 40))
		}
	}
	return nil
}

// cleaned takes control and invisible characters out of a text that a model
// and a person will read.
func cleaned(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// readLimited reads a file that may have limit bytes.
func readLimited(f io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, fault.New(fault.ToolModule, "the module has more than %d bytes", limit)
	}
	return data, nil
}
