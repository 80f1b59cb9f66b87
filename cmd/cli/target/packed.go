package target

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"path/filepath"
	"strings"

	"golem/core"
	"golem/core/approval"
	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/ui"
	"golem/core/workspace"

	"golem/cmd/cli/console"
	"golem/cmd/cli/disk"
)

// packed is a packed project that was given as TARGET. Running it changes nothing on
// the disk: all changes are in memory.
type packed struct {
	*workspace.Pack
	Work sandbox.FS // the project's files, overlaid with the changes of this run
	dir  string     // the directory of the packed file; "": it came from an address
}

// IsAddress reports whether a word is an http or https address, and so names a packed
// project.
func IsAddress(word string) bool {
	return strings.HasPrefix(word, "https://") || strings.HasPrefix(word, "http://")
}

// IsPack reports whether a word names a packed project: a file that ends in .golem, or
// an address.
func IsPack(word string) bool {
	return IsAddress(word) || strings.EqualFold(filepath.Ext(word), workspace.PackSuffix)
}

// packedTarget reads and verifies a packed project, and prints a line about it.
func packedTarget(c *console.Console, f Wanted, word string) (Place, error) {
	if f.given("project") {
		return Place{}, console.Usage("TARGET %s and --project name two different projects", word).Hinting("leave one of them out")
	}
	for _, flag := range []string{"no-project", "allow-outside", "lib"} {
		if f.given(flag) {
			return Place{}, console.Usage("--%s cannot be used with a packed project: it uses only the files inside the packed file", flag).Hinting("leave it out, or " + console.UnpackIt)
		}
	}
	p, err := ReadPack(c, word)
	if err != nil {
		return Place{}, err
	}
	if f.given("verify") {
		if err := Verified(c, p, f.Verify); err != nil {
			return Place{}, err
		}
	}
	c.Say("%s", AboutPack(word, p))
	out := &packed{Pack: p, Work: sandbox.Overlay(p.Project)}
	if !IsAddress(word) {
		out.dir = filepath.Dir(c.Path(word))
	}
	return Place{Pack: out}, nil
}

// ReadPack reads and verifies a packed project, from the disk or from an address.
func ReadPack(c *console.Console, word string) (*workspace.Pack, error) {
	data, err := ReadPackBytes(c, word)
	if err != nil {
		return nil, err
	}
	p, err := workspace.ReadPack(data)
	if err != nil {
		return nil, fault.Of(err, fault.Lock).At(ui.OneLine(word), 0, 0)
	}
	return p, nil
}

// ReadPackBytes returns the bytes of a packed project, not verified.
func ReadPackBytes(c *console.Console, word string) ([]byte, error) {
	if IsAddress(word) {
		return fetchPack(c, word)
	}
	data, err := c.ReadFile(word, workspace.MaxPack)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.New(fault.NotFound, "there is no file %s", word).Hinting("paths are relative to the current directory")
	case errors.Is(err, disk.ErrTooLarge):
		return nil, fault.New(fault.Limit, "%s has more than %d bytes", word, workspace.MaxPack)
	case err != nil:
		return nil, fault.New(fault.NotFound, "%s cannot be read: %s", word, disk.Cause(err))
	}
	return data, nil
}

// Verified checks that a key signed the packed project. key is a public key, or a file
// that contains one. A text that is a key is never read as the name of a file, which
// somebody may have put there.
func Verified(c *console.Console, p *workspace.Pack, key string) error {
	if !workspace.IsPublicKey(key) {
		if data, err := c.ReadFile(key, 4<<10); err == nil {
			key = string(data)
		}
	}
	return p.SignedBy(key)
}

// AboutPack returns one line about a packed project: what it is and who signed it.
func AboutPack(word string, p *workspace.Pack) string {
	if u, err := url.Parse(word); err == nil && IsAddress(word) {
		word = path.Base(u.Path)
	}
	title := fault.Quoted(strings.TrimSpace(p.Name + " " + p.Version))
	if p.Entry != "" {
		title += ", entry " + fault.Quoted(p.Entry)
	}
	signed := "not signed" // before what the project says of itself
	if p.Signer != nil {
		signed = "signed with the key " + p.Signer.Key + " (" + fault.Quoted(p.Signer.Comment) + ")"
	}
	return fmt.Sprintf("%s: %s; %s, %s, %s, %s", filepath.Base(word), signed, title, fault.Count(len(p.Files), "file"), console.Bytes(p.Bytes), p.Digest)
}

// TrustKey returns the name of a packed project in trust.json. It depends on the
// content and the signer, and not on the place of the file.
func (p *packed) TrustKey() string {
	key := "packed:" + p.Digest
	if p.Signer != nil {
		key += ":" + p.Signer.Key
	}
	return key
}

func (p *packed) Source() []approval.Line { return core.PackLines(p.Pack) }

// Mount opens the project's root. Any other source is an error, because a packed
// project has no files outside itself.
func (p *packed) Mount(source string) (sandbox.FS, error) {
	if path.Clean(source) == "." {
		return p.Work, nil
	}
	return nil, fault.New(fault.Path, "the mount source %s is outside the project", source).
		Hinting("a packed project reaches its own files only")
}

// OfPack returns the place of a packed project that is in memory; dir is the directory of its
// file, or "".
func OfPack(p *workspace.Pack, dir string) Place {
	return Place{Pack: &packed{Pack: p, Work: sandbox.Overlay(p.Project), dir: dir}}
}
