package gitrepo

import (
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"golem/core/fault"
	"golem/core/gitrepo/gittest"
	"golem/core/sandbox"
)

// whole is a view of all files of a tree.
type whole struct{ sandbox.FS }

func (w whole) Name(source string) (string, bool) { return source, true }

func (w whole) Source(name string) (string, error) { return path.Join("/", name), nil }

// yard is a repository in memory to which a test writes single objects.
type yard struct {
	*repo
	files sandbox.FS
	order []string // the order of the names in the index of a pack; nil: sorted
}

func newYard(t testing.TB) *yard {
	y := &yard{files: sandbox.Memory()}
	y.repo = &repo{T: t, Write: func(name string, data []byte) error { return y.files.WriteFile(".git/"+name, data) }}
	y.Put("HEAD", []byte("ref: refs/heads/main\n"))
	y.Put("objects/x", nil)
	y.Put("refs/x", nil)
	return y
}

// commit writes a commit of a directory and returns its hash.
func (y *yard) commit(tree, message string, parents ...string) string {
	text := "tree " + tree + "\n"
	for _, p := range parents {
		text += "parent " + p + "\n"
	}
	return y.Object("commit", text+"author a <a@b> 0 +0000\ncommitter a <a@b> 0 +0000\n\n"+message+"\n")
}

func (y *yard) main(commit string) { y.Put("refs/heads/main", []byte(commit+"\n")) }

// read calls a reading tool with arguments in JSON.
func (y *yard) read(tool, args string) (string, error) {
	return Read(context.Background(), tool, []byte(args), y.files, whole{y.files})
}

// lose removes an object.
func (y *yard) lose(t *testing.T, name string) {
	t.Helper()
	if err := y.files.Remove(".git/objects/" + name[:2] + "/" + name[2:]); err != nil {
		t.Fatal(err)
	}
}

// git_status reports a branch without a commit as such. A damaged HEAD, branch or parent
// is an error, and not treated as a repository without commits or as a shallow clone.
func TestDamageIsTold(t *testing.T) {
	for _, c := range []struct {
		what, tool, args, want string
		damage                 func(y *yard, first, second string)
	}{
		{"nothing", "git_status", `{}`, "on branch main\n", func(*yard, string, string) {}},
		{"unborn", "git_status", `{}`, "on branch new, which has no commit yet", func(y *yard, _, _ string) { y.Put("HEAD", []byte("ref: refs/heads/new\n")) }},
		{"detached", "git_status", `{}`, "on no branch, commit ", func(y *yard, first, _ string) { y.Put("HEAD", []byte(first+"\n")) }},
		{"a symbolic branch", "git_status", `{}`, "on branch other\n", func(y *yard, _, _ string) {
			y.Put("HEAD", []byte("ref: refs/heads/other\n"))
			y.Put("refs/heads/other", []byte("ref: refs/heads/main\n"))
		}},
		{"a circle of branches", "git_status", `{}`, "E_PATH: the repository is not accepted: the branch other is damaged", func(y *yard, _, _ string) {
			y.Put("HEAD", []byte("ref: refs/heads/other\n"))
			y.Put("refs/heads/other", []byte("ref: refs/heads/other\n"))
		}},
		{"HEAD is a text", "git_status", `{}`, "E_PATH: the repository is not accepted: its HEAD", func(y *yard, _, _ string) { y.Put("HEAD", []byte("hello\n")) }},
		{"HEAD is empty", "git_log", `{}`, "E_PATH: the repository is not accepted: its HEAD", func(y *yard, _, _ string) { y.Put("HEAD", nil) }},
		{"HEAD leads out", "git_diff", `{}`, "E_PATH: the repository is not accepted: its HEAD", func(y *yard, _, _ string) { y.Put("HEAD", []byte("ref: ../../etc/passwd\n")) }},
		{"HEAD leads up", "git_diff", `{}`, "E_PATH: the repository is not accepted: its HEAD", func(y *yard, _, _ string) { y.Put("HEAD", []byte("ref: refs/../../x\n")) }},
		{"a branch is a text", "git_status", `{}`, "E_PATH: the repository is not accepted: the branch main is damaged", func(y *yard, _, _ string) { y.Put("refs/heads/main", []byte("hello\n")) }},
		{"a branch names nothing", "git_status", `{}`, "which is missing or damaged", func(y *yard, _, _ string) { y.main(strings.Repeat("1", 40)) }},
		{"a branch names nothing, log", "git_log", `{"rev":"main"}`, "which is missing or damaged", func(y *yard, _, _ string) { y.main(strings.Repeat("1", 40)) }},
		{"a commit is not there", "git_log", `{"rev":"1111111111111111111111111111111111111111"}`, "E_NOT_FOUND", func(*yard, string, string) {}},
		{"a branch names a file", "git_status", `{}`, "E_NOT_FOUND", func(y *yard, _, _ string) { y.main(y.Object("blob", "x")) }},
		{"a parent is gone, log", "git_log", `{}`, "E_PATH: a part of the repository is missing", func(y *yard, first, _ string) { y.lose(y.T.(*testing.T), first) }},
		{"a parent is gone, path", "git_log", `{"path":"/a"}`, "E_PATH: a part of the repository is missing", func(y *yard, first, _ string) { y.lose(y.T.(*testing.T), first) }},
		{"a parent is gone, show", "git_show", `{"rev":"main"}`, "E_PATH: a part of the repository is missing", func(y *yard, first, _ string) { y.lose(y.T.(*testing.T), first) }},
		{"a parent is gone, blame", "git_blame", `{"path":"/a"}`, "E_PATH: a part of the repository is missing", func(y *yard, first, _ string) { y.lose(y.T.(*testing.T), first) }},
		{"shallow, log", "git_log", `{}`, "second\n", shallow},
		{"shallow, path", "git_log", `{"path":"/a"}`, "second\n", shallow},
		{"shallow, show", "git_show", `{"rev":"main"}`, "[the clone is shallow", shallow},
		{"shallow, blame", "git_blame", `{"path":"/a"}`, "?????????? 0001-01-01 an older commit 1) two\n[lines of an older commit", shallow},
		{"shallow, before", "git_log", `{"rev":"main~1"}`, "E_NOT_FOUND", shallow},
	} {
		y := newYard(t)
		first := y.commit(y.Tree(gittest.Entry(Plain, "a", y.Object("blob", "one\n"))), "first")
		second := y.commit(y.Tree(gittest.Entry(Plain, "a", y.Object("blob", "two\n"))), "second", first)
		y.main(second)
		c.damage(y, first, second)
		out, err := y.read(c.tool, c.args)
		if err != nil {
			out += err.Error()
		}
		if !strings.Contains(out, c.want) || c.want == "second\n" && strings.Contains(out, "first") {
			t.Errorf("%s: %s; want %s", c.what, out, c.want)
		}
	}
}

