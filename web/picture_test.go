//go:build !js

package web_test

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"golem/web/webtest"
)

const pictures = "../docs/pictures"

// pictureBytes is how large a picture of the page may be.
const pictureBytes = 150_000

// TestPictureOfThePage shows the page as in the README, light and dark, and compares its texts,
// as the window and as a screen reader have them, with docs/pictures/page.txt, which was kept
// when the pictures were made. GOLEM_UPDATE=1 makes the pictures and the text.
func TestPictureOfThePage(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{`srcset="docs/pictures/page-dark.png"`, `src="docs/pictures/page-light.png"`} {
		if !strings.Contains(string(readme), name) {
			t.Errorf("the README has no %s", name)
		}
	}
	update := os.Getenv("GOLEM_UPDATE") != ""
	p, _ := visit(t, "/")
	resized(t, p, 1120, 700)
	do(p, `await text("is ready"); await click("Ada starts on Monday"); await text("Change a file?");
		await until("Yes", () => [...document.querySelectorAll('dialog[open] button')].some((b) => b.innerText === 'Yes' && !b.disabled))`)
	shown := pictured(t, p)
	for _, system := range []string{"light", "dark"} {
		media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: system}}}
		if _, err := chromedp.Call(p.Context(), emulation.SetEmulatedMedia, media); err != nil {
			t.Fatal(err)
		}
		do(p, `await until("the colours of the system: %s", () => document.documentElement.dataset.theme === %q)`, system, system)
		name := filepath.Join(pictures, "page-"+system+".png")
		if update {
			whole, err := chromedp.Run(p.Context(), chromedp.CaptureScreenshot())
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, fewer(t, whole), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatalf("%v: make pictures makes it", err)
		}
		size, err := png.DecodeConfig(bytes.NewReader(data))
		if err != nil || size.Width != 1120 || size.Height != 700 || len(data) > pictureBytes {
			t.Errorf("%s: %d × %d pixels, %d bytes, at most %d: %v", name, size.Width, size.Height, len(data), pictureBytes, err)
		}
	}
	kept := filepath.Join(pictures, "page.txt")
	if update {
		if err := os.WriteFile(kept, []byte(shown), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(kept)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != shown {
		t.Errorf("the page looks different from the picture of the README (make pictures makes it again): it shows\n%s\nthe picture\n%s", shown, want)
	}
	refuse(p)
	finished(p, "ok")
}

// pictured returns the texts of the page: those that the window has, then what a screen reader
// says, without times: what takes less than a second shows none.
func pictured(t *testing.T, p *webtest.Page) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(webtest.Eval[string](p, `document.body.innerText.split("\n").map((l) => l.trim()).filter(Boolean).join("\n")`))
	b.WriteString("\n\n")
	for _, h := range reading(t, p, "picture") {
		fmt.Fprintf(&b, "%s %q%s\n", h.role, h.name, h.said)
	}
	return regexp.MustCompile(`(?m)^(\d+(\.\d+)? (ms|s)|\S+ "\d+(\.\d+)? (ms|s)".*)\n| ?\b\d+(\.\d+)? (ms|s)\b`).ReplaceAllString(b.String(), "")
}

// fewer returns a picture with at most 256 colours: those that occur most, and for all others the
// nearest of them. Such a picture is a third as large.
func fewer(t *testing.T, whole []byte) []byte {
	t.Helper()
	in, err := png.Decode(bytes.NewReader(whole))
	if err != nil {
		t.Fatal(err)
	}
	count := map[color.RGBA]int{}
	at := func(x, y int) color.RGBA {
		r, g, b, _ := in.At(x, y).RGBA()
		return color.RGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), 255}
	}
	size := in.Bounds()
	for y := range size.Dy() {
		for x := range size.Dx() {
			count[at(x, y)]++
		}
	}
	all := slices.SortedFunc(maps.Keys(count), func(a, b color.RGBA) int {
		return cmp.Or(count[b]-count[a], int(a.R)-int(b.R), int(a.G)-int(b.G), int(a.B)-int(b.B))
	})
	var palette color.Palette
	for _, c := range all[:min(len(all), 256)] {
		palette = append(palette, c)
	}
	out := image.NewPaletted(size, palette)
	known := map[color.RGBA]uint8{}
	for y := range size.Dy() {
		for x := range size.Dx() {
			c := at(x, y)
			i, ok := known[c]
			if !ok {
				i = uint8(out.Palette.Index(c))
				known[c] = i
			}
			out.SetColorIndex(x, y, i)
		}
	}
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, out); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
