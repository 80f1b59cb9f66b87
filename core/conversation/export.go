package conversation

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/sorting"
)

// ExportKind and ExportVersion are the format of a conversation as a file that another
// machine or a page can import.
const (
	ExportKind    = "conversation-export"
	ExportVersion = 1
)

// The limits of an exported conversation: of the whole file, of the files in it together, in
// bytes, and of their number and that of the entries.
const (
	MaxExport     = 96 << 20
	maxExported   = 48 << 20
	maxPaths      = 20_000
	maxEntries    = 200_000
	maxCount      = 1_000_000 // of turns, calls and the like in an entry
	maxTokens     = 1 << 30   // of an entry
	maxExportName = 200       // of a project's name and the like, in bytes
)

// Export is a conversation with the files that its calls changed. As a file it is one JSON
// object.
type Export struct {
	Golem string `json:"golem"` // ExportKind
	V     int    `json:"v"`
	ExportOrigin
	ID      string            `json:"id"`
	Entries []json.RawMessage `json:"entries"`
	// Files are what the calls left, in the order of Kept.Files.
	Files []ExportedFile `json:"files"`
	// Digest is "sha256:" and the SHA-256 of ID, Entries and Files. It shows damage, and not who
	// made the file.
	Digest string `json:"digest"`
}

// ExportOrigin says where a conversation was exported. Anybody can write it.
type ExportOrigin struct {
	Version  string `json:"version"`  // golem's
	Platform string `json:"platform"` // native, browser
	Project  string `json:"project"`  // the name
	At       string `json:"at"`       // RFC 3339
}

// ExportedFile is a file of an Export.
type ExportedFile struct {
	Change
	Data []byte `json:"data,omitempty"`
	// Later says that the file was changed after the call: Data is what was there when the
	// conversation was exported.
	Later bool `json:"later,omitempty"`
}

// Contents has the files that the calls of a conversation changed, as they are now.
type Contents interface {
	// Content returns the content of a changed file: E_LIMIT if it is too large, E_PROTECTED if
	// no worker may read it, any other error if it is not there.
	Content(c Change) ([]byte, error)
}

// NewExport returns a conversation as it can be imported elsewhere. It removes the secrets that
// by knows once more; a file that has one does not go along. A conversation that is not
// genuine is E_TRUST.
func NewExport(k *Kept, from ExportOrigin, by Keeper, contents Contents) (*Export, error) {
	if k.Err != nil {
		return nil, k.Err
	}
	x := &Export{Golem: ExportKind, V: ExportVersion, ExportOrigin: from, ID: k.ID, Files: []ExportedFile{}}
	for _, line := range k.record.Lines {
		x.Entries = append(x.Entries, by.Redact(line))
	}
	var size int64
	for _, c := range k.Files() {
		f := ExportedFile{Change: c}
		if !c.Gone && !c.Dir {
			f.fill(by, contents)
			if size += int64(len(f.Data)); size > maxExported {
				size -= int64(len(f.Data))
				f.leave(LeftSize)
			}
		}
		x.Files = append(x.Files, f)
	}
	files, err := json.Marshal(x.Files)
	x.Digest = x.digest(files)
	return x, err
}

// fill sets what is in a file now.
func (f *ExportedFile) fill(by Keeper, contents Contents) {
	data, err := contents.Content(f.Change)
	switch {
	case errors.Is(err, fault.Protected):
		f.leave(LeftProtected)
	case err != nil && f.Left != "":
		f.leave(f.Left)
	case errors.Is(err, fault.Limit):
		f.leave(LeftSize)
	case err != nil:
		f.leave(LeftMissing)
	case by.HasSecret(data):
		f.leave(LeftSecret)
	default:
		sum := digestOf(data)
		f.Later = sum != f.SHA256
		f.SHA256, f.Size, f.Left, f.Data = sum, int64(len(data)), "", data
	}
}

// leave leaves the content out.
func (f *ExportedFile) leave(why string) { f.Left, f.SHA256, f.Data, f.Later = why, "", nil, false }

