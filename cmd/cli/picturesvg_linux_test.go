package main

import (
	"encoding/xml"
	"fmt"
	"image/color"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// span is text of one style in a row.
type span struct {
	at, columns int
	text        string
	class       string
}

// trimmed returns a row without plain blanks at the ends of its spans.
func trimmed(row []span) []span {
	var out []span
	for _, s := range row {
		text := strings.TrimLeft(s.text, " ")
		s.at += len(s.text) - len(text)
		s.text = strings.TrimRight(text, " ")
		s.columns = len([]rune(s.text))
		if s.text != "" {
			out = append(out, s)
		}
	}
	return out
}

// classOf returns the classes of the style sheet for a colour and attributes of a terminal.
func classOf(fg color.Color, attributes uint8) string {
	var all []string
	if c, ok := fg.(ansi.BasicColor); ok {
		all = append(all, fmt.Sprintf("c%d", c))
	}
	for bit, name := range []string{"bold", "faint", "italic"} {
		if attributes&(1<<bit) != 0 {
			all = append(all, name)
		}
	}
	return strings.Join(all, " ")
}

const (
	cellWidth, rowHeight = 8.4, 19.0
	margin, bar          = 18.0, 36.0
)

// film returns an SVG that shows frames one after the other, for ever. Who asked their system
// for less motion, and a viewer without animations, see the frame that stays longest.
func film(frames []frame) string {
	rows, total, longest := 0, 0, 0
	for i, f := range frames {
		rows = max(rows, len(f.rows))
		total += f.stays
		if f.stays > frames[longest].stays {
			longest = i
		}
	}
	width, height := 2*margin+cellWidth*pictureColumns, bar+margin+rowHeight*float64(rows)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" role="img" aria-label="golem on a terminal: it greets, it asks before it changes a note, and undo takes the change back">
<!-- Made by make pictures. -->
<style>
svg { background: transparent }
text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #d7dae0; white-space: pre }
.bold { font-weight: bold } .faint { opacity: .65 } .italic { font-style: italic }
.c1 { fill: #f2777a } .c2 { fill: #8fce7c } .c3 { fill: #f0c46b } .c4 { fill: #7eb3f5 } .c5 { fill: #d9a0e8 } .c6 { fill: #6fd0d3 }
.f { visibility: hidden; animation-duration: %dms; animation-timing-function: step-end; animation-iteration-count: infinite }
`, width, height, total)
	at := 0
	for i, f := range frames {
		from, to := percent(at, total), percent(at+f.stays, total)
		fmt.Fprintf(&b, "@keyframes k%d { 0%% { visibility: %s } %s%% { visibility: visible } %s%% { visibility: hidden } } #f%d { animation-name: k%d }\n", i+1, map[bool]string{true: "visible", false: "hidden"}[i == 0], from, to, i+1, i+1)
		at += f.stays
	}
	fmt.Fprintf(&b, "#f%d { visibility: visible }\n@media (prefers-reduced-motion: reduce) { .f { animation: none } }\n</style>\n", longest+1)
	fmt.Fprintf(&b, `<rect width="%.0f" height="%.0f" rx="10" fill="#1d2027"/><circle cx="22" cy="18" r="6" fill="#f2777a"/><circle cx="42" cy="18" r="6" fill="#f0c46b"/><circle cx="62" cy="18" r="6" fill="#8fce7c"/>`+"\n<g>\n", width, height)
	for i, f := range frames {
		fmt.Fprintf(&b, "<g class=\"f\" id=\"f%d\">\n", i+1)
		for y, row := range f.rows {
			b.WriteString("<g>")
			for _, s := range row {
				fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" textLength="%.1f" lengthAdjust="spacingAndGlyphs" data-column="%d"`, margin+cellWidth*float64(s.at), bar+rowHeight*float64(y)+14, cellWidth*float64(s.columns), s.at)
				if s.class != "" {
					fmt.Fprintf(&b, ` class="%s"`, s.class)
				}
				b.WriteString(">")
				_ = xml.EscapeText(&b, []byte(s.text)) // a strings.Builder has no errors
				b.WriteString("</text>")
			}
			b.WriteString("</g>\n")
		}
		b.WriteString("</g>\n")
	}
	b.WriteString("</g>\n</svg>\n")
	return b.String()
}

// percent returns a share of the film's time, for its style sheet.
func percent(part, whole int) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.3f", 100*float64(part)/float64(whole)), "0"), ".")
}
