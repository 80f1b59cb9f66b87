package main

import (
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golem/cmd/cli/ptytest"
)

const (
	pictureFile    = "../../docs/pictures/terminal.svg"
	pictureColumns = 100
	pictureRows    = 40
)

// recording is what a terminal showed, as the frames of a film.
type recording struct {
	t        *testing.T
	dir      string
	before   string     // all that the commands before wrote
	expected [][]string // the lines of the frames in docs, or nil to make them
	frames   []frame
}

// frame is one screen and how long it stays, in milliseconds.
type frame struct {
	rows  [][]span
	stays int
}

func (f frame) lines() []string {
	var out []string
	for _, row := range f.rows {
		var b strings.Builder
		for _, s := range row {
			b.WriteString(strings.Repeat(" ", s.at-len([]rune(b.String()))) + s.text)
		}
		out = append(out, b.String())
	}
	return out
}

// TestPictureOfTheTerminal plays the README's first minute on a terminal, and compares what it
// shows with the text of docs/pictures/terminal.svg. GOLEM_UPDATE=1 writes the picture. y and
// Enter let the call run, and golem undo takes back what it wrote.
func TestPictureOfTheTerminal(t *testing.T) {
	t.Setenv("TERM", "xterm-256color")
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(readme), "\n## ")
	if top := strings.SplitN(first, "\n", 6); !strings.Contains(strings.Join(top[:5], "\n"), "(docs/pictures/terminal.svg)") {
		t.Error("the README does not show the picture in its first five lines")
	}
	r := &recording{t: t, dir: t.TempDir()}
	if os.Getenv("GOLEM_UPDATE") == "" {
		r.expected = framesOf(t, pictureFile)
	}
	for _, d := range []string{"examples/greeter", "build/note-taker"} {
		if err := os.CopyFS(filepath.Join(r.dir, d), os.DirFS(filepath.Join("../../examples", filepath.Base(d)))); err != nil {
			t.Fatal(err)
		}
	}
	garden := func() string {
		data, err := os.ReadFile(filepath.Join(r.dir, "build", "note-taker", "notes", "garden.md"))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	before := garden()
	const greet, take, undo = `golem run examples/greeter/greeter.yaml "My name is Ada" --model script:examples/greeter/script.yaml`, `golem run build/note-taker "Add to garden: mulch the roses" --model script:build/note-taker/script.yaml`, `golem undo --project build/note-taker`
	for _, line := range []string{greet, take, undo} {
		if !strings.Contains(string(readme), "\n"+line+"\n") {
			t.Errorf("the README does not show the command %s", line)
		}
	}
	p := r.begins(greet)
	r.ends(p, 2500)
	p = r.begins(take)
	r.shows(p, "A letter, then Enter, answers", 5000)
	p.press("y")
	r.shows(p, "> [y]", 1500) // keys that come at once count as typed text
	p.press("\r")
	r.ends(p, 2500)
	if garden() == before {
		t.Error("y and Enter changed nothing")
	}
	p = r.begins(undo)
	r.shows(p, "[y/N]", 2500)
	p.typeKeys("y\n")
	r.ends(p, 4000)
	if garden() != before {
		t.Error("golem undo did not take back what the run wrote")
	}
	if r.expected != nil {
		if len(r.frames) != len(r.expected) {
			t.Errorf("the picture has %d frames, the terminal showed %d", len(r.expected), len(r.frames))
		}
		return
	}
	if err := os.WriteFile(pictureFile, []byte(film(r.frames)), 0o644); err != nil {
		t.Fatal(err)
	}
}

// begins clears the screen, types a command, and starts it.
func (r *recording) begins(line string) *ptyRun {
	r.t.Helper()
	r.before = "\x1b[32m$\x1b[0m "
	half := strings.Index(line, " --model")
	if half < 0 {
		half = len(line) / 2
	}
	r.takes(r.before+line[:half], 700)
	r.before += line + "\r\n"
	r.takes(r.before, 700)
	args := regexp.MustCompile(`"[^"]*"|\S+`).FindAllString(strings.TrimPrefix(line, "golem "), -1)
	for i := range args {
		args[i] = strings.Trim(args[i], `"`)
	}
	return startPTY(r.t, r.dir, nil, false, args...)
}

// shows takes the screen as a frame once it shows a text, and what the picture shows.
func (r *recording) shows(p *ptyRun, text string, stays int) {
	r.t.Helper()
	p.sees(text)
	r.settles(p)
	r.takes(r.before+p.raw(), stays)
}

