package workspace

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/sorting"
)

// PackSuffix ends the name of a packed project: one zip file with everything
// that a project needs to run (SPEC §12). Its entries, in this order:
//
//	golem-pack.json          the index
//	golem-pack.json.minisig  a signature of the index by minisign, if it is signed
//	golem-pack.pub           the public key of that signature
//	project/…                the project's files
//	libs/NAME@VERSION/…      the libraries that it declares
//
// The comment of the zip file ends with the SHA-256 of all bytes before it, so that
// damage is detected anywhere in the file.
const PackSuffix = ".golem"

const (
	packIndex     = "golem-pack.json"
	packSignature = packIndex + ".minisig"
	packKey       = "golem-pack.pub"
	packProject   = "project"
	packLibs      = "libs"
	packSeal      = "golem pack sha256:"
)

// Limits of a packed project.
const (
	MaxPack   = 64 << 20  // bytes of the zip file
	MaxPacked = 256 << 20 // bytes of all its files unpacked

	maxIndex     = 8 << 20
	maxSignature = 4 << 10
)

// Index is the first entry of a packed project. It has the name and digest of every
// file, so that a signature of the index covers all of them.
type Index struct {
	Golem   string     `json:"golem"` // "pack"
	V       int        `json:"v"`
	Name    string     `json:"name"`              // the name of the project's directory, as in traces
	Version string     `json:"version,omitempty"` // the version in the manifest
	Entry   string     `json:"entry,omitempty"`   // ID of the worker that a run starts with
	Files   []PackFile `json:"files"`             // sorted by path
	Dirs    []string   `json:"dirs,omitempty"`    // empty directories, sorted
	// Digest is "sha256:" and the SHA-256 (hex) of the index without Digest. It identifies
	// the content; a signature does not change it.
	Digest string `json:"digest"`
}

// PackFile is one file of a packed project.
type PackFile struct {
	Path   string `json:"path"` // in the archive: "project/main.worker"
	Size   int64  `json:"size"` // bytes
	SHA256 string `json:"sha256"`
}

