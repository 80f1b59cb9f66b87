package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// notices returns the text NOTICES.txt: every component with its licenses. Components with the
// same text share it.
func (c contents) notices() ([]byte, error) {
	var order []string
	users := map[string][]string{}
	for _, p := range c.components {
		body := p.license()
		if users[body] == nil {
			order = append(order, body)
		}
		users[body] = append(users[body], p.name+" "+p.version+" ("+strings.Join(p.spdx(), ", ")+")")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s contain these works of others, under these licenses. The sources of each are published under its name and version: golang.org/… and github.com/… as Go modules, the others as packages of npm or by their authors.\n", strings.Join(c.programs, ", "))
	for _, body := range order {
		fmt.Fprintf(&b, "\n%s\n%s\n%s\n\n%s\n", rule, strings.Join(users[body], "\n"), rule, body)
	}
	return []byte(b.String()), nil
}

var rule = strings.Repeat("=", 80)

// license returns all license files of a component as one text.
func (c component) license() string {
	if len(c.files) == 1 {
		return c.files[0].body
	}
	var b strings.Builder
	for _, f := range c.files {
		fmt.Fprintf(&b, "%s:\n\n%s\n\n", f.name, f.body)
	}
	return strings.TrimSpace(b.String())
}

// spdx returns the identifiers of a component's licenses as far as their texts are known ones,
// else "see the text".
func (c component) spdx() []string {
	var ids []string
	for _, f := range c.files {
		for _, m := range licensecheck.Scan([]byte(f.body)).Match {
			if !slices.Contains(ids, m.ID) {
				ids = append(ids, m.ID)
			}
		}
	}
	if len(ids) == 0 {
		return []string{"see the text"}
	}
	slices.Sort(ids)
	return ids
}
