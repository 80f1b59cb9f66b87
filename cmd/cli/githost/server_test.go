package githost

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golem/core/fault"
	"golem/core/workspace"
)

// packHeader returns the header of an object in a pack: kind and size.
func packHeader(kind, size int) []byte {
	out := []byte{byte(kind<<4 | size&15)}
	for size >>= 4; size > 0; size >>= 7 {
		out[len(out)-1] |= 0x80
		out = append(out, byte(size&0x7f))
	}
	return out
}

var packKinds = map[string]int{"commit": 1, "tree": 2, "blob": 3, "tag": 4}

func packBytes(objects ...[]byte) []byte {
	out := append([]byte("PACK\x00\x00\x00\x02"), binary.BigEndian.AppendUint32(nil, uint32(len(objects)))...)
	out = append(out, bytes.Join(objects, nil)...)
	sum := sha1.Sum(out)
	return append(out, sum[:]...)
}

// packOf returns a pack with the objects, each once.
func packOf(all [][2]string) []byte {
	var objects [][]byte
	for i, o := range all {
		if !slices.Contains(all[:i], o) {
			objects = append(objects, append(packHeader(packKinds[o[0]], len(o[1])), deflate([]byte(o[1]))...))
		}
	}
	return packBytes(objects...)
}

func pkt(s string) string { return fmt.Sprintf("%04x%s", len(s)+4, s) }

// served fetches tag v1 from a server that answers with a pack.
func served(t testing.TB, commit string, pack []byte, redirect http.Handler) (map[string][]byte, string, error) {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/r/info/refs", func(w http.ResponseWriter, r *http.Request) {
		if redirect != nil {
			redirect.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/x-git-upload-pack-advertisement")
		io.WriteString(w, pkt("# service=git-upload-pack\n")+"0000"+
			pkt(commit+" HEAD\x00side-band-64k shallow ofs-delta agent=x\n")+pkt(commit+" refs/heads/main\n")+pkt(commit+" refs/tags/v1\n")+"0000")
	})
	mux.HandleFunc("/r/git-upload-pack", func(w http.ResponseWriter, r *http.Request) {
		asked, _ := io.ReadAll(r.Body)
		if !bytes.Contains(asked, []byte("deepen 1")) || !bytes.Contains(asked, []byte("want "+commit)) {
			t.Errorf("asked for %q", asked)
		}
		io.WriteString(w, pkt("shallow "+commit+"\n")+"0000"+pkt("NAK\n"))
		for part := range slices.Chunk(pack, 65000) {
			io.WriteString(w, pkt("\x01"+string(part)))
		}
		io.WriteString(w, "0000")
	})
	server := httptest.NewTLSServer(mux)
	defer server.Close()
	client := gitHTTPClient()
	client.Transport = server.Client().Transport
	u, err := url.Parse(server.URL + "/r")
	if err != nil {
		t.Fatal(err)
	}
	return gitAddress{source: "git+https://example.com/r", remote: u, ref: "v1"}.fetch(t.Context(), client)
}

// S1-56: golem gets one commit without its history from a server over HTTPS.
func TestGitServer(t *testing.T) {
	r, _ := memoryRepo(t)
	commit := r.Tag("v1", r.Tree(lib(r)...))
	files, got, err := served(t, commit, packOf(r.All), nil)
	if err != nil || got != commit || len(files) != 3 || string(files["workers/a.worker"]) != "hello" {
		t.Fatalf("%v, %s, %v", files, got, err)
	}
	to := func(where string) http.Handler { return http.RedirectHandler(where, http.StatusFound) }
	if _, _, err := served(t, commit, nil, to("https://elsewhere.example/r/info/refs?service=git-upload-pack")); !errors.Is(err, fault.Network) || !strings.Contains(err.Error(), "redirects to another host, elsewhere.example") {
		t.Errorf("another host: %v", err)
	}
	if _, _, err := served(t, commit, nil, http.NotFoundHandler()); !errors.Is(err, fault.NotFound) {
		t.Errorf("not found: %v", err)
	}
}

// A pack whose objects are too large is refused before they are built in memory: by
// compression, by a delta that repeats its base, or by a wrong number of objects. So is
// a damaged pack.
func TestGitPackBombs(t *testing.T) {
	r, _ := memoryRepo(t)
	commit := r.Tag("v1", r.Tree(lib(r)...))
	zeros := func(n int) []byte { return append(packHeader(3, n), deflate(make([]byte, n))...) }
	base := zeros(1 << 20)
	size := workspace.MaxLibraryFile + 1
	var delta []byte
	for _, n := range []int{1 << 20, size} {
		for ; n > 0x7f; n >>= 7 {
			delta = append(delta, byte(n)|0x80)
		}
		delta = append(delta, byte(n))
	}
	for range 65 {
		delta = append(delta, 0xf0, 0, 0, 0x10) // copy 1 MiB from the beginning
	}
	grow := append(packHeader(6, len(delta)), offset(len(base))...)
	grow = append(grow, deflate(delta)...)
	for name, pack := range map[string][]byte{
		"one large":      packBytes(zeros(size)),
		"many":           packBytes(zeros(size-2), zeros(size-3), zeros(size-4), zeros(size-5), zeros(size-6)),
		"difference":     packBytes(base, grow),
		"says too much":  append([]byte("PACK\x00\x00\x00\x02\xff\xff\xff\xff"), base...),
		"longer":         packBytes(append(packHeader(3, 5), deflate(make([]byte, 1<<20))...)),
		"not a pack":     []byte("hello"),
		"empty":          nil,
		"cut":            packOf(r.All)[:60],
		"base of itself": packBytes(append(append(packHeader(6, 5), 0), deflate([]byte("12345"))...)),
	} {
		files, _, err := served(t, commit, pack, nil)
		if err == nil || len(files) > 0 {
			t.Errorf("%s: %d files, %v", name, len(files), err)
		}
	}
}

// offset encodes how far before a delta its base lies.
func offset(n int) []byte {
	out := []byte{byte(n & 0x7f)}
	for n >>= 7; n > 0; n >>= 7 {
		n--
		out = append([]byte{byte(n&0x7f) | 0x80}, out...)
	}
	return out
}

// An object that is no difference counts once.
func TestPackCountsEachFileOnce(t *testing.T) {
	r, _ := memoryRepo(t)
	r.Tag("v1", r.Tree(lib(r)...))
	total := int64(0)
	for i, o := range r.All {
		if !slices.Contains(r.All[:i], o) {
			total += int64(len(o[1]))
		}
	}
	if err := checkPack(t.Context(), bytes.NewReader(packOf(r.All)), total); err != nil {
		t.Errorf("%d bytes: %v", total, err)
	}
	if err := checkPack(t.Context(), bytes.NewReader(packOf(r.All)), total-1); err == nil {
		t.Errorf("fewer than %d bytes are enough", total)
	}
}

// checkPack accepts or refuses any pack without a panic.
func FuzzGitPack(f *testing.F) {
	r, _ := memoryRepo(f)
	r.Tag("v1", r.Tree(lib(r)...))
	f.Add(packOf(r.All))
	f.Add(packBytes())
	f.Fuzz(func(t *testing.T, pack []byte) {
		if err := checkPack(t.Context(), bytes.NewReader(pack), 1<<20); err == nil && len(pack) < 12 {
			t.Errorf("%q is a pack", pack)
		}
	})
}
