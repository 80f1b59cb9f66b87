package main

import (
	"bytes"
	"cmp"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// component is a work of others that a program contains.
type component struct {
	kind    string // of a package URL: golang, npm or generic
	name    string
	version string
	digest  string // SHA-256 of a Go module as go.sum has it, in hexadecimal digits, or ""
	files   []text // its license files, in one order
}

// text is a file of a license, and the name that it has in its component.
type text struct{ name, body string }

func (c component) url() string {
	name := c.name
	if c.kind == "npm" {
		name = strings.Replace(name, "@", "%40", 1)
	}
	return "pkg:" + c.kind + "/" + name + "@" + c.version
}

// contents are what the programs of an archive contain: the name of a program, and the URLs of
// its components.
type contents struct {
	components []component // sorted by URL
	programs   []string
	of         map[string][]string
}

// add notes what a program contains.
func (c *contents) add(program string, components ...component) {
	c.programs = append(c.programs, program)
	for _, p := range components {
		c.of[program] = append(c.of[program], p.url())
		i := slices.IndexFunc(c.components, func(q component) bool { return q.url() == p.url() })
		if i < 0 {
			c.components = append(c.components, p)
			continue
		}
		for _, f := range p.files { // another program may link more packages of a module
			if !slices.Contains(c.components[i].files, f) {
				c.components[i].files = append(c.components[i].files, f)
			}
		}
		slices.SortFunc(c.components[i].files, func(a, b text) int { return cmp.Compare(a.name, b.name) })
	}
	slices.SortFunc(c.components, func(a, b component) int { return cmp.Compare(a.url(), b.url()) })
	slices.Sort(c.of[program])
	c.of[program] = slices.Compact(c.of[program])
}

// parts returns what the programs for a system contain. What Go noted in each of them must
// agree with it.
func (o options) parts(system string, made []program, page []component) (contents, error) {
	goos, goarch, _ := strings.Cut(system, "/")
	all := contents{of: map[string][]string{}}
	for _, p := range made {
		found, err := modules([]string{"GOOS=" + goos, "GOARCH=" + goarch, "CGO_ENABLED=0"}, p.source)
		if err != nil {
			return all, err
		}
		if err := agrees(p.path, found); err != nil {
			return all, err
		}
		all.add(filepath.Base(p.path), found...)
	}
	all.add("page", page...)
	return all, nil
}

// agrees compares modules with those that Go noted in a program.
func agrees(path string, found []component) error {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return err
	}
	var noted, listed []string
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		noted = append(noted, m.Path+" "+m.Version)
	}
	for _, c := range found {
		if c.name != "std" {
			listed = append(listed, c.name+" "+c.version)
		}
	}
	slices.Sort(noted)
	slices.Sort(listed)
	if !slices.Equal(noted, listed) {
		return fmt.Errorf("%s contains\n%s\nand go list names\n%s", filepath.Base(path), strings.Join(noted, "\n"), strings.Join(listed, "\n"))
	}
	return nil
}

// goPackage is what go list says about a package.
type goPackage struct {
	Dir      string
	Standard bool
	Module   *goModule
}

type goModule struct {
	Path, Version, Dir string
	Main               bool
	Replace            *goModule
}

// modules returns the Go modules that packages link, the standard library included, with their
// licenses and those of the linked packages that have their own.
func modules(env []string, words ...string) ([]component, error) {
	out, err := outputWith(env, append([]string{"go", "list", "-deps", "-json=Dir,Standard,Module"}, words...)...)
	if err != nil {
		return nil, err
	}
	sums, err := moduleSums()
	if err != nil {
		return nil, err
	}
	found := map[string]*component{}
	for d := json.NewDecoder(strings.NewReader(out)); ; {
		var p goPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		m := p.Module
		if m == nil || m.Main {
			continue
		}
		if m.Replace != nil {
			m = m.Replace
		}
		c := found[m.Path]
		if c == nil {
			c = &component{kind: "golang", name: m.Path, version: m.Version, digest: sums[m.Path+" "+m.Version]}
			found[m.Path] = c
		}
		if err := c.licenses(p.Dir, m.Dir); err != nil {
			return nil, err
		}
	}
	std, err := standardLibrary()
	if err != nil {
		return nil, err
	}
	all := []component{std}
	for _, c := range found {
		all = append(all, *c)
	}
	slices.SortFunc(all, func(a, b component) int { return cmp.Compare(a.name, b.name) })
	return all, complete(all)
}

// complete fails for a component without a license.
func complete(all []component) error {
	for _, c := range all {
		if len(c.files) == 0 {
			return fmt.Errorf("%s %s has no file with a license, so a release must not contain it", c.name, c.version)
		}
	}
	return nil
}

func standardLibrary() (component, error) {
	out, err := output("go", "env", "GOROOT", "GOVERSION")
	if err != nil {
		return component{}, err
	}
	root, version, _ := strings.Cut(out, "\n")
	c := component{kind: "golang", name: "std", version: strings.TrimPrefix(version, "go")}
	return c, c.licenses(root, root)
}

var licenseName = regexp.MustCompile(`(?i)^(un)?(licen[cs]e|copying|notice|patents|copyright)([-._].*)?$`)

