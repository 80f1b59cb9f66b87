package trust

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"golem/core/fault"
)

func widenings() *rapid.Generator[List] {
	return rapid.Custom(func(t *rapid.T) List {
		var out List
		for range rapid.IntRange(0, 6).Draw(t, "n") {
			text := func(name string) string { return rapid.SampledFrom([]string{"", "a", "b", "a\x00b"}).Draw(t, name) }
			out = append(out, Widening{File: text("file"), Path: text("path"), Value: text("value"), Module: text("module"), At: text("at"), Means: text("means")})
		}
		return out
	})
}

// The digest does not depend on the order of the list, on repetitions, lines or
// descriptions. Two lists with different widenings have different digests.
func TestDigest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := widenings().Draw(t, "l")
		other := append(List{}, l...)
		for i := range other {
			other[i].At, other[i].Means = "elsewhere", "other words"
		}
		for i, j := 0, len(other)-1; i < j; i, j = i+1, j-1 {
			other[i], other[j] = other[j], other[i]
		}
		if len(l) > 0 {
			other = append(other, l[0])
		}
		if l.Digest() != other.Digest() {
			t.Fatal("the digest depends on order, repetition or words")
		}
		m := widenings().Draw(t, "m")
		without := func(a, b List) bool {
			return slices.ContainsFunc(a, func(w Widening) bool { return !slices.ContainsFunc(b, w.Same) })
		}
		same := !without(l, m) && !without(m, l)
		if (l.Digest() == m.Digest()) != same {
			t.Fatalf("%v and %v: same %v", l, m, same)
		}
	})
}

// A yes covers the values it was given for and no other.
func TestJudge(t *testing.T) {
	one := Widening{File: "main.worker", Path: "toolsets.shell.approval.default", Value: "preApproved"}
	var j Judge
	if j.Trusts(one) {
		t.Error("the zero judge trusts")
	}
	j.Trust(List{one})
	moved := one
	moved.At, moved.Means = "main.worker:99", "x"
	if !j.Trusts(one) || !j.Trusts(moved) {
		t.Error("the same value is asked about again")
	}
	for _, change := range []func(*Widening){
		func(w *Widening) { w.File = "other.worker" }, func(w *Widening) { w.Path += "x" },
		func(w *Widening) { w.Value = "ask" }, func(w *Widening) { w.Module = "00" },
	} {
		w := one
		change(&w)
		if j.Trusts(w) || len(j.Untrusted(List{one, w})) != 1 {
			t.Errorf("%+v is trusted", w)
		}
	}
	j.TrustAll()
	if !j.Trusts(Widening{}) {
		t.Error("all is not all")
	}
}

// A book that could not be read again is not written.
func TestBookIsBounded(t *testing.T) {
	var b Book
	b.Add("/p", List{{File: "a", Value: strings.Repeat("x", maxBook)}})
	if _, err := b.Bytes(); !errors.Is(err, fault.Limit) || !strings.Contains(err.Error(), "golem trust --remove") {
		t.Errorf("%v", err)
	}
}

func TestBook(t *testing.T) {
	var b Book
	a, c := Widening{File: "a", At: "a:1"}, Widening{File: "c"}
	b.Add("/p", List{a})
	b.Add("/p", List{c, a})
	b.Add("/q", List{c})
	data, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	got, err := ReadBook(data)
	if err != nil || len(got.Projects["/p"]) != 2 || len(got.Projects["/q"]) != 1 || got.Projects["/p"][0].At != "" {
		t.Errorf("%v %+v", err, got)
	}
	if !got.Remove("/p") || got.Remove("/p") || len(got.Projects["/q"]) != 1 {
		t.Errorf("%+v", got)
	}
	for text, want := range map[string]string{
		"": "", " \n": "", "{": "golem did not write it", `{"golem":"hosts","v":1}`: "golem did not write it", `{"golem":"trust","v":2}`: "newer version of golem", `[]`: "golem did not write it",
		`{"golem":"trust","v":0}`: "golem did not write it", `{"golem":"trust","v":1,"projects":{"p":[{"file":1}]}}`: "golem did not write it",
	} {
		_, err := ReadBook([]byte(text))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func FuzzReadBook(f *testing.F) {
	f.Add([]byte(`{"golem":"trust","v":1,"projects":{"/p":[{"file":"a","path":"b","value":"c"}]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := ReadBook(data)
		if err != nil {
			return
		}
		again, err := b.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ReadBook(again); err != nil && len(again) <= maxBook {
			t.Fatalf("%q is not read again: %v", again, err)
		}
	})
}
