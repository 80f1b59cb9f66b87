package workspace

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"aead.dev/minisign"

	"golem/core/fault"
	"golem/core/sandbox"
)

func source() PackSource {
	return PackSource{
		Name: "demo", Version: "1.2.0", Entry: "main",
		Project: fstest.MapFS{
			"main.worker": {Data: []byte("instructions: hi\n")}, "input/a.txt": {Data: bytes.Repeat([]byte("a"), 5000)},
			"output": {Mode: fs.ModeDir}, "drafts/x.worker": {Data: []byte("x")}, "old.golem": {Data: []byte("x")},
			".env": {Data: []byte("KEY=1")}, "sub/.env.local": {Data: []byte("KEY=1")}, "my.key": {Data: []byte("k")}, "release": {Data: []byte("untrusted comment: minisign encrypted secret key\nRWRTY0Iy\n")}, "sub/mine": {Data: []byte("untrusted comment: mine\nRWQAAEIyAAAA\n")}, "copy": {Data: []byte("its key")}, "release.pub": {Data: []byte("untrusted comment: minisign public key: AA\nRWRT\n")}, ".git/HEAD": {Data: []byte("x")},
			".golem/runs/r.jsonl": {Data: []byte("x")}, "tool/node_modules/a.js": {Data: []byte("x")}, "link": {Data: []byte("main.worker"), Mode: fs.ModeSymlink},
		},
		Key:     []byte("its key"),
		Libs:    map[string]fs.FS{"utils@1.0.0": fstest.MapFS{"k": {Data: []byte("untrusted comment: minisign encrypted secret key\n")}, "lib.yaml": {Data: []byte("name: utils\n")}, "workers/trim.worker": {Data: []byte("t")}}},
		Ignored: func(name string, _ bool) bool { return name == "drafts" },
	}
}

