package reference

import (
	"cmp"
	"fmt"
	"strings"
)

const limitsHead = `# Limits

What golem allows at most. The limits of a run, such as turns, tokens and cost, are [keys](../keys/worker.md) of a worker. Your limits for all projects are [settings](../workers/settings.md#your-own-configuration).
`

// unit says how a number is written.
type unit int

const (
	count unit = iota
	bytesUnit
	seconds
)

// limit is a row of the page: what is limited, and the constant of golem that says how much.
type limit struct {
	what string
	unit unit
	at   string // the constant
	key  string // the key that changes the limit, as Markdown; "" if there is none
	most string // the constant that says how much the key can allow; "" if there is none
	then string // what happens beyond it
	file string // the file of the constants, if it is not that of the section
}

// limited is a section of the page.
type limited struct {
	title, about string
	file         string // where the constants are
	rows         []limit
}

// Limits returns the page of the limits that are constants of golem, from the source below root.
func Limits(root string) (string, error) {
	return limitsPage(root, limitsHead, limits)
}

func limitsPage(root, head string, sections []limited) (string, error) {
	s := newSource(root)
	var b strings.Builder
	b.WriteString(head)
	for _, section := range sections {
		fmt.Fprintf(&b, "\n## %s\n\n", section.title)
		if section.about != "" {
			b.WriteString(section.about + "\n\n")
		}
		b.WriteString("| limit | at most | beyond it |\n|---|---|---|\n")
		for _, row := range section.rows {
			file := cmp.Or(row.file, section.file)
			n, err := s.number(file, row.at)
			if err != nil {
				return "", err
			}
			size := row.unit.write(n)
			if row.key != "" {
				size += " (" + row.key
				if row.most != "" {
					n, err := s.number(file, row.most)
					if err != nil {
						return "", err
					}
					size += ": up to " + row.unit.write(n)
				}
				size += ")"
			}
			fmt.Fprintf(&b, "| %s | %s | %s |\n", row.what, size, row.then)
		}
	}
	return b.String(), nil
}

// write returns a number with its unit.
func (u unit) write(n int64) string {
	switch u {
	case bytesUnit:
		for _, scale := range []struct {
			name string
			size int64
		}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"MB", 1_000_000}} {
			if n%scale.size == 0 {
				return fmt.Sprintf("%s %s", grouped(n/scale.size), scale.name)
			}
		}
		return grouped(n) + " bytes"
	case seconds:
		for _, scale := range []struct {
			name string
			size int64
		}{{"hours", 3600}, {"minutes", 60}} {
			if n%scale.size == 0 {
				if n == scale.size {
					return "1 " + strings.TrimSuffix(scale.name, "s")
				}
				return fmt.Sprintf("%d %s", n/scale.size, scale.name)
			}
		}
		return fmt.Sprintf("%d s", n)
	default:
		return grouped(n)
	}
}

// grouped returns a number with a comma between each three digits.
func grouped(n int64) string {
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
