package core

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"golem/core/clearance"
	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/textdiff"
)

// ImportPlan is what importing a conversation would do here, for a person to decide. Nothing
// is kept or written before Import.
type ImportPlan struct {
	Origin  conversation.ExportOrigin `json:"origin"`
	Listing conversation.Listing      `json:"listing"`
	Digest  string                    `json:"digest"` // of all that it would do: a yes is about this
	Files   []ImportFile              `json:"files"`
	// Instructions are those that the conversation has for workers, and that are not seen to be
	// the ones of the project's files.
	Instructions []ImportText  `json:"instructions,omitempty"`
	Changed      []string      `json:"changed,omitempty"` // files of workers that are different here
	Doubts       []ImportDoubt `json:"doubts,omitempty"`
	Model        string        `json:"model,omitempty"` // that was chosen in the conversation

	export   *conversation.Export
	instance *Instance
}

// ImportText is a text about a worker.
type ImportText struct {
	Worker string `json:"worker"`
	Text   string `json:"text"`
}

// ImportDoubt is a call whose end the conversation does not have.
type ImportDoubt struct {
	Tool string `json:"tool"`
	Args string `json:"args"`
}

// The values of ImportFile.Action.
const (
	ImportWrite  = "write"  // a new file, or another content
	ImportRemove = "remove" // a file
	ImportMake   = "make"   // a directory
	ImportSame   = "same"   // it is so already
	ImportLeave  = "leave"  // it is left out, see Why
)

// ImportFile is what an import would do at a path of the project.
type ImportFile struct {
	Path   string `json:"path"`
	Action string `json:"action"`
	Why    string `json:"why,omitempty"`  // of ImportLeave: a value of conversation.Change.Left, or "place"
	Diff   string `json:"diff,omitempty"` // unified, or a line with the sizes
	// Later says that it is not what the call wrote: it was changed after the call.
	Later bool `json:"later,omitempty"`

	before string // digest of what is there; "": nothing
	file   conversation.ExportedFile
}

// leftPlace is why a file is left out where a directory is.
const leftPlace = "place"

// PlanImport reads an exported conversation and says what importing it would do. The file can
// come from anybody: what golem would not export is an error, see conversation.ParseExport. It
// returns E_CONFLICT if the project does not have the conversation's worker.
func PlanImport(i *Instance, data []byte) (*ImportPlan, error) {
	if i.Conversations() == nil {
		return nil, fault.New(fault.NotFound, "no conversations are kept here").Hinting("golem keeps them with files on disk, where GOLEM_HOME is set")
	}
	x, err := conversation.ParseExport(data)
	if err != nil {
		return nil, err
	}
	k := x.Kept()
	if !i.has(k) {
		return nil, fault.New(fault.Conflict, "the conversation belongs to the worker %s (%s), and this project has none", fault.Quoted(k.Head.Worker), fault.Brief(k.Head.File)).
			Hinting("import it into the project that it is about")
	}
	p := &ImportPlan{Origin: x.ExportOrigin, Listing: k.Listing(), Files: []ImportFile{}, Model: k.Model, export: x, instance: i}
	for _, d := range changed(i.project, k) {
		p.Changed = append(p.Changed, d.File)
	}
	for _, e := range x.Systems() {
		w, err := i.project.Workers.Find(e.Worker)
		if err != nil || w.Template || !strings.Contains(e.System, w.Instructions) {
			p.Instructions = append(p.Instructions, ImportText{e.Worker, e.System})
		}
	}
	if k.Pending(true) {
		for _, d := range k.Reopen() {
			p.Doubts = append(p.Doubts, ImportDoubt{d.Tool, d.Args})
		}
	}
	if !i.platform.Volatile {
		err = p.planFiles()
	}
	p.Digest = p.digest()
	return p, err
}