// digest returns what Digest must be; files is Files as JSON.
func (x *Export) digest(files json.RawMessage) string {
	data, err := json.Marshal(struct {
		ID      string
		Entries []json.RawMessage
		Files   json.RawMessage
	}{x.ID, x.Entries, files})
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// ParseExport reads an exported conversation, which can come from anybody, and checks all of
// it: an Export without an error can be shown and installed. It returns E_CONFIG for a file
// that is not one, is cut or damaged, or is of a newer version, E_LIMIT for one that is too
// large, and E_PATH for a path that golem would not write.
func ParseExport(data []byte) (*Export, error) {
	if len(data) > MaxExport {
		return nil, fault.New(fault.Limit, "the file has more than %d bytes, so it is not a conversation that golem exported", MaxExport)
	}
	x := &Export{}
	var raw struct {
		Files json.RawMessage `json:"files"`
	}
	if json.Unmarshal(data, x) != nil || json.Unmarshal(data, &raw) != nil {
		return nil, broken("it is cut, or is not a JSON object")
	}
	switch {
	case x.Golem != ExportKind:
		return nil, broken("it does not say that it is one")
	case x.V > ExportVersion:
		return nil, fault.New(fault.Config, "the conversation was exported by a newer golem: version %d of the format, and this golem reads up to %d", x.V, ExportVersion).
			Hinting("use a newer golem")
	case x.V < 1:
		return nil, broken("it has no version")
	case x.Digest != x.digest(raw.Files):
		return nil, broken("it was changed or damaged after it was exported: its digest does not fit")
	}
	if err := validID(x.ID); err != nil {
		return nil, broken("its ID is not one")
	}
	if err := x.checkEntries(); err != nil {
		return nil, err
	}
	if err := x.checkFiles(); err != nil {
		return nil, err
	}
	for _, text := range []*string{&x.Version, &x.Platform, &x.Project, &x.At} {
		*text = strings.ToValidUTF8((*text)[:min(len(*text), maxExportName)], "")
	}
	return x, nil
}

// broken returns the error for a file that is not an exported conversation.
func broken(why string) error {
	return fault.New(fault.Config, "this is not a conversation that can be imported: %s", why).
		Hinting("export it again: golem conversations export ID -o FILE, in the page: Conversations, move")
}

// checkEntries checks the entries as far as playing them again depends on it.
func (x *Export) checkEntries() error {
	if len(x.Entries) > maxEntries {
		return fault.New(fault.Limit, "the conversation has %d entries, and golem imports up to %d", len(x.Entries), maxEntries)
	}
	for i, raw := range x.Entries {
		var e Entry
		if err := json.Unmarshal(raw, &e); err != nil || bytes.IndexByte(raw, '\n') >= 0 {
			return broken("an entry cannot be read")
		}
		if (e.T == HeadEntry) != (i == 0) || i == 0 && (e.Run != x.ID || e.Worker == "") {
			return broken("it does not begin as a conversation does")
		}
		if !e.plausible() {
			return broken("an entry has a number that golem never writes")
		}
	}
	if len(x.Entries) == 0 {
		return broken("it is empty")
	}
	return nil
}

// plausible reports whether an entry has what golem writes: numbers of a size that can be,
// and the input of a message.
func (e *Entry) plausible() bool {
	if e.T == SteerEntry && e.Input == nil {
		return false
	}
	counts := []int{e.Turn, e.Calls}
	if e.From != nil {
		counts = append(counts, e.From.At)
	}
	if d := e.Dropped; d != nil {
		counts = append(counts, d.Exchanges, d.Turns)
	}
	if u := e.Usage; u != nil {
		if u.Cost < 0 || min(u.In, u.Out, u.Cached, u.Written) < 0 || max(u.In, u.Out, u.Cached, u.Written) > maxTokens {
			return false
		}
	}
	if a := e.Answer; a != nil {
		counts = append(counts, a.Attempts, a.Ran, len(a.Calls))
		for _, i := range e.Redacted {
			if i >= len(a.Calls) {
				return false
			}
		}
	}
	counts = append(counts, e.Redacted...)
	return !slices.ContainsFunc(counts, func(n int) bool { return n < 0 || n > maxCount })
}

// checkFiles checks paths, sizes and digests of the files, and the paths in the entries.
func (x *Export) checkFiles() error {
	if len(x.Files) > maxPaths {
		return fault.New(fault.Limit, "the conversation changed %d paths, and golem imports up to %d", len(x.Files), maxPaths)
	}
	names := map[string]string{} // by folded path of what is not removed
	for _, f := range x.Files {
		if err := checkPath(f.Change); err != nil {
			return err
		}
		whole := !f.Gone && !f.Dir && f.Left == ""
		switch {
		case f.Gone && f.Dir, !whole && len(f.Data) > 0, f.Size < 0:
			return broken("a file contradicts itself")
		case len(f.Data) > MaxFile:
			return fault.New(fault.Limit, "%s has more than %d bytes", fault.Quoted(f.Path), MaxFile)
		case whole && (digestOf(f.Data) != f.SHA256 || f.Size != int64(len(f.Data))):
			return broken("the content of " + fault.Quoted(f.Path) + " is not what it says")
		case f.Gone:
			continue
		}
		folded := sandbox.Fold(f.Path)
		if other, twice := names[folded]; twice {
			return fault.New(fault.Path, "the conversation has two files %s and %s, which many disks take for one", fault.Quoted(other), fault.Quoted(f.Path)).
				Hinting("rename one of them where the conversation is from")
		}
		names[folded] = f.Path
	}
	for _, c := range x.Kept().Files() {
		if err := checkPath(c); err != nil {
			return err
		}
	}
	return nil
}

// checkPath returns E_PATH for a path that no call of golem writes or removes.
func checkPath(c Change) error {
	valid := sandbox.ValidNew
	if c.Gone {
		valid = sandbox.Valid
	}
	if c.Path == "." || valid(c.Path) != nil {
		return fault.New(fault.Path, "the conversation changed %s, which is not a path in a project", fault.Quoted(c.Path)).
			Hinting("somebody else made this file: golem does not import it")
	}
	return nil
}

// Kept returns the conversation, to be shown.
func (x *Export) Kept() *Kept {
	k := &Kept{ID: x.ID}
	for _, raw := range x.Entries {
		var e Entry
		if json.Unmarshal(raw, &e) == nil {
			k.entries = append(k.entries, e)
		}
	}
	k.index()
	return k
}

// Systems returns the instructions that workers were given, by worker, in order.
func (x *Export) Systems() (out []Entry) {
	k := x.Kept()
	for i := range k.entries {
		if e := &k.entries[i]; e.T == BeginEntry && !slices.ContainsFunc(out, func(o Entry) bool { return o.Worker == e.Worker && o.System == e.System }) {
			out = append(out, *e)
		}
	}
	sorting.By(out, func(a, b Entry) int { return strings.Compare(a.Worker, b.Worker) })
	return out
}