// ends waits for the end of the command, and takes the screen.
func (r *recording) ends(p *ptyRun, stays int) {
	r.t.Helper()
	p.exit(0)
	r.takes(r.before+p.raw()+"\x1b[32m$\x1b[0m ", stays)
}

// settles waits until the screen is the next frame of the picture, or for the rest of what golem
// draws.
func (r *recording) settles(p *ptyRun) {
	if len(r.expected) <= len(r.frames) {
		time.Sleep(500 * time.Millisecond)
		return
	}
	want, seen := r.expected[len(r.frames)], ""
	waitFor(func() bool {
		if out := p.raw(); out != seen {
			seen = out
			return slices.Equal(screenOf(r.t, r.before+out).lines(), want)
		}
		return false
	})
}

// takes adds a frame, and compares it with that of the picture.
func (r *recording) takes(out string, stays int) {
	r.t.Helper()
	f := screenOf(r.t, out)
	f.stays = stays
	if n := len(r.frames); n < len(r.expected) && !slices.Equal(f.lines(), r.expected[n]) {
		r.t.Errorf("frame %d of docs/pictures/terminal.svg (make pictures makes it again) shows\n%s\nthe terminal\n%s", n+1, strings.Join(r.expected[n], "\n"), strings.Join(f.lines(), "\n"))
	}
	r.frames = append(r.frames, f)
}

// raw returns all that golem wrote, with one time and one run for all.
func (r *ptyRun) raw() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := took.ReplaceAllString(r.screen.String(), "done in 0 s")
	out = runID.ReplaceAllString(out, "20260102-030405-0a1b2c3d")
	return runTime.ReplaceAllString(out, "of 2026-01-02 03:04")
}

var (
	took    = regexp.MustCompile(`done in \d+ s`)
	runID   = regexp.MustCompile(`20\d{6}-\d{6}-[0-9a-f]{8}`)
	runTime = regexp.MustCompile(`of 20\d\d-\d\d-\d\d \d\d:\d\d`)
)

// screenOf returns what a terminal shows after it got out, without empty lines at the end.
func screenOf(t *testing.T, out string) frame {
	t.Helper()
	e := ptytest.Screen(t, out, pictureColumns, pictureRows)
	var f frame
	for y := range pictureRows {
		var row []span
		for x := 0; x < pictureColumns; x++ {
			cell := e.CellAt(x, y)
			if cell == nil || cell.Content == "" {
				continue
			}
			class := classOf(cell.Style.Fg, cell.Style.Attrs)
			if n := len(row); n > 0 && row[n-1].class == class && row[n-1].at+row[n-1].columns == x {
				row[n-1].text += cell.Content
				row[n-1].columns++
				continue
			}
			row = append(row, span{x, 1, cell.Content, class})
		}
		f.rows = append(f.rows, trimmed(row))
	}
	for len(f.rows) > 0 && len(f.rows[len(f.rows)-1]) == 0 {
		f.rows = f.rows[:len(f.rows)-1]
	}
	return f
}

// framesOf reads the lines of each frame of a picture.
func framesOf(t *testing.T, name string) [][]string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatalf("%v: make pictures makes it", err)
	}
	var svg struct {
		Frames []struct {
			Rows []struct {
				Spans []struct {
					Column int    `xml:"data-column,attr"`
					Text   string `xml:",chardata"`
				} `xml:"text"`
			} `xml:"g"`
		} `xml:"g>g"`
	}
	if err := xml.Unmarshal(data, &svg); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	var all [][]string
	for _, g := range svg.Frames {
		var f frame
		for _, row := range g.Rows {
			var spans []span
			for _, s := range row.Spans {
				spans = append(spans, span{at: s.Column, text: s.Text})
			}
			f.rows = append(f.rows, spans)
		}
		all = append(all, f.lines())
	}
	if len(all) < 5 {
		t.Fatalf("%s has %d frames", name, len(all))
	}
	return all
}

// The text that the test reads from a picture is the text that the picture shows.
func TestPictureKeepsTheText(t *testing.T) {
	shown := screenOf(t, "a  b\r\n\x1b[32m── green \x1b[0m& <plain>\r\n\r\n  \x1b[1mend")
	name := filepath.Join(t.TempDir(), "film.svg")
	frames := slices.Repeat([]frame{{shown.rows, 1000}}, 5)
	if err := os.WriteFile(name, []byte(film(frames)), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, lines := range framesOf(t, name) {
		if got, want := strings.Join(lines, "\n"), "a  b\n── green & <plain>\n\n  end"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := fmt.Sprint(shown.rows[1]); !strings.Contains(got, "c2") {
		t.Errorf("no green in %s", got)
	}
}