func made(t testing.TB, s PackSource) []byte {
	t.Helper()
	data, _, err := MakePack(s)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// A project always gives the same bytes, without files that belong to one machine or
// may contain keys (scenario 54).
func TestPack(t *testing.T) {
	data, left, err := MakePack(source())
	if err != nil {
		t.Fatal(err)
	}
	if again := made(t, source()); !bytes.Equal(data, again) {
		t.Error("the same project gave other bytes")
	}
	var names []string
	for _, l := range left {
		names = append(names, l.Name)
	}
	if want := []string{".env", ".git", ".golem", "copy", "drafts", "link", "my.key", "old.golem", "release", "sub/.env.local", "sub/mine", "tool/node_modules", "libs/utils@1.0.0/k"}; !slices.Equal(names, want) {
		t.Errorf("left out: %q, want %q", names, want)
	}
	p, err := ReadPack(data)
	if err != nil {
		t.Fatal(err)
	}
	if p.Name != "demo" || p.Version != "1.2.0" || p.Entry != "main" || p.Signer != nil || p.Bytes != len(data) {
		t.Errorf("read %+v", p)
	}
	got, err := fs.ReadFile(p.Project, "main.worker")
	if string(got) != "instructions: hi\n" || err != nil {
		t.Errorf("main.worker is %q, %v", got, err)
	}
	if info, err := fs.Stat(p.Project, "output"); err != nil || !info.IsDir() {
		t.Errorf("the empty directory is lost: %v", err)
	}
	if got, err := fs.ReadFile(p.Libs, "utils@1.0.0/lib.yaml"); string(got) != "name: utils\n" {
		t.Errorf("lib.yaml is %q, %v", got, err)
	}
}

// A packed project in which any single bit is flipped is rejected.
func TestFlippedBits(t *testing.T) {
	data := made(t, PackSource{Name: "d", Project: fstest.MapFS{"main.worker": {Data: []byte("instructions: hi\n")}}})
	for at := range data {
		for bit := range 8 {
			flipped := bytes.Clone(data)
			flipped[at] ^= 1 << bit
			if _, err := ReadPack(flipped); !errors.Is(err, fault.Lock) {
				t.Fatalf("bit %d of byte %d flipped: %v", bit, at, err)
			}
		}
	}
	for _, cut := range []int{0, 1, len(data) / 2, len(data) - 1} {
		if _, err := ReadPack(data[:cut]); !errors.Is(err, fault.Lock) {
			t.Errorf("the first %d bytes alone: %v", cut, err)
		}
	}
	if _, err := ReadPack(append(bytes.Clone(data), 0)); !errors.Is(err, fault.Lock) {
		t.Errorf("with a byte after its end: %v", err)
	}
}

// sealAgain gives changed bytes the right digest in the comment, as an attacker would.
func sealAgain(data []byte) []byte {
	data = bytes.Clone(data)
	end := len(data) - 2*sha256.Size
	sum := sha256.Sum256(data[:end])
	hex.Encode(data[end:], sum[:])
	return data
}

// forged returns a packed project with these entries and the right digest.
func forged(t *testing.T, entries ...node) []byte {
	t.Helper()
	data, err := zipped(entries)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// indexOf returns the index of some files after change has changed it.
func indexOf(t *testing.T, change func(*Index), files ...node) node {
	t.Helper()
	x := Index{Golem: "pack", V: 1, Name: "x", Files: []PackFile{}}
	for _, n := range files {
		sum := sha256.Sum256(n.data)
		x.Files = append(x.Files, PackFile{n.name, int64(len(n.data)), hex.EncodeToString(sum[:])})
	}
	change(&x)
	var err error
	if x.Digest, err = x.digest(); err != nil {
		t.Fatal(err)
	}
	data, err := x.bytes()
	if err != nil {
		t.Fatal(err)
	}
	return node{name: packIndex, data: data}
}

// A forged file is rejected with an error that says why, even if all checksums and the
// digest of the zip file are right.
func TestForged(t *testing.T) {
	a, b := node{name: "project/a", data: []byte("a")}, node{name: "project/b", data: []byte("b")}
	same := func(*Index) {}
	whole := indexOf(t, same, a, b)
	bomb := node{name: "project/a", data: make([]byte, 4<<20)}
	renamed := func(name string) (node, node) {
		n := node{name: name, data: []byte("x")}
		return indexOf(t, same, n), n
	}
	cases := map[string]struct {
		entries []node
		says    string
	}{
		"no index":       {[]node{a, b}, "first file"},
		"index later":    {[]node{a, whole, b}, "first file"},
		"missing":        {[]node{whole, a}, "project/b is in its index, but not in it"},
		"additional":     {[]node{whole, a, b, {name: "project/c", data: []byte("c")}}, "project/c is in it, but not in its index"},
		"twice":          {[]node{whole, a, a, b}, "project/a is in it, but not in its index"},
		"twice in index": {[]node{indexOf(t, same, a, a), a, a}, "twice"},
		"not sorted":     {[]node{indexOf(t, same, b, a), b, a}, "not sorted"},
		"content":        {[]node{whole, a, {name: "project/b", data: []byte("B")}}, "project/b is not the file"},
		"shorter":        {[]node{whole, a, {name: "project/b"}}, "project/b is not the file"},
		"bomb":           {[]node{indexOf(t, func(x *Index) { x.Files[0].Size = 1 }, bomb), bomb}, "too large"},
		"negative":       {[]node{indexOf(t, func(x *Index) { x.Files[0].Size = -1 }, a), a}, "size or digest"},
		"newer":          {[]node{indexOf(t, func(x *Index) { x.V = 2 }, a), a}, "newer version"},
		"other":          {[]node{indexOf(t, func(x *Index) { x.Golem = "run" }, a), a}, "cannot be read"},
		"spaces":         {[]node{{name: packIndex, data: append(bytes.Clone(whole.data), ' ')}, a, b}, "not as golem writes it"},
		"key twice":      {[]node{{name: packIndex, data: bytes.Replace(whole.data, []byte(`"v": 1,`), []byte(`"v": 1, "v": 1,`), 1)}, a, b}, "not as golem writes it"},
		"unknown key":    {[]node{{name: packIndex, data: bytes.Replace(whole.data, []byte(`"v": 1,`), []byte(`"v": 1, "w": 1,`), 1)}, a, b}, "not as golem writes it"},
		"no name":        {[]node{indexOf(t, func(x *Index) { x.Name = "" }, a), a}, "name of a directory"},
		"long name":      {[]node{indexOf(t, func(x *Index) { x.Name = strings.Repeat("x", 256) }, a), a}, "more than 255 bytes"},
		"hidden name":    {[]node{indexOf(t, func(x *Index) { x.Name = "demo\u202e" }, a), a}, "not visible"},
		"long version":   {[]node{indexOf(t, func(x *Index) { x.Version = "1" + strings.Repeat(" ", 100) }, a), a}, "more than 100 bytes"},
		"escape":         {[]node{indexOf(t, func(x *Index) { x.Entry = "main\x1b[8m" }, a), a}, "not visible"},
		"digest":         {[]node{{name: packIndex, data: bytes.Replace(whole.data, []byte(`"digest": "sha256:`), []byte(`"digest": "sha256:0`), 1)}, a, b}, "digest in its index"},
		"signed by half": {[]node{whole, {name: packSignature, data: []byte("x")}, a, b}, packSignature + " is in it"},
		"bad signature":  {[]node{whole, {name: packSignature, data: []byte("x")}, {name: packKey, data: []byte("y")}, a, b}, "cannot be read"},
	}
	for _, name := range []string{"project/../a", "/etc/passwd", "project//a", "other/a", "project", "libs/a", "project/.env", "project/.git/config", "project/sub/.golem/x", "project/a\\b", "project/con", "project/a\x00", "golem-pack.json", "project/" + strings.Repeat("x", 5000)} {
		x, n := renamed(name)
		cases[name] = struct {
			entries []node
			says    string
		}{[]node{x, n}, "golem"}
	}
	twins := []node{{name: "project/A", data: []byte("A")}, {name: "project/a", data: []byte("a")}}
	cases["case twins"] = struct {
		entries []node
		says    string
	}{append([]node{indexOf(t, same, twins...)}, twins...), "same file"}
	for name, c := range cases {
		_, err := ReadPack(forged(t, c.entries...))
		if !errors.Is(err, fault.Lock) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want E_LOCK with %q", name, err, c.says)
		}
	}
	if _, err := ReadPack(forged(t, whole, a, b)); err != nil {
		t.Errorf("what is right: %v", err)
	}
}

// A zip file whose central directory has another size or place than its end record says
// is rejected before the directory is read.
func TestForgedDirectory(t *testing.T) {
	data := made(t, source())
	at := len(data) - len(packSeal) - 2*sha256.Size - 22
	for _, change := range []int{10, 12, 16} {
		forged := bytes.Clone(data)
		forged[at+change+1]++
		if _, err := ReadPack(sealAgain(forged)); !errors.Is(err, fault.Lock) {
			t.Errorf("the end record changed at %d: %v", change, err)
		}
	}
	if _, err := ReadPack(make([]byte, MaxPack+1)); !errors.Is(err, fault.Limit) {
		t.Errorf("too large: %v", err)
	}
}

// TestPolyglot tests that a packed project has only the bytes of its entries: one that is a
// page as well, before, between or after them, is rejected, although its digest is right.
func TestPolyglot(t *testing.T) {
	const page = "<!doctype html><script src=demo.golem></script>"
	data := made(t, source())
	start := func(data []byte) int { return len(data) - len(packSeal) - 2*sha256.Size - 22 + 16 }
	directory := int(binary.LittleEndian.Uint32(data[start(data):]))
	for name, at := range map[string]int{"before": 0, "after the last file": directory} {
		both := slices.Concat(data[:at], []byte(page), data[at:])
		if _, err := ReadPack(sealAgain(both)); !errors.Is(err, fault.Lock) {
			t.Errorf("%s, offsets as they were: %v", name, err)
		}
		binary.LittleEndian.PutUint32(both[start(both):], uint32(directory+len(page)))
		if _, err := ReadPack(sealAgain(both)); !errors.Is(err, fault.Lock) {
			t.Errorf("%s, with the place of the directory: %v", name, err)
		}
		for i, n := directory+len(page), 0; at == 0 && n < 3; n++ { // also the places of the first entries
			binary.LittleEndian.PutUint32(both[i+42:], binary.LittleEndian.Uint32(both[i+42:])+uint32(len(page)))
			i += 46 + int(binary.LittleEndian.Uint16(both[i+28:])) + int(binary.LittleEndian.Uint16(both[i+30:])) + int(binary.LittleEndian.Uint16(both[i+32:]))
		}
		if _, err := ReadPack(sealAgain(both)); !errors.Is(err, fault.Lock) {
			t.Errorf("%s, with all places: %v", name, err)
		}
	}
}

// signing returns a Sign with a new key, as golem pack --sign uses it, and its public key.
func signing(t testing.TB) (Sign, minisign.PublicKey) {
	t.Helper()
	public, secret, err := minisign.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	return func(index []byte, comment string) ([]byte, []byte, error) {
		text, err := public.MarshalText()
		return minisign.SignWithComments(secret, index, comment, "x"), text, err
	}, public
}

// A signature covers every file through the index and does not change the digest. A
// file with a wrong signature is rejected.
func TestSigned(t *testing.T) {
	s := source()
	plain, err := ReadPack(made(t, s))
	if err != nil {
		t.Fatal(err)
	}
	sign, public := signing(t)
	other, stranger := signing(t)
	s.Sign = sign
	data := made(t, s)
	if again := made(t, s); !bytes.Equal(data, again) {
		t.Error("signed twice, the bytes differ")
	}
	p, err := ReadPack(data)
	if err != nil {
		t.Fatal(err)
	}
	if p.Signer == nil || p.Signer.Key != public.String() || p.Signer.Comment != "demo 1.2.0" || p.Digest != plain.Digest {
		t.Errorf("signed by %+v, digest %s, unsigned %s", p.Signer, p.Digest, plain.Digest)
	}
	if err := p.SignedBy(public.String()); err != nil {
		t.Error(err)
	}
	text, err := public.MarshalText()
	if err == nil {
		err = p.SignedBy(string(text) + "\n")
	}
	if err != nil {
		t.Error(err)
	}
	if err := p.SignedBy(stranger.String()); !errors.Is(err, fault.Lock) {
		t.Errorf("another key: %v", err)
	}
	if err := plain.SignedBy(public.String()); !errors.Is(err, fault.Lock) {
		t.Errorf("unsigned: %v", err)
	}
	if err := p.SignedBy("RWnonsense"); !errors.Is(err, fault.Usage) {
		t.Errorf("no key: %v", err)
	}
	// The signature of one index on another, and one key's signature with another key.
	s.Sign = func([]byte, string) ([]byte, []byte, error) { return sign([]byte("something else"), "c") }
	if _, err := ReadPack(made(t, s)); !errors.Is(err, fault.Lock) || !strings.Contains(err.Error(), "signature is wrong") {
		t.Errorf("the signature of something else: %v", err)
	}
	s.Sign = func(index []byte, c string) ([]byte, []byte, error) {
		signature, _, err := sign(index, c)
		_, key, kerr := other(index, c)
		return signature, key, errors.Join(err, kerr)
	}
	if _, err := ReadPack(made(t, s)); !errors.Is(err, fault.Lock) {
		t.Errorf("another's key beside the signature: %v", err)
	}
	s.Sign = func(index []byte, _ string) ([]byte, []byte, error) {
		return sign(index, "signed by\x1b[2K a friend\u202e"+strings.Repeat("!", 500))
	}
	p, err = ReadPack(made(t, s))
	if err != nil || strings.ContainsAny(p.Signer.Comment, "\x1b\u202e") || len(p.Signer.Comment) > 200 {
		t.Errorf("a hostile comment is shown as %q, %v", p.Signer, err)
	}
}

// Written returns only new and changed files. Copy writes all of them or none, and
// replaces no file.
func TestWritten(t *testing.T) {
	p, err := ReadPack(made(t, source()))
	if err != nil {
		t.Fatal(err)
	}
	work := sandbox.Overlay(p.Project)
	for name, text := range map[string]string{"output/new.md": "new", "main.worker": "changed", "input/a.txt": strings.Repeat("a", 5000)} {
		if err := work.WriteFile(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	names, err := Written(p.Project, work)
	if err != nil || !slices.Equal(names, []string{"main.worker", "output/new.md"}) {
		t.Fatalf("written: %q, %v", names, err)
	}
	dst := sandbox.Memory()
	if err := dst.WriteFile("output/new.md", []byte("mine")); err != nil {
		t.Fatal(err)
	}
	if err := Copy(Over(dst), work, names); !errors.Is(err, fault.Conflict) {
		t.Errorf("over another file: %v", err)
	}
	if _, err := fs.Stat(dst, "main.worker"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("half of it was written: %v", err)
	}
	dst = sandbox.Memory()
	if err := Copy(Over(dst), work, names); err != nil {
		t.Fatal(err)
	}
	if got, err := fs.ReadFile(dst, "output/new.md"); string(got) != "new" {
		t.Errorf("kept %q, %v", got, err)
	}
}

// ReadPack ends for any bytes, and files that it accepts have the content that the index
// says.
func FuzzPack(f *testing.F) {
	f.Add(made(f, source()))
	s := source()
	s.Sign, _ = signing(f)
	f.Add(made(f, s))
	f.Add([]byte("PK\x05\x06"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<20 {
			return
		}
		if len(data) > 2*sha256.Size {
			data = sealAgain(data)
		}
		p, err := ReadPack(data)
		if err != nil {
			if !errors.Is(err, fault.Lock) && !errors.Is(err, fault.Limit) {
				t.Fatalf("an error without its code: %v", err)
			}
			return
		}
		z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil || len(z.File) < len(p.Files)+1 {
			t.Fatalf("accepted, and not a zip file of %d files: %v", len(p.Files), err)
		}
		for _, file := range p.Files {
			tree, name := p.tree(file.Path)
			got, err := fs.ReadFile(tree, name)
			sum := sha256.Sum256(got)
			if err != nil || hex.EncodeToString(sum[:]) != file.SHA256 {
				t.Fatalf("%s: %v", file.Path, err)
			}
		}
	})
}