// licenses adds the license files of dir and of the directories above it, up to root.
func (c *component) licenses(dir, root string) error {
	for {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if !e.Type().IsRegular() || !licenseName.MatchString(e.Name()) || filepath.Ext(e.Name()) == ".go" {
				continue
			}
			full := filepath.Join(dir, e.Name())
			data, err := os.ReadFile(full)
			if err != nil {
				return err
			}
			name, err := filepath.Rel(root, full)
			if err != nil {
				return err
			}
			f := text{filepath.ToSlash(name), string(bytes.TrimSpace(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))))}
			if !slices.Contains(c.files, f) {
				c.files = append(c.files, f)
			}
		}
		if dir == root || !strings.HasPrefix(dir, root) {
			slices.SortFunc(c.files, func(a, b text) int { return cmp.Compare(a.name, b.name) })
			return nil
		}
		dir = filepath.Dir(dir)
	}
}

// moduleSums returns the digests of go.sum by module and version.
func moduleSums() (map[string]string, error) {
	data, err := os.ReadFile("go.sum")
	if err != nil {
		return nil, err
	}
	sums := map[string]string{}
	for line := range strings.Lines(string(data)) {
		f := strings.Fields(line)
		if len(f) != 3 || strings.HasSuffix(f[1], "/go.mod") {
			continue
		}
		digest, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(f[2], "h1:"))
		if err != nil {
			return nil, fmt.Errorf("go.sum: %s: %w", f[0], err)
		}
		sums[f[0]+" "+f[1]] = hex.EncodeToString(digest)
	}
	return sums, nil
}

// pageParts returns what the page and golem.js contain: the Go modules of its programs, the npm
// packages of its scripts, and the JavaScript engine, which golem contains as well.
func pageParts(o options) ([]component, error) {
	if err := o.pageIsThere(); err != nil {
		return nil, err
	}
	all, err := modules([]string{"GOOS=js", "GOARCH=wasm"}, "-tags=nethttpomithttp2", "./cmd/wasm", "./cmd/wasm/wazero", "./cmd/wasm/git")
	if err != nil {
		return nil, err
	}
	packages, err := npmPackages()
	if err != nil {
		return nil, err
	}
	engine, err := engineParts()
	return slices.Concat(all, packages, engine), err
}

// npmPackages returns the packages of npm in the scripts of the page.
func npmPackages() ([]component, error) {
	r := api.Build(api.BuildOptions{
		EntryPoints: []string{"web/ui/app.jsx"}, Outdir: "build", Bundle: true, Splitting: true, Format: api.FormatESModule, Metafile: true,
		JSX: api.JSXAutomatic, JSXImportSource: "preact", External: []string{"./golem.js"}, Loader: map[string]api.Loader{".tmpl": api.LoaderText},
	})
	if len(r.Errors) > 0 {
		return nil, fmt.Errorf("the scripts of the page: %s", r.Errors[0].Text)
	}
	var meta struct {
		Inputs map[string]struct{} `json:"inputs"`
	}
	if err := json.Unmarshal([]byte(r.Metafile), &meta); err != nil {
		return nil, err
	}
	named := regexp.MustCompile(`node_modules/((?:@[^/]+/)?[^/]+)/`)
	found := map[string]component{}
	for name := range meta.Inputs {
		m := named.FindStringSubmatch(name)
		if m == nil || found[m[1]].name != "" {
			continue
		}
		dir := filepath.Join("web", "node_modules", filepath.FromSlash(m[1]))
		data, err := os.ReadFile(filepath.Join(dir, "package.json"))
		if err != nil {
			return nil, err
		}
		var about struct{ Version string }
		if err := json.Unmarshal(data, &about); err != nil {
			return nil, fmt.Errorf("%s: %w", m[1], err)
		}
		c := component{kind: "npm", name: m[1], version: about.Version}
		if err := c.licenses(dir, dir); err != nil {
			return nil, err
		}
		found[m[1]] = c
	}
	var all []component
	for _, c := range found {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b component) int { return cmp.Compare(a.name, b.name) })
	return all, complete(all)
}

// engineParts returns the works that the JavaScript engine contains, which its list of licenses
// names.
func engineParts() ([]component, error) {
	data, err := os.ReadFile("core/jstool/embedded/LICENSES.txt")
	if err != nil {
		return nil, err
	}
	contains := regexp.MustCompile(`(?m)^\S+ contains (?:parts of )?(\S+) (?:\(Debian 12, )?v?([0-9][^\s,:)]*)`)
	starts := contains.FindAllStringSubmatchIndex(string(data), -1)
	var all []component
	for i, at := range starts {
		end := len(data)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		c := component{kind: "generic", name: string(data[at[2]:at[3]]), version: string(data[at[4]:at[5]])}
		if strings.HasPrefix(c.name, "@") {
			c.kind = "npm"
		}
		c.files = []text{{"core/jstool/embedded/LICENSES.txt", strings.TrimSpace(string(data[at[0]:end]))}}
		all = append(all, c)
	}
	if len(all) == 0 {
		return nil, errors.New("core/jstool/embedded/LICENSES.txt names no work")
	}
	return all, nil
}
