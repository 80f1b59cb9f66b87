package run

import (
	"context"
	"path"
	"strings"

	"golem/core/fault"
	"golem/core/tool"
)

// Resource is the attachment that a person names as mcp:SERVER:URI, a resource of an MCP
// server of the worker; ok is false for other names.
func Resource(name string) (f File, ok bool) {
	rest, ok := strings.CutPrefix(name, "mcp:")
	server, uri, _ := strings.Cut(rest, ":")
	return File{Name: name, Server: server, URI: uri}, ok
}

// resources puts the content of resources in the place of their names. Only servers of
// the root's worker are asked, which a person trusts. Where it fails, it returns what
// needs no server.
func (f *frame) resources(ctx context.Context, in []File) (out []File, failed error) {
	for _, one := range in {
		if one.Server == "" {
			out = append(out, one)
			continue
		}
		got, err := f.resource(ctx, one)
		if err != nil && failed == nil {
			cause := fault.Of(err, fault.Attachment)
			failed = fault.New(fault.Attachment, "%s cannot be attached: %s", fault.Brief(one.Name), cause.Message).Hinting("%s", cause.Hint)
		}
		out = append(out, got...)
	}
	return out, failed
}

// resource is the content of a resource: its texts as one file, and each other part. The
// name comes from the URI that the person gave, the media type from the content.
func (f *frame) resource(ctx context.Context, of File) (out []File, err error) {
	name, _, _ := strings.Cut(of.URI, "?")
	if name = path.Base(name); name == "." || name == "/" {
		return nil, fault.New(fault.Attachment, "no resource is named").Hinting("write mcp:SERVER:URI")
	}
	limited, stop := f.tree.clock.timeout(ctx, f.worker.Limits.ToolTimeout, "reading a resource")
	defer stop()
	for _, c := range f.changing {
		servers, ok := c.set.(interface {
			Resource(ctx context.Context, server, uri string) (tool.Output, error)
		})
		if !ok {
			continue
		}
		got, err := servers.Resource(limited, of.Server, of.URI)
		if err != nil {
			return nil, err
		}
		if got.Text != "" || len(got.Parts) == 0 {
			out = append(out, File{Name: name, Data: []byte(got.Text)})
		}
		for _, p := range got.Parts {
			out = append(out, File{Name: name, Data: p.Data})
		}
		return out, nil
	}
	return nil, fault.New(fault.NotFound, "%s has no MCP servers", f.worker.ID).Hinting("name the server under toolsets.mcp of the worker")
}
