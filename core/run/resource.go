package run

import (
	"context"
	"path"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/tool"
)

// Resource returns the attachment for the name mcp:SERVER:URI, a resource of an MCP
// server of the worker, which is read when the message is sent. ok is false for other
// names.
func Resource(name string) (f File, ok bool) {
	rest, ok := strings.CutPrefix(name, "mcp:")
	server, uri, _ := strings.Cut(rest, ":")
	return File{Name: name, Resource: ok, Server: server, URI: uri}, ok
}

// unread reports whether an attached resource was not read yet.
func (in Input) unread() bool {
	return slices.ContainsFunc(in.Attachments, func(f File) bool { return f.Resource })
}

// resources returns the files with the content of resources in their place. It asks
// only servers of the root's worker, which a person trusts.
func (f *workerRun) resources(ctx context.Context, in []File) (out []File, err error) {
	for _, one := range in {
		if !one.Resource {
			out = append(out, one)
			continue
		}
		got, err := f.resource(ctx, one)
		if ctx.Err() != nil {
			return nil, fault.Of(context.Cause(ctx), fault.Interrupted)
		}
		if err != nil {
			cause := fault.Of(err, fault.Attachment)
			return nil, fault.New(fault.Attachment, "%s cannot be attached: %s", fault.Brief(one.Name), cause.Message).Hinting("%s", cause.Hint)
		}
		out = append(out, got...)
	}
	return out, nil
}

// resource returns the content of a resource: its texts as one file, and a file for
// each other part. The name comes from the URI that the person gave, the media type
// from the content.
func (f *workerRun) resource(ctx context.Context, of File) (out []File, err error) {
	if of.Server == "" || of.URI == "" {
		return nil, fault.New(fault.Attachment, "it does not name a server and a resource").Hinting("write mcp:SERVER:URI; for a file whose name begins with mcp: write ./mcp:…")
	}
	name := uriName(of.URI)
	limited, stop := f.tree.clock.timeout(ctx, f.worker.Limits.ToolTimeout, "reading a resource")
	defer stop()
	for _, c := range f.toolbox.changing {
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

// uriName returns the name of the file for a resource: the last part of its URI, with -
// for characters that a platform forbids; "resource" if no valid name results.
func uriName(uri string) string {
	uri, _, _ = strings.Cut(uri, "#")
	uri, _, _ = strings.Cut(uri, "?")
	name := strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`<>:"|*\`, r) {
			return '-'
		}
		return r
	}, path.Base(strings.ToValidUTF8(uri, "-")))
	if name == "." || name == "/" || sandbox.ValidNew(name) != nil {
		return "resource"
	}
	return name
}