// digest returns the digest of what the import would do.
func (p *ImportPlan) digest() string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n", p.export.Digest)
	for _, f := range p.Files {
		fmt.Fprintf(h, "%q %s %s %q\n", f.Path, f.Action, f.Why, f.before)
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// has reports whether the project has the worker of a conversation.
func (o *opened) has(k *conversation.Kept) bool {
	if entry, err := o.project.Workers.Entry(); err == nil && goesWith(k, entry) == nil {
		return true
	}
	w, err := o.project.Workers.Find(k.Head.Worker)
	return err == nil && w.File == k.Head.File
}

// planFiles compares the files with those of the project.
func (p *ImportPlan) planFiles() error {
	root, err := p.instance.files().Mount(".")
	if err != nil {
		return fault.Of(err, fault.NotFound)
	}
	at := current{root, p.instance.realFiles()}
	later := map[string]bool{} // what is there in the end
	for _, f := range p.export.Files {
		if !f.Gone {
			later[f.Path] = true
		}
	}
	for _, f := range p.export.Files {
		if f.Gone {
			p.Files = append(p.Files, removals(at, f, later)...)
		} else {
			p.Files = append(p.Files, plannedFile(at, f))
		}
	}
	return nil
}

// removals returns the files that are removed at a path and below it, and are not written anew.
// If one of them is protected, all of them are left out.
func removals(at current, f conversation.ExportedFile, later map[string]bool) (out []ImportFile) {
	err := fs.WalkDir(at.root, f.Path, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if definition, err := at.guarded(name); err != nil || definition {
			return errGuarded
		}
		if e.IsDir() || later[name] {
			return nil
		}
		old, digest, err := at.content(name)
		if err != nil {
			return err
		}
		out = append(out, ImportFile{Path: name, Action: ImportRemove, Diff: diffBetween(name, old, nil, true, false), before: digest})
		return nil
	})
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, sandbox.ErrNotDir):
		return nil
	case err != nil:
		return []ImportFile{{Path: f.Path, Action: ImportLeave, Why: conversation.LeftProtected}}
	}
	return out
}

// errGuarded ends the walk through a directory in which a file is protected.
var errGuarded = errors.New("protected")

// plannedFile returns what happens with a file or directory.
func plannedFile(at current, f conversation.ExportedFile) ImportFile {
	out := ImportFile{Path: f.Path, Action: ImportWrite, Later: f.Later, file: f}
	leave := func(why string) ImportFile { return ImportFile{Path: f.Path, Action: ImportLeave, Why: why} }
	if f.Left != "" {
		return leave(f.Left)
	}
	if definition, err := at.guarded(f.Path); err != nil || definition {
		return leave(conversation.LeftProtected)
	}
	info, err := fs.Stat(at.root, f.Path)
	switch {
	case err == nil && info.IsDir() && f.Dir:
		out.Action = ImportSame
		return out
	case err == nil && (info.IsDir() || f.Dir), errors.Is(err, sandbox.ErrNotDir):
		return leave(leftPlace)
	case f.Dir:
		out.Action = ImportMake
		return out
	}
	old, digest, err := at.content(f.Path)
	if err != nil {
		return leave(conversation.LeftSize)
	}
	if out.before = digest; digest == f.SHA256 {
		out.Action = ImportSame
		return out
	}
	out.Diff = diffBetween(f.Path, old, f.Data, digest != "", true)
	return out
}

// guarded returns whether a path defines the project, and E_PROTECTED if golem never writes it.
func (c current) guarded(name string) (definition bool, err error) {
	if err := c.reachable(name); err != nil {
		return false, err
	}
	return c.real.Guard(name)
}

// content returns a file with the SHA-256 of its content, hex; "" if there is none.
func (c current) content(name string) (data []byte, digest string, err error) {
	data, err = sandbox.ReadFile(c.root, name, conversation.MaxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", err
	}
	sum := sha256.Sum256(data)
	return data, hex.EncodeToString(sum[:]), nil
}

// maxImportDiff is how many bytes, old and new together, are compared line by line.
const maxImportDiff = 1 << 20