func shallow(y *yard, first, second string) {
	y.Put("shallow", []byte(second+"\n"))
	y.lose(y.T.(*testing.T), first)
}

// Small trees that stand for very many files, or for very many bytes in a history, are
// E_LIMIT with a hint.
func TestBoundsOfReading(t *testing.T) {
	y := newYard(t)
	// Each directory has the one before it ten times: 10^20 directories without a file.
	tree := y.Tree()
	for range 20 {
		var entries []string
		for n := range 10 {
			entries = append(entries, gittest.Entry(Dir, fmt.Sprint(n), tree))
		}
		tree = y.Tree(entries...)
	}
	y.main(y.commit(tree, "bomb"))
	for _, c := range [][2]string{{"git_status", `{}`}, {"git_show", `{"rev":"main"}`}} {
		if _, err := y.read(c[0], c[1]); !errors.Is(err, fault.Limit) {
			t.Errorf("%s of a directory bomb: %v", c[0], err)
		}
	}
	if out, err := y.read("git_diff", `{"from":"main","path":"/1/2/3/4/5/6/7/8/9/0/1/2/3/4/5/6/7/8"}`); err != nil || out != "nothing differs" {
		t.Errorf("a part of it: %s, %v", out, err)
	}
	deep := y.Tree(gittest.Entry(Plain, "x", y.Object("blob", "x")))
	for range MaxDepth + 2 {
		deep = y.Tree(gittest.Entry(Dir, "d", deep))
	}
	y.main(y.commit(deep, "deep"))
	if _, err := y.read("git_status", `{}`); !errors.Is(err, fault.Path) || !strings.Contains(err.Error(), "deep") {
		t.Errorf("a deep directory: %v", err)
	}

	// In this history each commit has other directories. Only few are cached, and
	// everything that is read counts against the limit.
	parent := []string(nil)
	for n := range 40 {
		parent = []string{y.commit(y.Tree(gittest.Entry(Plain, "a", y.Object("blob", "x")), gittest.Entry(Plain, fmt.Sprint("b", n)+strings.Repeat("x", 200), y.Object("blob", "x"))), "more", parent...)}
	}
	y.main(parent[0])
	r, err := Machine{}.open(t.Context(), y.files, whole{y.files}, "")
	if err != nil {
		t.Fatal(err)
	}
	r.left = 8000
	// At the limit git_log shows the commits that it has found and where to continue, so
	// that several calls show all of them.
	told, rounds := "", 0
	for rev := "main"; rev != ""; rounds++ {
		r.left = 8000
		clear(r.trees)
		out, err := r.log(Args{Path: "/a", Rev: rev})
		said, next, more := strings.Cut(out, "[older commits were not looked at: more than 2147483648 bytes of the repository were read for one call; go on with rev ")
		told += said
		if rev = strings.TrimSuffix(next, "]\n"); err != nil || more != (rev != "") || rounds > 40 {
			t.Fatalf("a long history: %s, %v", out, err)
		}
	}
	if rounds < 2 || strings.Count(told, "more") != 1 {
		t.Errorf("after %d calls: %s", rounds, told)
	}
	r.left = 8000
	clear(r.trees)
	if out, err := r.blame(Args{Path: "/a"}); err != nil || !strings.Contains(out, "?????????? 0001-01-01 an older commit 1) x") {
		t.Errorf("the lines of a long history: %s, %v", out, err)
	}
	if _, err := r.log(Args{}); !errors.Is(err, fault.Limit) {
		t.Errorf("once all that a call may read was read, no more is: %v", err)
	}
	r.left, r.held = maxRead, maxHeld-4000
	clear(r.trees)
	if out, err := r.log(Args{Path: "/a"}); err != nil || strings.Count(out, "more") != 1 || len(r.trees) >= 40 || len(r.trees) == 0 {
		t.Errorf("%d directories are kept: %s, %v", len(r.trees), out, err)
	}
}

