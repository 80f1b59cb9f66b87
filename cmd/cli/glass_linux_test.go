package main

import (
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// glass is a simulated terminal: it understands the sequences that golem sends to a
// vt100.
type glass struct {
	rows     [][]rune
	x, y     int
	top, end int  // the range of lines that scroll
	second   bool // the alternate screen
}

var control = regexp.MustCompile("^\x1b(\\[[0-9;?>=<$!]*[ -/]*[@-~]|[^\\[])")

func show(out string, width, height int) *glass {
	g := &glass{end: height}
	g.clear(width, height)
	for out != "" {
		if out[0] == 0x1b {
			seq := control.FindString(out)
			if seq == "" {
				break
			}
			g.control(seq, width, height)
			out = out[len(seq):]
			continue
		}
		r, n := utf8.DecodeRuneInString(out)
		out = out[n:]
		switch {
		case r == '\r':
			g.x = 0
		case r == '\n':
			if g.y == g.end-1 {
				g.scroll(g.top, 1)
			} else {
				g.y = min(g.y+1, height-1)
			}
		case r == '\b':
			g.x = max(g.x-1, 0)
		case r >= ' ' && g.x < width && g.y < height:
			g.rows[g.y][g.x] = r
			g.x++
		}
	}
	return g
}

func (g *glass) clear(width, height int) {
	g.rows = make([][]rune, height)
	for i := range g.rows {
		g.rows[i] = []rune(strings.Repeat(" ", width))
	}
}

func (g *glass) control(seq string, width, height int) {
	if seq == "\x1bM" {
		if g.y == g.top {
			g.scroll(g.top, -1)
		} else {
			g.y = max(g.y-1, 0)
		}
	}
	if len(seq) < 3 || seq[1] != '[' {
		return
	}
	var args []int
	for a := range strings.SplitSeq(seq[2:len(seq)-1], ";") {
		n, _ := strconv.Atoi(a)
		args = append(args, n)
	}
	at := func(i int) int {
		if i < len(args) {
			return max(args[i], 1)
		}
		return 1
	}
	switch seq[len(seq)-1] {
	case 'A':
		g.y = max(g.y-at(0), 0)
	case 'B':
		g.y = min(g.y+at(0), height-1)
	case 'C':
		g.x = min(g.x+at(0), width-1)
	case 'D':
		g.x = max(g.x-at(0), 0)
	case 'G':
		g.x = at(0) - 1
	case 'd':
		g.y = at(0) - 1
	case 'H':
		g.y, g.x = at(0)-1, at(1)-1
	case 'J':
		if args[0] == 2 {
			g.clear(width, height)
			return
		}
		g.wipe(g.y, g.x)
		for y := g.y + 1; y < height; y++ {
			g.wipe(y, 0)
		}
	case 'r':
		g.top, g.end, g.x, g.y = at(0)-1, height, 0, 0
		if len(args) > 1 {
			g.end = args[1]
		}
	case 'L':
		g.scroll(g.y, -at(0))
	case 'M':
		g.scroll(g.y, at(0))
	case 'S':
		g.scroll(g.top, at(0))
	case 'T':
		g.scroll(g.top, -at(0))
	case 'P':
		g.rows[g.y] = append(append(g.rows[g.y][:g.x:g.x], g.rows[g.y][min(g.x+at(0), width):]...), []rune(strings.Repeat(" ", at(0)))...)
	case '@':
		g.rows[g.y] = append(append(append([]rune{}, g.rows[g.y][:g.x]...), []rune(strings.Repeat(" ", at(0)))...), g.rows[g.y][g.x:]...)[:width]
	case 'X':
		for x := g.x; x < min(g.x+at(0), width); x++ {
			g.rows[g.y][x] = ' '
		}
	case 'K':
		g.wipe(g.y, g.x)
	case 'h', 'l':
		if strings.Contains(seq, "?1049") {
			g.second = seq[len(seq)-1] == 'h'
			g.clear(width, height)
		}
	}
}

// scroll moves the lines between from and the end of the scrolling range, up if n is
// positive.
func (g *glass) scroll(from, n int) {
	for range max(n, -n) {
		row := []rune(strings.Repeat(" ", len(g.rows[0])))
		if n > 0 {
			copy(g.rows[from:g.end], g.rows[from+1:g.end])
			g.rows[g.end-1] = row
		} else {
			copy(g.rows[from+1:g.end], g.rows[from:g.end-1])
			g.rows[from] = row
		}
	}
}

func (g *glass) wipe(y, from int) {
	for x := from; y < len(g.rows) && x < len(g.rows[y]); x++ {
		g.rows[y][x] = ' '
	}
}

func (g *glass) text() string {
	var b strings.Builder
	for _, row := range g.rows {
		b.WriteString(strings.TrimRight(string(row), " ") + "\n")
	}
	return b.String()
}

// glass returns the screen as it is now.
func (r *ptyRun) glass() *glass {
	r.mu.Lock()
	defer r.mu.Unlock()
	return show(r.screen.String(), 100, 40)
}

// sees waits until the screen shows a text.
func (r *ptyRun) sees(text string) {
	r.t.Helper()
	if !waitFor(func() bool { return strings.Contains(r.glass().text(), text) }) {
		r.t.Fatalf("no %q on the screen:\n%s", text, r.glass().text())
	}
}

// takes gives the keyboard to the question on the screen.
func (r *ptyRun) takes(key string) {
	r.t.Helper()
	r.press(key)
	r.sees("Enter takes the marked answer")
}

// press types a key as a person does: some time after the one before. Keys without any time
// between them count as pasted, and answer no question.
func (r *ptyRun) press(key string) {
	r.t.Helper()
	time.Sleep(50 * time.Millisecond)
	r.typeKeys(key)
}
