// Command prices writes core/model/prices/table.txt, with the prices and context sizes of the
// models of golem's providers, from the data of charm.land/catwalk. Run it in the root of the
// repository:
//
//	go run ./.ci/prices [VERSION]
//
// The same version always gives the same bytes. catwalk itself is not linked into golem, see
// docs/design.md.
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	module  = "charm.land/catwalk"
	version = "v0.51.0" // the default, which make prices uses
	table   = "core/model/prices/table.txt"
)

// files maps golem's providers to the names of catwalk's files. For the other providers catwalk
// has no file, or the models run on the person's own machine and cost nothing.
var files = map[string]string{
	"anthropic": "anthropic", "azure": "azure", "cerebras": "cerebras", "deepseek": "deepseek", "google": "gemini", "groq": "groq", "huggingface": "huggingface",
	"moonshot": "moonshot", "openai": "openai", "openrouter": "openrouter", "vercel": "vercel", "xai": "xai", "zai": "zai",
}

// model is a model in catwalk's files. Costs are US dollars for a million tokens.
type model struct {
	ID      string      `json:"id"`
	In      json.Number `json:"cost_per_1m_in"`
	Out     json.Number `json:"cost_per_1m_out"`
	InCache json.Number `json:"cost_per_1m_in_cached"`
	Cache   json.Number `json:"cost_per_1m_out_cached"`
	Context int64       `json:"context_window"`
}

func main() {
	log.SetFlags(0)
	wanted := version
	if len(os.Args) > 1 {
		wanted = os.Args[1]
	}
	dir, date, err := fetch(wanted)
	if err != nil {
		log.Fatal(err)
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "# Written by .ci/prices; do not edit. Source and date:\n%s %s %s\n", module, wanted, date)
	out.WriteString("# @provider, then a model a line: name, context in tokens, input, output [, cached input [, input written to the cache]]\n" +
		"# in US dollars a million tokens; - is not known.\n")
	for _, name := range sorted(files) {
		if err := rows(&out, name, filepath.Join(dir, "internal", "providers", "configs", files[name]+".json")); err != nil {
			log.Fatal(err)
		}
	}
	if err := os.WriteFile(table, out.Bytes(), 0o644); err != nil {
		log.Fatal(err)
	}
}

// fetch downloads the module with the go command, and returns its directory and the date of its
// release.
func fetch(version string) (dir, date string, err error) {
	cmd := exec.Command("go", "mod", "download", "-json", module+"@"+version)
	cmd.Stderr = os.Stderr
	data, err := cmd.Output()
	if err != nil {
		return "", "", fmt.Errorf("%s@%s cannot be downloaded: %w\n%s", module, version, err, data)
	}
	var got struct{ Dir, Info string }
	if err := json.Unmarshal(data, &got); err != nil {
		return "", "", err
	}
	if data, err = os.ReadFile(got.Info); err != nil {
		return "", "", err
	}
	var info struct{ Time time.Time }
	if err := json.Unmarshal(data, &info); err != nil {
		return "", "", err
	}
	return got.Dir, info.Time.UTC().Format(time.DateOnly), nil
}

func rows(out *bytes.Buffer, provider, file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var all struct{ Models []model }
	if err := json.Unmarshal(data, &all); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if len(all.Models) == 0 {
		return fmt.Errorf("%s has no models", file)
	}
	slices.SortFunc(all.Models, func(a, b model) int { return cmp.Compare(a.ID, b.ID) })
	fmt.Fprintf(out, "@%s\n", provider)
	last := ""
	for _, m := range all.Models {
		if m.ID == "" || m.ID == last || strings.ContainsAny(m.ID, " \t\r\n") || strings.ContainsAny(m.ID[:1], "@#") {
			return fmt.Errorf("%s: a model is called %q", file, m.ID)
		}
		last = m.ID
		fields := []string{m.ID, context(m.Context)}
		fmt.Fprintln(out, strings.Join(append(fields, costs(m)...), " "))
	}
	return nil
}

func context(n int64) string {
	if n <= 0 {
		return "-"
	}
	return strconv.FormatInt(n, 10)
}

// costs returns the price columns of a model, none if catwalk has no price for input or output:
// then the price is not known, or the provider sells by the month. catwalk has the price of
// writing the cache as "in cached" and that of reading it as "out cached", but for some providers
// exchanged, or the same price twice. costs tells them apart: reading costs less than input,
// writing at least as much.
func costs(m model) []string {
	in, out, a, b := value(m.In), value(m.Out), value(m.InCache), value(m.Cache)
	if in <= 0 || out <= 0 {
		return nil
	}
	cols := []string{number(in), number(out)}
	read, write := b, 0.0
	if read <= 0 || read >= in {
		read = 0
		if a > 0 && a < in {
			read = a
		}
	}
	if a >= in {
		write = a
	}
	switch {
	case write > 0 && read > 0:
		return append(cols, number(read), number(write))
	case write > 0:
		return append(cols, "-", number(write))
	case read > 0:
		return append(cols, number(read))
	}
	return cols
}

func value(n json.Number) float64 {
	f, _ := n.Float64() // zero if it is missing
	return f
}

// number returns a price with at most six decimals: catwalk's prices have no more, except for
// rounding errors of binary fractions.
func number(f float64) string {
	return strings.TrimRight(strings.TrimRight(strconv.FormatFloat(f, 'f', 6, 64), "0"), ".")
}

func sorted(m map[string]string) []string {
	var out []string
	for name := range m {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}