// packed writes a pack with its index into the repository. objects maps the hash in the
// index to the bytes in the pack.
func (y *yard) packed(objects map[string][]byte) {
	names := make([]string, 0, len(objects))
	for name := range objects {
		names = append(names, name)
	}
	slices.Sort(names)
	if y.order != nil {
		names = y.order
	}
	pack := append([]byte("PACK\x00\x00\x00\x02"), binary.BigEndian.AppendUint32(nil, uint32(len(names)))...)
	index := []byte("\xfftOc\x00\x00\x00\x02")
	var fan [256]uint32
	var hashes, sums, places []byte
	for _, name := range names {
		raw, _ := hex.DecodeString(name)
		for n := int(raw[0]); n < 256; n++ {
			fan[n]++
		}
		hashes = append(hashes, raw...)
		sums = append(sums, 0, 0, 0, 0)
		places = binary.BigEndian.AppendUint32(places, uint32(len(pack)))
		pack = append(pack, objects[name]...)
	}
	for _, n := range fan {
		index = binary.BigEndian.AppendUint32(index, n)
	}
	sum := sha1.Sum(pack)
	pack = append(pack, sum[:]...)
	index = append(slices.Concat(index, hashes, sums, places), sum[:]...)
	own := sha1.Sum(index)
	file := fmt.Sprintf("objects/pack/pack-%x", sum)
	y.Put(file+".pack", pack)
	y.Put(file+".idx", append(index, own[:]...))
}

// delta returns an object of a pack: a delta of size bytes with the given base.
func delta(base string, size int) []byte {
	raw, _ := hex.DecodeString(base)
	out := []byte{byte(7<<4|size&15) | 0x80, byte(size>>4&0x7f) | 0x80, byte(size >> 11 & 0x7f)}
	content := append([]byte{5, 5, 5}, "hello"...)
	return slices.Concat(out, raw, gittest.Deflate(append(content, make([]byte, max(0, size-len(content)))...)))
}

// Deltas that are their own base, form a circle or stand for very many bytes are errors.
// The library that reads packs would follow them until the program dies.
func TestDeltasThatDoNotEnd(t *testing.T) {
	one, two := strings.Repeat("1", 40), strings.Repeat("2", 40)
	back := func(n byte) []byte {
		return append([]byte{6<<4 | 8, n}, gittest.Deflate([]byte{5, 5, 5, 'h', 'e', 'l', 'l', 'o'})...)
	}
	for what, objects := range map[string]map[string][]byte{
		"its own base":           {one: delta(one, 8)},
		"its own base, large":    {one: delta(one, 40_000)},
		"a circle":               {one: delta(two, 8), two: delta(one, 8)},
		"its own base by offset": {one: back(0)},
		"a base before the pack": {one: back(100)},
		"a base in the header":   {one: back(8)},
		"no base":                {one: delta(two, 8)},
		"cut":                    {one: {0xff}},
		"a large number":         {one: bytes.Repeat([]byte{0xff}, 60)},
	} {
		y := newYard(t)
		y.packed(objects)
		y.main(one)
		for _, tool := range []string{"git_status", "git_log", "git_diff"} {
			if out, err := y.read(tool, `{}`); !errors.Is(err, fault.Path) && !errors.Is(err, fault.Tool) {
				t.Errorf("%s: %s: %q, %v", what, tool, out, err)
			}
		}
		blob := y.commit(y.Tree(gittest.Entry(Plain, "a", one)), "x")
		y.main(blob)
		if out, err := y.read("git_show", `{"rev":"main","path":"/a"}`); !errors.Is(err, fault.Path) && !errors.Is(err, fault.Tool) {
			t.Errorf("%s, a file: %q, %v", what, out, err)
		}
	}
}