// untitled says what is wrong with the name, version or entry, which people see before they
// run the project; "": nothing is.
func (x Index) untitled() string {
	for _, part := range []struct {
		what, text string
		most       int
	}{{"name", x.Name, 255}, {"version", x.Version, 100}, {"entry", x.Entry, 255}} {
		if len(part.text) > part.most {
			return fmt.Sprintf("its %s has more than %d bytes", part.what, part.most)
		}
		if strings.ContainsFunc(part.text, func(r rune) bool { return !unicode.IsPrint(r) }) {
			return "its " + part.what + " " + fault.Quoted(part.text) + " has characters that are not visible"
		}
	}
	if x.Name == "" || strings.ContainsAny(x.Name, `/\`) {
		return "its name " + fault.Quoted(x.Name) + " cannot be the name of a directory"
	}
	return ""
}

// bytes returns the index as JSON in the only form that readIndex accepts.
func (x Index) bytes() ([]byte, error) {
	data, err := json.MarshalIndent(x, "", " ")
	return append(data, '\n'), err
}

func (x Index) digest() (string, error) {
	x.Digest = ""
	data, err := x.bytes()
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:]), err
}

// Sign is a function that signs an index. It returns the signature and the public key
// as files of minisign. comment becomes part of the signature (its trusted comment).
type Sign func(index []byte, comment string) (signature, key []byte, err error)

// PackSource is the input of MakePack: a project, its libraries and a signing key.
type PackSource struct {
	Name, Version, Entry string
	Project              fs.FS
	// Ignored reports whether the project's ignore file names a file or
	// directory; it may be nil.
	Ignored func(name string, dir bool) bool
	Libs    map[string]fs.FS // the libraries' files, by NAME@VERSION
	Sign    Sign             // nil: unsigned
	Key     []byte           // the secret key of Sign, which is never packed
}

// Left is a file or directory that was not packed.
type Left struct{ Name, Why string }

// MakePack packs a project and returns the zip file and the files that it left out. The
// same files always give the same bytes: entries are sorted, and have no times, modes or
// owners of this machine. Above the limits it returns E_LIMIT.
func MakePack(s PackSource) ([]byte, []Left, error) {
	g := &gatherer{key: s.Key}
	if err := g.gather(s.Project, packProject, s.Ignored); err != nil {
		return nil, nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(s.Libs)) {
		if err := g.library(s.Libs[name], path.Join(packLibs, name)); err != nil {
			return nil, nil, err
		}
	}
	sorting.By(g.files, func(a, b node) int { return strings.Compare(a.name, b.name) })
	data, err := s.encode(g.files)
	return data, g.left, err
}

// noFile says why a FIFO, a socket or a device is not packed.
const noFile = "it is not a regular file"

// gatherer collects the files of a packed project.
type gatherer struct {
	key   []byte // see PackSource
	files []node
	left  []Left
	total int64
}

// gather collects the files of a tree below a directory of the archive.
func (g *gatherer) gather(src fs.FS, below string, ignored func(string, bool) bool) error {
	return fs.WalkDir(src, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name == "." {
			for _, special := range specials(src, name) {
				g.left = append(g.left, Left{special, noFile})
			}
			return nil
		}
		if why := whyLeft(name, d, ignored); why != "" {
			g.left = append(g.left, Left{name, why})
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if err := named(name); err != nil { // ReadPack would reject this name
			return fault.New(fault.Path, "the project cannot be packed: %s", fault.Of(err, fault.Path).Message).Hinting("rename the file, or leave it out with a .golemignore file")
		}
		if d.IsDir() {
			for _, special := range specials(src, name) {
				g.left = append(g.left, Left{special, noFile})
			}
			entries, err := fs.ReadDir(src, name)
			if err == nil && len(entries) == 0 { // a mount may need it
				g.files = append(g.files, node{name: path.Join(below, name), dir: true})
			}
			return err
		}
		data, err := sandbox.ReadFile(src, name, MaxPacked)
		if err != nil {
			return err
		}
		g.add(name, path.Join(below, name), data)
		return g.bounded()
	})
}

// library collects the files of a library that golem lib install would install.
func (g *gatherer) library(src fs.FS, below string) error {
	c, err := DirContent(src)
	if err != nil {
		f := fault.Of(err, fault.Path)
		return fault.New(f.Code, "the project is not packed, because of its library %s: %s", path.Base(below), f.Message).
			Hinting("mend the library where it comes from, and install it again with golem lib update %s", path.Base(below)).
			InPage("", "mend the library where it comes from, and install it again")
	}
	for _, name := range c.Left {
		if name != originFile {
			g.left = append(g.left, Left{path.Join(below, name), "it never becomes part of a library"})
		}
	}
	for _, f := range c.files {
		name := path.Join(below, f.name)
		if keyFile(sandbox.Fold(path.Base(name))) { // without it the library would have another digest
			return fault.New(fault.Protected, "the project is not packed: this file of a library may hold a key").At(name, 0, 0).
				Hinting("take the file out of the library; if it holds no key, give it another name there")
		}
		g.add(name, name, f.data)
	}
	return g.bounded()
}

// add adds a file, except one whose content is a secret key.
func (g *gatherer) add(said, name string, data []byte) {
	if signKey(data) || len(g.key) > 0 && bytes.Equal(data, g.key) {
		g.left = append(g.left, Left{said, "it is a secret key for signatures"})
		return
	}
	g.total += int64(len(data))
	g.files = append(g.files, node{name: name, data: data})
}

// signKey reports whether a file of any name is a secret key of minisign (with or
// without a password) or of signify. It looks at the comment and the beginning of the key.
func signKey(data []byte) bool {
	comment, key, _ := bytes.Cut(data, []byte("\n"))
	return bytes.HasPrefix(comment, []byte("untrusted comment:")) && (bytes.Contains(comment, []byte("secret key")) ||
		bytes.HasPrefix(key, []byte("RWRTY0Iy")) || bytes.HasPrefix(key, []byte("RWQAAEIy")))
}

// bounded returns E_LIMIT above the limits.
func (g *gatherer) bounded() error {
	if g.total > MaxPacked || len(g.files) > MaxFiles {
		return fault.New(fault.Limit, "the project has more than %d files or %d bytes", MaxFiles, MaxPacked).Hinting("leave large files out with a .golemignore file")
	}
	return nil
}

// neverPacked are directories that belong to one machine (SPEC §3, ignore file).
var neverPacked = []string{sandbox.StateDir, ".git", ".venv", "__pycache__", "node_modules", "__macosx"}

// secretEnds are endings of files that usually hold private keys.
var secretEnds = []string{".key", ".pem", ".p12", ".pfx", ".netrc", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"}

// keyFile reports whether a file with this folded base name usually holds a private key.
func keyFile(base string) bool {
	return slices.ContainsFunc(secretEnds, func(end string) bool { return strings.HasSuffix(base, end) })
}

// whyLeft returns why a file or directory is not packed, or "" if it is packed.
func whyLeft(name string, d fs.DirEntry, ignored func(string, bool) bool) string {
	base := sandbox.Fold(path.Base(name))
	switch {
	case slices.Contains(neverPacked, base):
		return "it belongs to this machine"
	case sandbox.Secret(name) || keyFile(base):
		return "it may hold keys"
	case d.Type()&fs.ModeSymlink != 0:
		return "it is a link; links are not followed"
	case !d.IsDir() && !d.Type().IsRegular():
		return noFile
	case strings.HasSuffix(base, PackSuffix):
		return "it is a packed project"
	case strings.Contains(base, PackSuffix+".") && strings.HasSuffix(base, ".tmp"):
		return "it is an unfinished packed project"
	case ignored != nil && ignored(name, d.IsDir()):
		return "an ignore file names it"
	case strings.HasPrefix(sandbox.Fold(name), "output/"):
		return "runs wrote it"
	case built(name):
		return "a build of a tool made it; the module in tools is packed"
	}
	return ""
}

// built reports whether a file is in the directory build of a tool's source code, where
// golem looks for no module.
func built(name string) bool {
	parts := strings.Split(name, "/")
	return len(parts) >= 3 && parts[0] == "tools" && parts[2] == "build"
}

// encode writes the archive. files are sorted by name.
func (s PackSource) encode(files []node) ([]byte, error) {
	x := Index{Golem: "pack", V: 1, Name: s.Name, Version: s.Version, Entry: s.Entry, Files: []PackFile{}}
	if why := x.untitled(); why != "" {
		return nil, fault.New(fault.Path, "the project cannot be packed: %s", why).Hinting("rename the project's directory, its version or its entry")
	}
	for _, n := range files {
		if n.dir {
			x.Dirs = append(x.Dirs, n.name)
			continue
		}
		sum := sha256.Sum256(n.data)
		x.Files = append(x.Files, PackFile{n.name, int64(len(n.data)), hex.EncodeToString(sum[:])})
	}
	var err error
	if x.Digest, err = x.digest(); err != nil {
		return nil, err
	}
	index, err := x.bytes()
	if err != nil {
		return nil, err
	}
	head := []node{{name: packIndex, data: index}}
	if s.Sign != nil {
		signature, key, err := s.Sign(index, strings.TrimSpace(x.Name+" "+x.Version))
		if err != nil {
			return nil, err
		}
		head = append(head, node{name: packSignature, data: signature}, node{name: packKey, data: key})
	}
	return zipped(slices.Concat(head, files))
}

// zipped returns a zip file with the entries and the digest in its comment.
func zipped(entries []node) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, n := range entries {
		h := header(n.name, zip.Deflate, 0o644)
		if n.dir {
			h = header(n.name+"/", zip.Store, fs.ModeDir|0o755)
		}
		f, err := w.CreateHeader(h)
		if err == nil && !n.dir {
			_, err = f.Write(n.data)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := w.SetComment(packSeal + strings.Repeat("0", 2*sha256.Size)); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	data := out.Bytes()
	if len(data) > MaxPack {
		return nil, fault.New(fault.Limit, "the packed project has %d bytes; at most %d are allowed", len(data), MaxPack).Hinting("leave large files out with a .golemignore file")
	}
	end := len(data) - 2*sha256.Size
	sum := sha256.Sum256(data[:end])
	hex.Encode(data[end:], sum[:])
	return data, nil
}
