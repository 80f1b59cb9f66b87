package run

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/model"
	"golem/core/project"
	"golem/core/prompt"
	"golem/core/sandbox"
	"golem/core/tool"
	"golem/core/trace"
)

// attachment is one file that a worker is to get.
type attachment struct {
	path string // virtual path in the caller's view; "" for a file from outside
	name string // base name
	mime string
	data []byte
}

// attachDir is the directory in which a worker sees the attachments that its own view
// does not show.
const attachDir = "attachments"

// fromOutside returns the files of --attach as attachments.
func fromOutside(files []File) []attachment {
	out := make([]attachment, len(files))
	for i, f := range files {
		out[i] = attachment{name: path.Base(path.Clean("/" + f.Name)), data: f.Data, mime: sniff(f.Name, f.Data)}
	}
	return out
}

// readAttachments reads the files that a call attaches, through the caller's view, and
// checks them against the caller's policy, then the callee's (S1-81, S1-82).
func readAttachments(view sandbox.FS, caller, callee *project.Worker, paths []string) ([]attachment, error) {
	var files []attachment
	limit := max(caller.Attachments.MaxTotalBytes, callee.Attachments.MaxTotalBytes)
	for _, p := range paths {
		name, err := sandbox.Clean(p)
		if err != nil {
			return nil, err
		}
		// Names and counts are checked before bytes are read.
		files = append(files, attachment{path: name, name: path.Base(name)})
	}
	for _, who := range []*project.Worker{caller, callee} {
		if err := checkAttachments(who, files); err != nil {
			return nil, err
		}
	}
	for i := range files {
		data, err := sandbox.ReadFile(view, files[i].path, limit+1)
		if err != nil {
			return nil, fault.New(fault.Attachment, "%s cannot be attached: %s", sandbox.Abs(files[i].path), unreadable(err)).
				Hinting("attach files that %s can read, by their path in the sandbox", caller.ID)
		}
		files[i].data, files[i].mime = data, sniff(files[i].name, data)
	}
	for _, who := range []*project.Worker{caller, callee} {
		if err := checkAttachments(who, files); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// unreadable returns the reason why a file cannot be read, without its path.
func unreadable(err error) string {
	var flt *fault.Fault
	if errors.As(err, &flt) {
		return flt.Message
	}
	if errors.Is(err, fs.ErrNotExist) {
		return "there is no such file"
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

// checkAttachments checks attachments against one worker's policy.
func checkAttachments(w *project.Worker, files []attachment) error {
	p := w.Attachments
	if len(files) > p.MaxAttachments {
		return fault.New(fault.Attachment, "%s allows %s, and the call has %d", w.ID, fault.Count(p.MaxAttachments, "attachment"), len(files)).
			Hinting("attach fewer files, or raise attachment_policy.max_attachments of %s", w.ID)
	}
	var total int64
	for _, f := range files {
		total += int64(len(f.data))
		suffix := strings.ToLower(path.Ext(f.name))
		has := func(list []string) bool {
			return slices.ContainsFunc(list, func(one string) bool { return strings.ToLower(one) == suffix })
		}
		if has(p.DeniedSuffixes) || len(p.AllowedSuffixes) > 0 && !has(p.AllowedSuffixes) {
			return fault.New(fault.Attachment, "%s does not accept %s: %s", w.ID, sandbox.FilesWith(suffix), f.name).
				Hinting("attachment_policy of %s: allowed %s, denied %s", w.ID,
					listOr(p.AllowedSuffixes, "any"), listOr(p.DeniedSuffixes, "none"))
		}
	}
	if total > p.MaxTotalBytes {
		return fault.New(fault.Attachment, "the attachments have %d bytes, and %s allows %d", total, w.ID, p.MaxTotalBytes).
			Hinting("attach less, or raise attachment_policy.max_total_bytes of %s", w.ID)
	}
	return nil
}

// attach makes attachments readable for the worker: at their own path if the worker
// sees the same file there, else read-only in /attachments (S1-83). It returns where
// each one is.
func (s *sight) attach(files []attachment) ([]prompt.File, error) {
	var listed []prompt.File
	for i, a := range files {
		at := a.path
		if a.path == "" || !s.sees(a) {
			base := fmt.Sprintf("%d-%s", i, a.name)
			if a.path == "" && s.free(a.name) {
				base = a.name // a file that a person attached keeps its name
			}
			for n := i + 1; !s.free(base); n++ {
				base = fmt.Sprintf("%d-%s", n, a.name)
			}
			if err := s.extra.WriteFile(base, a.data); err != nil {
				return nil, fault.Of(err, fault.Attachment)
			}
			at = attachDir + "/" + base
		}
		listed = append(listed, prompt.File{Path: sandbox.Abs(at), MIME: a.mime, Size: len(a.data)})
	}
	return listed, nil
}

// detach removes all attachments.
func (s *sight) detach() {
	files, _ := fs.ReadDir(s.extra, ".") // in memory
	for _, e := range files {
		_ = s.extra.Remove(e.Name())
	}
}

func (s *sight) free(base string) bool {
	_, err := fs.Stat(s.extra, base)
	return err != nil
}

// sees reports whether the worker sees the very same file at the attachment's path.
func (s *sight) sees(a attachment) bool {
	data, err := sandbox.ReadFile(s.files, a.path, int64(len(a.data))+1)
	return err == nil && bytes.Equal(data, a.data)
}

// attachedParts returns attachments as parts of a message to the model. A text that is not
// UTF-8 is decoded: the model and the person are told so.
func attachedParts(files []attachment, to *place) []model.Part {
	var out []model.Part
	for _, a := range files {
		p := model.Part{Kind: "file", Name: a.name, MIME: a.mime, Data: a.data}
		switch {
		case strings.HasPrefix(a.mime, "image/"):
			p.Kind = "image"
		case a.mime == "application/pdf":
			p.Kind = "pdf"
		case strings.HasPrefix(a.mime, "text/") || a.mime == "application/json":
			p.Kind = "text"
			if text, encoding := tool.Decoded(a.data); encoding != "" {
				p.Name, p.Data = a.name+" (decoded from "+encoding+")", text
				to.emit(trace.Warning{Code: fault.Attachment, Message: a.name + " is not UTF-8 text: the model gets it decoded from " + encoding})
			}
		}
		out = append(out, p)
	}
	return out
}

// sniff returns the media type of the content, without parameters. It distinguishes
// text files by their suffix.
func sniff(name string, data []byte) string {
	m := tool.MediaType(data)
	if m != "text/plain" {
		return m
	}
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".markdown":
		return "text/markdown"
	case ".csv":
		return "text/csv"
	case ".json":
		return "application/json"
	}
	return m
}