// made returns an object of a pack: a delta that makes size bytes from copies of the base.
func made(base string, baseSize, size uint64) []byte {
	raw, _ := hex.DecodeString(base)
	content := binary.AppendUvarint(binary.AppendUvarint(nil, baseSize), size)
	for left := size; left > 0; {
		n := min(left, baseSize)
		content = append(content, 0xf0, byte(n), byte(n>>8), byte(n>>16))
		left -= n
	}
	out := []byte{byte(7<<4|len(content)&15) | 0x80, byte(len(content)>>4&0x7f) | 0x80, byte(len(content) >> 11 & 0x7f)}
	return slices.Concat(out, raw, gittest.Deflate(content))
}

// A pack cannot make the library build or follow objects that golem did not check: by an
// index whose order hides an object, by an object that also exists as a loose object, or
// by a small object that is made of a very large one.
func TestPacksThatHide(t *testing.T) {
	small := func(kind byte, data string) []byte {
		return append([]byte{kind<<4 | byte(len(data)&15) | 0x80, byte(len(data) >> 4)}, gittest.Deflate([]byte(data))...)
	}
	for what, hide := range map[string]func(y *yard) (commit string){
		"the order of the index": func(y *yard) string {
			one := "05" + strings.Repeat("1", 38)
			y.order = []string{"05" + strings.Repeat("f", 38), one, "05" + strings.Repeat("2", 38)}
			y.packed(map[string][]byte{y.order[0]: small(3, "x"), one: delta(one, 8), y.order[2]: small(3, "y")})
			return one
		},
		"a file of its own": func(y *yard) string {
			twin := y.commit(y.Tree(), "twin")
			first := "tree " + y.Tree() + "\nauthor a <a@b> 0 +0000\n\nfirst\n"
			packed := fmt.Sprintf("%x", sha1.Sum(fmt.Appendf(nil, "commit %d\x00%s", len(first), first)))
			y.packed(map[string][]byte{packed: small(1, first), twin: delta(twin, 8)})
			return y.commit(y.Tree(), "last", packed, twin) // the pack is open when twin is read
		},
		"a large base": func(y *yard) string {
			a, b, c := strings.Repeat("a", 40), strings.Repeat("b", 40), strings.Repeat("c", 40)
			y.packed(map[string][]byte{a: small(3, strings.Repeat("x", 1000)), b: made(a, 1000, maxDeltas+1000), c: made(b, maxDeltas+1000, 1000)})
			return y.commit(y.Tree(gittest.Entry(Plain, "a", c)), "x")
		},
		"many large bases": func(y *yard) string {
			objects, base, size := map[string][]byte{}, strings.Repeat("0", 40), uint64(1000)
			objects[base] = small(3, strings.Repeat("x", int(size)))
			for n := range maxMade/maxDeltas + 2 {
				name := fmt.Sprintf("%040x", n+1)
				objects[name] = made(base, size, maxDeltas)
				base, size = name, maxDeltas
			}
			objects[strings.Repeat("f", 40)] = made(base, size, 1000)
			y.packed(objects)
			return y.commit(y.Tree(gittest.Entry(Plain, "a", strings.Repeat("f", 40))), "x")
		},
		"more than it says": func(y *yard) string {
			a := strings.Repeat("a", 40)
			y.packed(map[string][]byte{a: append([]byte{3<<4 | 8}, gittest.Deflate(make([]byte, 1<<20))...)})
			return y.commit(y.Tree(gittest.Entry(Plain, "a", a)), "x")
		},
	} {
		y := newYard(t)
		y.main(hide(y))
		out, err := y.read("git_show", `{"rev":"main","path":"/a"}`)
		if what == "a file of its own" {
			out, err = y.read("git_log", `{"rev":"main"}`)
		}
		if !errors.Is(err, fault.Path) || !strings.Contains(err.Error(), " pack ") {
			t.Errorf("%s: %q, %v", what, out, err)
		}
	}
}
