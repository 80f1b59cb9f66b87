package sandbox

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"golem/core/fault"
)

// The limits on names are the same on every platform: the lowest that OPFS, Linux
// and Windows support (SECURITY 3).
const (
	maxElement = 255  // bytes in one path element
	maxPath    = 4096 // bytes in a whole path
)

// Clean turns a path that a model or a person wrote into an io/fs name: "/a/b",
// "a/b" and "a/./b" become "a/b"; "", "/" and "." become ".". A path that leads
// above the root, is too long or contains characters that are not allowed is
// E_PATH; Clean never corrects it.
func Clean(p string) (string, error) {
	if err := check(p); err != nil {
		return "", err
	}
	var out []string
	for _, e := range strings.Split(p, "/") {
		switch e {
		case "", ".":
		case "..":
			if len(out) == 0 {
				return "", fault.New(fault.Path, "the path %q leads above the root", p).
					Hinting("write a path that begins at the sandbox's root, like /notes/a.md")
			}
			out = out[:len(out)-1]
		default:
			if len(e) > maxElement {
				return "", fault.New(fault.Path, "a name in the path has %d bytes; at most %d are allowed", len(e), maxElement)
			}
			out = append(out, e)
		}
	}
	if len(out) == 0 {
		return ".", nil
	}
	return strings.Join(out, "/"), nil
}

// check returns an error if the path is too long, is not UTF-8 or contains
// characters that no path may contain.
func check(p string) error {
	if len(p) > maxPath {
		return fault.New(fault.Path, "the path has %d bytes; at most %d are allowed", len(p), maxPath)
	}
	if !utf8.ValidString(p) {
		return fault.New(fault.Path, "the path %q is not UTF-8", p)
	}
	for _, r := range p {
		switch {
		case ' ' <= r && r < 0x7f && r != '\\': // most characters
		case r == '\\':
			return fault.New(fault.Path, "the path %q contains a backslash", p).Hinting("separate names with /")
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == '\u2028', r == '\u2029':
			return fault.New(fault.Path, "the path %q contains the character %U, which is not allowed in names", p, r)
		}
	}
	return nil
}

// Valid returns E_PATH unless name is an io/fs name as Clean returns it.
func Valid(name string) error {
	clean, err := Clean(name)
	if err != nil {
		return err
	}
	if clean != name {
		return fault.New(fault.Path, "%q is not a clean path; write %q", name, clean)
	}
	return nil
}

// ValidNew checks a name that is to be created. Like Valid, it returns E_PATH; it
// also rejects names that Windows cannot store, on every platform (SPEC §8).
func ValidNew(name string) error {
	if err := Valid(name); err != nil {
		return err
	}
	for _, e := range strings.Split(name, "/") {
		if why := windowsRefuses(e); why != "" && name != "." {
			return fault.New(fault.Path, "%s cannot be created: %s", Abs(name), why).
				Hinting("choose a name that works on every platform")
		}
	}
	return nil
}

// windowsRefuses returns why Windows cannot store a name, or "" if it can.
func windowsRefuses(e string) string {
	if i := strings.IndexAny(e, `<>:"|?*`); i >= 0 {
		return "a name cannot contain " + e[i:i+1]
	}
	if strings.HasSuffix(e, ".") || strings.HasSuffix(e, " ") {
		return "a name cannot end in a dot or a space"
	}
	stem, _, _ := strings.Cut(strings.ToUpper(e), ".")
	stem = strings.TrimRight(stem, " ")
	switch stem {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return stem + " is a device on Windows"
	}
	if r := []rune(stem); len(r) == 4 && (strings.HasPrefix(stem, "COM") || strings.HasPrefix(stem, "LPT")) &&
		strings.ContainsRune("0123456789¹²³", r[3]) {
		return stem + " is a device on Windows"
	}
	return ""
}

// Abs returns the virtual path of an io/fs name, for messages: "a/b" is "/a/b",
// "." is "/".
func Abs(name string) string {
	if name == "." || name == "" {
		return "/"
	}
	return "/" + name
}

// Within reports whether name is dir or is below it. Both are io/fs names.
func Within(name, dir string) bool {
	return dir == "." || name == dir || strings.HasPrefix(name, dir+"/")
}

// relativeTo returns name relative to dir, which contains it.
func relativeTo(name, dir string) string {
	switch {
	case dir == ".":
		return name
	case name == dir:
		return "."
	}
	return name[len(dir)+1:]
}

// join returns an io/fs name in a directory.
func join(dir, name string) string { return path.Join(dir, name) }
