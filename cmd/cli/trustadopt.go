package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/state"
	"golem/core/trust"
	"golem/sandbox/osfs"
)

// adopt shows the state in .golem that golem wrote on this machine while the project was
// in another directory, asks, and seals it for this one. What the project's files allow
// is asked again.
func (h *host) adopt(f *flags, words []string, yes bool) error {
	p, _, err := h.target(f, h.orHere(f, words))
	if err != nil {
		return err
	}
	if p.pack != nil {
		return usage("--adopt needs a project directory: a packed project keeps nothing").Hinting("unpack it")
	}
	files, err := osfs.Open(p.sandbox())
	if err != nil {
		return fault.Of(err, fault.Project)
	}
	defer files.Close()
	s := h.stateOf(files, p.sandbox())
	if !s.Kept() {
		return h.homeless("nothing can be adopted")
	}
	places := s.Former()
	if data, err := h.trusted().Read(); err == nil {
		if book, err := trust.ReadBook(data); err == nil {
			places = append(places, slices.Sorted(maps.Keys(book.Projects))...)
		}
	}
	found, err := s.Adoptable(places)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return h.print("nothing to adopt: no state in .golem was written by golem on this machine in another place of this project\n")
	}
	if err := h.show(adoptable(found)); err != nil {
		return err
	}
	sure, err := h.confirmed(f, yes, fmt.Sprintf("adopt %s for this directory?", fault.Count(len(found), "file")), "--yes adopts them")
	if err != nil {
		return err
	}
	if !sure {
		h.say("nothing was adopted")
		return exitCode(exitFailed)
	}
	for _, a := range found {
		if err := s.Adopt(a); err != nil {
			return err
		}
	}
	return h.print(fmt.Sprintf("adopted: %s\n", fault.Count(len(found), "file")))
}

// adoptable returns one line for each file that can be adopted.
func adoptable(found []state.Adoptable) string {
	var b strings.Builder
	for _, a := range found {
		fmt.Fprintf(&b, "%-20s .golem/%s, written in %s\n", oneLine(a.Kind), oneLine(a.Name), oneLine(a.Root))
	}
	return b.String()
}
