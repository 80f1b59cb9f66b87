package workspace_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/spf13/afero"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/workspace"
)

// entry is a file of a test archive; a name that ends in a slash is a directory.
type entry struct {
	name, data string
	mode       fs.FileMode
}

func pack(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate}
		if e.mode != 0 {
			h.SetMode(e.mode)
		} else if strings.HasSuffix(e.name, "/") {
			h.SetMode(fs.ModeDir | 0o755)
		}
		w, err := z.CreateHeader(h)
		if err == nil {
			_, err = w.Write([]byte(e.data))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// unpack unpacks an archive and returns the written files, also after an error.
func unpack(data []byte) (map[string]string, error) { return unpackBy(workspace.Unzip, data) }

func unpackBy(unzip func(afero.Fs, []byte) error, data []byte) (map[string]string, error) {
	tree := sandbox.Memory()
	failed := unzip(workspace.Over(tree), data)
	files := map[string]string{}
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(tree, name)
		files[name] = string(data)
		return err
	})
	return files, errors.Join(failed, err)
}

// A project that is packed and unpacked is unchanged, but has no state and no keys.
func TestZipRoundTrip(t *testing.T) {
	tree := sandbox.Memory()
	want := map[string]string{"main.worker": "hi", "workers/a.worker": "", "notes/ä/b.bin": "\x00\xff", "big": strings.Repeat("x", 1<<20)}
	for name, data := range want {
		if err := tree.WriteFile(name, []byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{".golem/runs/a.jsonl", ".env", ".git/config"} {
		if err := tree.WriteFile(name, []byte("secret")); err != nil {
			t.Fatal(err)
		}
	}
	a, err := workspace.Zip(workspace.Over(tree), nil)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := workspace.Zip(workspace.Over(tree), nil); err != nil || !bytes.Equal(a, b) {
		t.Errorf("the same project made two archives, %v", err)
	}
	got, err := unpack(a)
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("%v, %v", slices.Sorted(maps.Keys(got)), err)
	}
	foreign := pack(t, entry{name: "main.worker", data: "hi"}, entry{name: ".env", data: "KEY=x"}, entry{name: "d/.Env.local", data: "KEY=x"}, entry{name: "k/.env/key", data: "x"}, entry{name: "d/.envrc", data: ""})
	for name, unzip := range map[string]func(afero.Fs, []byte) error{"Unzip": workspace.Unzip, "UnzipRepository": workspace.UnzipRepository} {
		got, err := unpackBy(unzip, foreign)
		if names := strings.Join(slices.Sorted(maps.Keys(got)), " "); err != nil || names != "d/.envrc main.worker" {
			t.Errorf("%s of an archive with keys: %s, %v", name, names, err)
		}
	}
	part, err := workspace.Zip(workspace.Over(tree), func(name string) bool { return name == "notes" })
	if got, err2 := unpack(part); err != nil || err2 != nil || len(got) != len(want)-1 {
		t.Errorf("without notes: %v, %v, %v", slices.Sorted(maps.Keys(got)), err, err2)
	}
}

// A name that Unzip would reject is not packed either.
func TestZipRefusesNames(t *testing.T) {
	for _, name := range []string{"what?.md", `say "hi".md`, "d/con", "a\\b"} {
		if _, err := workspace.Zip(afero.FromIOFS{FS: fstest.MapFS{name: {Data: []byte("x")}}}, nil); !errors.Is(err, fault.Path) || !strings.Contains(err.Error(), "cannot be packed") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Names and numbers of files that Unzip would not accept are not packed either.
func TestZipRefusesWhatUnzipDoes(t *testing.T) {
	many := fstest.MapFS{}
	for n := range workspace.MaxFiles + 1 {
		many[fmt.Sprint("d/", n)] = &fstest.MapFile{}
	}
	for want, files := range map[string]fstest.MapFS{
		"the project cannot be packed: Notes.md and notes.md are the same file": {"Notes.md": {}, "notes.md": {}},
		"are the same directory": {"D/a": {}, "d/b": {}},
		"more than 20000 files":  many,
	} {
		if _, err := workspace.Zip(afero.FromIOFS{FS: files}, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %s", err, want)
		}
	}
}

// The top directory that contains everything is left out, as in archives of code hosts.
// A project's own directories, such as workers, are not left out.
func TestZipWrapper(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"repo-main/main.worker repo-main/workers/a.worker", "main.worker workers/a.worker"},
		{"repo-main/main.worker other", "other repo-main/main.worker"},
		{"workers/main.worker", "workers/main.worker"},
		{"p/.git/config p/.golem/runs/a.jsonl p/main.worker", "main.worker"},
		{"p/main.worker p/workers/a.worker __MACOSX/p/._main.worker __MACOSX/._p", "main.worker workers/a.worker"}, // "Compress" in the Finder
	} {
		var entries []entry
		for name := range strings.FieldsSeq(c.in) {
			entries = append(entries, entry{name: name})
		}
		got, err := unpack(pack(t, entries...))
		if names := strings.Join(slices.Sorted(maps.Keys(got)), " "); err != nil || names != c.want {
			t.Errorf("%s: %s, %v; want %s", c.in, names, err, c.want)
		}
	}
}

// An archive with too many entries is rejected before memory is allocated for them, also
// if the number of entries in its end record is false.
func TestZipWithManyEntriesTakesNoMemory(t *testing.T) {
	one := append([]byte("PK\x01\x02"), make([]byte, 43)...)
	one[28], one[46] = 1, 'a' // a name of one byte
	for _, n := range []int{300_000, 4<<16 + 10} {
		data := bytes.Repeat(one, n)
		end := binary.LittleEndian.AppendUint32([]byte("PK\x05\x06\x00\x00\x00\x00\x00\x00"), 0)
		binary.LittleEndian.PutUint16(end[8:], uint16(n))
		binary.LittleEndian.PutUint16(end[10:], uint16(n))
		end = binary.LittleEndian.AppendUint32(end[:12], uint32(len(data)))
		data = append(append(data, end...), make([]byte, 6)...)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := unpack(data)
		runtime.ReadMemStats(&after)
		if !errors.Is(err, fault.Path) || !strings.Contains(err.Error(), "it has more than 20000 entries") {
			t.Errorf("%d entries: %v", n, err)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
			t.Errorf("%d entries: it took %d bytes", n, took)
		}
	}
}

// SECURITY 15: traversal, links, collisions, zip bombs and false sizes are detected
// before anything is written.
func TestZipRefuses(t *testing.T) {
	many := make([]entry, workspace.MaxFiles+1)
	for i := range many {
		many[i].name = fmt.Sprint("d/", i%7, "/", i)
	}
	good := pack(t, entry{name: "a", data: strings.Repeat("hello ", 1000)})
	for _, c := range []struct {
		name string
		zip  []byte
		code fault.Code
	}{
		{"parent", pack(t, entry{name: "../a"}), fault.Path},
		{"parent inside", pack(t, entry{name: "a/../../b"}), fault.Path},
		{"absolute", pack(t, entry{name: "/etc/a"}), fault.Path},
		{"backslash", pack(t, entry{name: `a\..\b`}), fault.Path},
		{"drive", pack(t, entry{name: "c:/a"}), fault.Path},
		{"device", pack(t, entry{name: "aux.txt"}), fault.Path},
		{"control", pack(t, entry{name: "a\nb"}), fault.Path},
		{"bidi", pack(t, entry{name: "a\u202eb"}), fault.Path},
		{"not utf-8", pack(t, entry{name: "a\xff"}), fault.Path},
		{"dot", pack(t, entry{name: "./a"}), fault.Path},
		{"long", pack(t, entry{name: strings.Repeat("n", 300)}), fault.Path},
		{"link", pack(t, entry{name: "a", data: "/etc/passwd", mode: fs.ModeSymlink | 0o777}), fault.Path},
		{"pipe", pack(t, entry{name: "a", mode: fs.ModeNamedPipe | 0o644}), fault.Path},
		{"twice", pack(t, entry{name: "a"}, entry{name: "a"}), fault.Path},
		{"case", pack(t, entry{name: "Read.me"}, entry{name: "read.ME"}), fault.Path},
		{"case of directories", pack(t, entry{name: "d/a"}, entry{name: "D/a"}), fault.Path},
		{"spelling of directories", pack(t, entry{name: "x/d/a"}, entry{name: "x/D/b"}, entry{name: "y"}), fault.Path},
		{"NFC and NFD", pack(t, entry{name: "caf\u00e9.md"}, entry{name: "cafe\u0301.md"}), fault.Path},
		{"NFC and NFD of directories", pack(t, entry{name: "caf\u00e9/a"}, entry{name: "cafe\u0301/b"}, entry{name: "y"}), fault.Path},
		{"file and directory", pack(t, entry{name: "a"}, entry{name: "a/b"}), fault.Path},
		{"many", pack(t, many...), fault.Path},
		{"nothing", pack(t), fault.Path},
		{"bomb", lie(t, good, workspace.MaxFile+1), fault.Path},
		{"no zip", []byte("PK but not really"), fault.Path},
		{"cut", good[:len(good)/2], fault.Path},
		{"says less", lie(t, good, 10), fault.Path},
		{"says more", lie(t, good, 1<<30), fault.Path},
		{"flipped", flip(good), fault.Path},
		{"encrypted", encrypted(good), fault.Path},
	} {
		files, err := unpack(c.zip)
		if !errors.Is(err, c.code) || len(files) > 0 {
			t.Errorf("%s: %d files, %v; want %s", c.name, len(files), err, c.code)
		}
	}
}

// The error for a damaged archive says what is wrong, with the file's name.
func TestZipSaysWhatIsWrong(t *testing.T) {
	good := pack(t, entry{name: "b", data: strings.Repeat("hello ", 1000)})
	for _, c := range []struct {
		name string
		zip  []byte
		want string
	}{
		{"checksum", checksum(good), "b is damaged: its checksum is wrong"},
		{"encrypted", encrypted(good), "b is encrypted"},
		{"says less", lie(t, good, 10), "the size of b differs from the size in the archive"},
		{"says more", lie(t, good, 1<<20), "the size of b differs from the size in the archive"},
		{"too large", lie(t, good, workspace.MaxFile+1), "b has 268435457 bytes; a file may have at most 268435456"},
		{"method", method(good), "b is compressed by a method that golem does not support"},
		{"cut content", flip(good), "b is damaged"},
		{"traversal", pack(t, entry{name: "../b"}), "../b is not a valid path in a project"},
		{"link", pack(t, entry{name: "b", mode: fs.ModeSymlink}), "b is a link or a device"},
		{"one name twice", pack(t, entry{name: "b"}, entry{name: "b"}), "b is in the archive twice"},
		{"one name twice", pack(t, entry{name: "b"}, entry{name: "b"}), "b is in the archive twice"},
		{"NFC and NFD", pack(t, entry{name: "\u00e9"}, entry{name: "e\u0301"}), "are the same file on systems that ignore case"},
	} {
		files, err := unpack(c.zip)
		if err == nil || !strings.Contains(err.Error(), c.want) || len(files) > 0 {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// field changes a number of two or four bytes in the first file's header and
// in its entry of the central directory.
func field(data []byte, local, central int, change func(at []byte)) []byte {
	out := bytes.Clone(data)
	change(out[bytes.Index(out, []byte("PK\x03\x04"))+local:])
	change(out[bytes.Index(out, []byte("PK\x01\x02"))+central:])
	return out
}

func encrypted(data []byte) []byte { return field(data, 6, 8, func(at []byte) { at[0] |= 1 }) }

func method(data []byte) []byte { return field(data, 8, 10, func(at []byte) { at[0] = 98 }) }

// checksum changes the checksum of the first file in both headers.
func checksum(data []byte) []byte { return field(data, 14, 16, func(at []byte) { at[0] ^= 0xff }) }

// lie sets the unpacked size in the central directory to a false value.
func lie(t testing.TB, data []byte, size uint32) []byte {
	t.Helper()
	out := bytes.Clone(data)
	at := bytes.Index(out, []byte("PK\x01\x02"))
	if at < 0 {
		t.Fatal("no central directory")
	}
	binary.LittleEndian.PutUint32(out[at+24:], size)
	return out
}

// flip changes a byte of the first file.
func flip(data []byte) []byte {
	out := bytes.Clone(data)
	out[45] ^= 0xff
	return out
}

// Unzip does not panic, take long or write outside the root, whatever the bytes are.
func FuzzZip(f *testing.F) {
	f.Add(pack(f, entry{name: "a", data: "x"}, entry{name: "d/"}, entry{name: "d/b", data: "y"}))
	f.Add(pack(f, entry{name: "../a"}))
	good := pack(f, entry{name: "p/a", data: "hello hello hello"}, entry{name: "p/b"})
	for _, seed := range [][]byte{encrypted(good), method(good), checksum(good), lie(f, good, 3), flip(good), good[:len(good)-9]} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		files, err := unpack(data)
		for name := range files {
			if sandbox.ValidNew(name) != nil || err != nil {
				t.Errorf("wrote %q with %v", name, err)
			}
		}
	})
}
