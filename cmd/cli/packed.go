package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golem/core"
	"golem/core/approval"
	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/workspace"
	"golem/sandbox/osfs"
)

// packed is a packed project that was given as TARGET. Running it changes nothing on
// the disk: all changes are in memory.
type packed struct {
	*workspace.Pack
	work sandbox.FS // the project's files, overlaid with the changes of this run
	dir  string     // the directory of the packed file; "": it came from an address
}

// isAddress reports whether a word is an http or https address, and so names a packed
// project.
func isAddress(word string) bool {
	return strings.HasPrefix(word, "https://") || strings.HasPrefix(word, "http://")
}

// isPack reports whether a word names a packed project: a file that ends in .golem, or
// an address.
func isPack(word string) bool {
	return isAddress(word) || strings.EqualFold(filepath.Ext(word), workspace.PackSuffix)
}

// packedTarget reads and verifies a packed project, and prints a line about it.
func (h *host) packedTarget(f *flags, word string) (place, error) {
	if f.given("project") {
		return place{}, usage("TARGET %s and --project name two different projects", word).Hinting("leave one of them out")
	}
	for _, flag := range []string{"no-project", "allow-outside", "lib"} {
		if f.given(flag) {
			return place{}, usage("--%s cannot be used with a packed project: it uses only the files inside the packed file", flag).Hinting("leave it out, or " + unpackIt)
		}
	}
	p, err := h.readPack(word)
	if err != nil {
		return place{}, err
	}
	if f.given("verify") {
		if err := h.verified(p, f.verify); err != nil {
			return place{}, err
		}
	}
	h.say("%s", aboutPack(word, p))
	out := &packed{Pack: p, work: sandbox.Overlay(p.Project)}
	if !isAddress(word) {
		out.dir = filepath.Dir(h.path(word))
	}
	return place{pack: out}, nil
}

// readPack reads and verifies a packed project, from the disk or from an address.
func (h *host) readPack(word string) (*workspace.Pack, error) {
	data, err := h.packBytes(word)
	if err != nil {
		return nil, err
	}
	p, err := workspace.ReadPack(data)
	if err != nil {
		return nil, fault.Of(err, fault.Lock).At(oneLine(word), 0, 0)
	}
	return p, nil
}

// packBytes returns the bytes of a packed project, not verified.
func (h *host) packBytes(word string) ([]byte, error) {
	if isAddress(word) {
		return h.fetchPack(word)
	}
	data, err := h.readFile(word, workspace.MaxPack)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.New(fault.NotFound, "there is no file %s", word).Hinting("paths are relative to the current directory")
	case errors.Is(err, errTooLarge):
		return nil, fault.New(fault.Limit, "%s has more than %d bytes", word, workspace.MaxPack)
	case err != nil:
		return nil, fault.New(fault.NotFound, "%s cannot be read: %s", word, cause(err))
	}
	return data, nil
}

// verified checks that a key signed the packed project. key is a public key, or a file
// that contains one. A text that is a key is never read as the name of a file, which
// somebody may have put there.
func (h *host) verified(p *workspace.Pack, key string) error {
	if !workspace.IsPublicKey(key) {
		if data, err := h.readFile(key, 4<<10); err == nil {
			key = string(data)
		}
	}
	return p.SignedBy(key)
}

// aboutPack returns one line about a packed project: what it is and who signed it.
func aboutPack(word string, p *workspace.Pack) string {
	if u, err := url.Parse(word); err == nil && isAddress(word) {
		word = path.Base(u.Path)
	}
	title := strings.TrimSpace(p.Name + " " + p.Version)
	if p.Entry != "" {
		title += ", entry " + p.Entry
	}
	signed := "not signed"
	if p.Signer != nil {
		signed = "signed with the key " + p.Signer.Key + " (" + p.Signer.Comment + ")"
	}
	return fmt.Sprintf("%s: %s, %s, %s, %s, %s", filepath.Base(word), title, fault.Count(len(p.Files), "file"), bytesOf(p.Bytes), p.Digest, signed)
}

// trustKey returns the name of a packed project in trust.json. It depends on the
// content and the signer, and not on the place of the file.
func (p *packed) trustKey() string {
	key := "packed:" + p.Digest
	if p.Signer != nil {
		key += ":" + p.Signer.Key
	}
	return key
}

func (p *packed) source() []approval.Line { return core.PackLines(p.Pack) }

// mount opens the project's root. Any other source is an error, because a packed
// project has no files outside itself.
func (p *packed) mount(source string) (sandbox.FS, error) {
	if path.Clean(source) == "." {
		return p.work, nil
	}
	return nil, fault.New(fault.Path, "the mount source %s is outside the project", source).
		Hinting("a packed project reaches its own files only")
}

// emptyOutput checks before the run that the directory of --output is empty or does not
// exist, so that the files of the run do not mix with others.
func (h *host) emptyOutput(f *flags, p place) error {
	if !f.given("output") {
		return nil
	}
	if p.pack == nil {
		return usage("--output is for packed projects").Hinting("a project directory is where its workers write; leave --output out")
	}
	entries, err := os.ReadDir(h.path(f.output))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return usage("--output %s: %s", f.output, cause(err)).Hinting("name a directory that does not exist yet")
	case len(entries) > 0:
		return fault.New(fault.Conflict, "the directory %s of --output has files already", f.output).Hinting("name a new directory; nothing was run")
	}
	return nil
}

// keepWritten copies what a packed project wrote to the directory of --output. Without
// the flag it prints that the files are lost.
func (h *host) keepWritten(f *flags, p place) error {
	if p.pack == nil {
		return nil
	}
	names, err := workspace.Written(p.pack.Project, p.pack.work)
	if err != nil || len(names) == 0 {
		if err == nil && f.given("output") {
			h.say("the run wrote nothing, so %s was not made", f.output)
		}
		return err
	}
	if !f.given("output") {
		h.say("the run wrote %s, in memory only; with --output DIR golem keeps what a run writes", fault.Count(len(names), "file"))
		return nil
	}
	err = os.MkdirAll(h.path(f.output), 0o755)
	var dir *osfs.FS
	if err == nil {
		dir, err = osfs.Open(h.path(f.output))
	}
	if err == nil {
		defer dir.Close()
		err = workspace.Copy(workspace.Over(dir), p.pack.work, names)
	}
	if err != nil {
		var bad *fault.Fault
		if !errors.As(err, &bad) {
			bad = fault.New(fault.Usage, "%s", cause(err))
		}
		h.say("%s could not be written to %s: %s", fault.Count(len(names), "file"), f.output, bad.Error())
		return exitCode(exitFailed)
	}
	h.say("what the run wrote is in %s: %s", f.output, fault.Count(len(names), "file"))
	return nil
}