// diffBetween returns what changes in a file, for a person.
func diffBetween(name string, old, next []byte, had, has bool) string {
	from, to := "a/"+name, "b/"+name
	if !had {
		from = "/dev/null"
	}
	if !has {
		to = "/dev/null"
	}
	if len(old)+len(next) > maxImportDiff || slices.Contains(old, 0) || slices.Contains(next, 0) {
		return "--- " + from + "\n+++ " + to + "\nnot shown: " + fault.Count(len(old), "byte") + " before, " + fault.Count(len(next), "byte") + " after\n"
	}
	return textdiff.Unified(from, to, string(old), string(next))
}

// Import carries the plan out, after a person said yes: it writes the files, so that golem undo
// can put them back, and keeps the conversation as one of this project. A file that was changed
// after PlanImport is E_CONFLICT, before anything is written. It returns the conversation's ID.
func (p *ImportPlan) Import(ctx context.Context) (id string, err error) {
	i := p.instance
	var files []conversation.ExportedFile
	if i.platform.Volatile {
		files = p.export.Files
	} else if err := p.writeFiles(ctx, &files); err != nil {
		return "", err
	}
	return p.export.Install(&i.platform.State, i.platform.newID(), files, i.platform.Volatile)
}

// writeFiles writes the files, and adds to done what is there then.
func (p *ImportPlan) writeFiles(ctx context.Context, done *[]conversation.ExportedFile) error {
	root, err := p.instance.files().Mount(".")
	if err != nil {
		return fault.Of(err, fault.NotFound)
	}
	at := current{root, p.instance.realFiles()}
	for _, f := range p.Files {
		if f.Action != ImportWrite && f.Action != ImportRemove {
			continue
		}
		if _, now, err := at.content(f.Path); err != nil || now != f.before {
			return fault.New(fault.Conflict, "%s was changed after you saw what would change", sandbox.Abs(f.Path)).Hinting("import the file again")
		}
	}
	source := sandbox.SourceOf(root, ".")
	w := importing{root, source, clearance.Record{Store: p.instance.Undo(), Run: p.export.ID, Worker: p.Listing.Worker, Root: source}}
	for _, f := range p.Files {
		if err := w.carryOut(f); err != nil {
			return errors.Join(fault.Of(err, fault.Quota), w.record.Close(ctx))
		}
		if f.Action == ImportRemove {
			*done = append(*done, conversation.ExportedFile{Change: conversation.Change{Path: f.Path, Gone: true}})
		} else if f.Action != ImportLeave {
			*done = append(*done, f.file)
		}
	}
	w.removeEmpty(p.export.Files)
	return w.record.Close(ctx)
}

// importing writes files of a project, and keeps what they replace.
type importing struct {
	root   sandbox.FS
	source string
	record clearance.Record
}

// carryOut does what the plan says about one path.
func (w *importing) carryOut(f ImportFile) error {
	change := sandbox.Write{Mount: w.source, Name: path.Join(w.source, f.Path)}
	do := func() error { return w.root.WriteFile(f.Path, f.file.Data) }
	switch f.Action {
	case ImportWrite:
		change.Op, change.Data = sandbox.OpWrite, f.file.Data
	case ImportRemove:
		change.Op, do = sandbox.OpRemove, func() error { return w.root.Remove(f.Path) }
	case ImportMake:
		change.Op, do = sandbox.OpMkdir, func() error { return w.root.Mkdir(f.Path, 0o755) }
	default:
		return nil
	}
	failed, err := w.record.Before(change)
	if err != nil {
		return err
	}
	if err = do(); err != nil && failed != nil {
		failed()
	}
	return err
}

// removeEmpty removes the directories that were removed, if nothing is left in them.
func (w *importing) removeEmpty(files []conversation.ExportedFile) {
	for _, f := range files {
		if !f.Gone {
			continue
		}
		var dirs []string
		_ = fs.WalkDir(w.root, f.Path, func(name string, e fs.DirEntry, err error) error {
			if err == nil && e.IsDir() {
				dirs = append(dirs, name)
			}
			return nil
		})
		for _, dir := range slices.Backward(dirs) {
			_ = w.root.Remove(dir) // it fails where something is left
		}
	}
}
