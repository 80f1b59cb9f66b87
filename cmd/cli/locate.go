package main

import (
	"os/exec"
	"path/filepath"
	"strings"
)

// locate returns the absolute slash path of a program that PATH finds, or of an absolute
// path. It follows links, with last false all but that of the last element. What does not
// exist stays as it is.
func locate(name string, last bool) string {
	name = filepath.FromSlash(name)
	if !strings.ContainsAny(name, `/\`) {
		found, err := exec.LookPath(name)
		if err != nil {
			return ""
		}
		name = found
	}
	name, err := filepath.Abs(name)
	if err != nil {
		return ""
	}
	if last {
		return resolved(name)
	}
	return filepath.ToSlash(filepath.Join(filepath.FromSlash(resolved(filepath.Dir(name))), filepath.Base(name)))
}

// resolved follows the links of the longest beginning of a path that exists.
func resolved(name string) string {
	rest := ""
	for at := name; ; at = filepath.Dir(at) {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.ToSlash(filepath.Join(real, rest))
		}
		if at == filepath.Dir(at) {
			return filepath.ToSlash(name)
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
}
