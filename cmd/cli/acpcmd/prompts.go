package acpcmd

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"runtime"
	"strings"

	acp "github.com/coder/acp-go-sdk"

	"golem/core/fault"
	"golem/core/run"
	"golem/core/sandbox"
	"golem/core/ui"
)

// promptRequest answers a prompt. begun is called when it counts as running, so that a
// session/cancel that the client sends next finds it.
func (a *agent) promptRequest(ctx context.Context, params json.RawMessage, begun func()) (any, *acp.RequestError) {
	var p acp.PromptRequest
	var s *session
	var running *prompt
	err := json.Unmarshal(params, &p)
	if err != nil {
		err = acp.NewInvalidParams(map[string]any{"error": err.Error()})
	}
	if err == nil {
		s, err = a.session(p.SessionId)
	}
	if err == nil {
		running, err = s.begin()
	}
	begun()
	if err != nil {
		return nil, answerTo(err)
	}
	defer s.end(running)
	leave := context.AfterFunc(ctx, func() { running.stop(stopped) }) // $/cancel_request, or the client is gone
	defer leave()
	if running.input, err = s.input(p.Prompt); err == nil {
		running.command = !ui.IsMessage(running.input.Text)
		err = s.answer(running)
	}
	if running.ctx.Err() != nil {
		return acp.PromptResponse{StopReason: acp.StopReasonCancelled}, nil
	}
	if err == nil && running.cut.Load() {
		return acp.PromptResponse{StopReason: acp.StopReasonMaxTokens}, nil
	}
	if reason := stopReason(err); reason != "" {
		return acp.PromptResponse{StopReason: reason}, nil
	}
	return nil, answerTo(err)
}

// stopReason returns why an answer ended; "" for an error that the client gets as one.
func stopReason(err error) acp.StopReason {
	switch {
	case err == nil:
		return acp.StopReasonEndTurn
	case errors.Is(err, fault.Turns):
		return acp.StopReasonMaxTurnRequests
	}
	return ""
}

// maxBlocks is how many parts a prompt may have.
const maxBlocks = 1000

// input returns a prompt as a message to the worker.
func (s *session) input(blocks []acp.ContentBlock) (run.Input, error) {
	var out run.Input
	var text strings.Builder
	if len(blocks) > maxBlocks {
		return out, fault.New(fault.Limit, "the prompt has %d parts, and golem takes %d", len(blocks), maxBlocks).Hinting("send fewer files with one message")
	}
	for i, b := range blocks {
		switch {
		case b.Text != nil:
			text.WriteString(b.Text.Text)
		case b.Image != nil:
			file, err := image(b.Image, len(out.Attachments)+1)
			if err != nil {
				return out, err
			}
			out.Attachments = append(out.Attachments, file)
		case b.ResourceLink != nil:
			text.WriteString(s.front.link(b.ResourceLink))
		case b.Resource != nil:
			file, told, err := s.front.resource(b.Resource.Resource, len(out.Attachments)+1)
			if err != nil {
				return out, err
			}
			text.WriteString(told)
			out.Attachments = append(out.Attachments, file)
		default:
			return out, fault.New(fault.Attachment, "part %d of the prompt is of a kind that golem does not take", i+1).Hinting("send text, images, resource links or embedded resources")
		}
	}
	out.Text = text.String()
	if strings.TrimSpace(out.Text) == "" && len(out.Attachments) == 0 {
		return out, fault.New(fault.Usage, "the prompt is empty").Hinting("write a message")
	}
	return out, out.Check()
}

// endings are the endings of the images that golem takes.
var endings = map[string]string{"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp"}

// image returns an image as an attachment.
func image(b *acp.ContentBlockImage, n int) (run.File, error) {
	data, err := base64.StdEncoding.DecodeString(b.Data)
	ending := endings[b.MimeType]
	if err != nil || len(data) == 0 || ending == "" {
		return run.File{}, fault.New(fault.Attachment, "an image of the prompt cannot be read: golem takes PNG, JPEG, GIF and WebP in base64")
	}
	return run.File{Name: fmt.Sprintf("image-%d%s", n, ending), Data: data}, nil
}

// link returns what a worker is told of a file or page to which the prompt links: the path by
// which it sees the file, and never where it is on this machine. The worker reads it itself.
func (f *front) link(b *acp.ContentBlockResourceLink) string {
	name, lines := f.named(b.Uri)
	switch {
	case name != "":
		return name + lines
	case isFile(b.Uri):
		return ui.OneLine(path.Base(filepath.ToSlash(b.Name))) + " (the worker does not see this file)"
	}
	return ui.SafeLine(b.Uri)
}

// resource returns a resource in a prompt as an attachment, and what the text says in its
// place.
func (f *front) resource(r acp.EmbeddedResourceResource, n int) (file run.File, told string, err error) {
	uri, data := "", []byte(nil)
	switch {
	case r.TextResourceContents != nil:
		uri, data = r.TextResourceContents.Uri, []byte(r.TextResourceContents.Text)
	case r.BlobResourceContents != nil:
		uri = r.BlobResourceContents.Uri
		if data, err = base64.StdEncoding.DecodeString(r.BlobResourceContents.Blob); err != nil {
			return file, "", fault.New(fault.Attachment, "a resource of the prompt is not base64")
		}
	default:
		return file, "", fault.New(fault.Attachment, "a resource of the prompt has no content")
	}
	name, lines := f.named(uri)
	base := path.Base(name)
	if name == "" {
		if base = path.Base(pathOf(uri)); base == "." || base == "/" || sandbox.Valid(base) != nil || len(base) > 100 {
			base = fmt.Sprintf("resource-%d.txt", n)
		}
		name = base
	}
	return run.File{Name: base, Data: data}, name + lines, nil
}

// named returns the path by which the worker sees the file of a URI, "" if it sees none, and
// the lines that the URI means: ":10-20".
func (f *front) named(uri string) (name, lines string) {
	if !isFile(uri) {
		return "", ""
	}
	u, err := url.Parse(uri)
	if err != nil || u.Host != "" && u.Host != "localhost" {
		return "", ""
	}
	var from, to int
	if n, _ := fmt.Sscanf(strings.ReplaceAll(u.Fragment, "-", ":"), "L%d:%d", &from, &to); n >= 1 && from > 0 {
		if lines = fmt.Sprintf(":%d", from); to > from {
			lines += fmt.Sprintf("-%d", to)
		}
	}
	return f.entryFiles().name(filepath.FromSlash(pathOf(uri))), lines
}

func isFile(uri string) bool { return strings.HasPrefix(uri, "file:") }

// pathOf returns the path of a URI; of one of a drive of Windows without the first slash.
func pathOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil {
		return ""
	}
	if runtime.GOOS == "windows" && len(u.Path) > 2 && u.Path[0] == '/' && u.Path[2] == ':' {
		return u.Path[1:]
	}
	return u.Path
}
