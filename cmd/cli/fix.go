package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"golem/core/builtin"
	"golem/core/fault"
	"golem/core/migrate"
	"golem/core/ui"
	"golem/sandbox/osfs"
)

// fixCheck carries out golem check --fix: it shows the changes, asks, writes all of
// them or none, and then checks the project.
func (h *host) fixCheck(f *flags, words []string, yes bool) error {
	if err := f.refuse(); err != nil {
		return err
	}
	p, _, err := h.target(f, h.orHere(f, words))
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(p.root)
	if err != nil {
		return fault.Of(err, fault.Project)
	}
	defer root.Close()
	files, err := osfs.Open(p.root)
	if err != nil {
		return err
	}
	defer files.Close()
	only := ""
	if p.file {
		only = strings.TrimPrefix(p.entry, "./")
	}
	plan, err := migrate.Make(migrate.Source{Files: root.FS(), Root: realPath(p.root), Builtin: builtin.Workers(), Only: only})
	if err != nil {
		return err
	}
	diff := plan.Diff()
	if isTerminal(h.out) { // a file gets the exact text, as a patch needs it
		diff = h.marked(diff)
	}
	var left []string
	for _, n := range plan.Left {
		left = append(left, oneLine(fmt.Sprintf("%s:%d: %s", n.File, n.Line, n.Text)))
	}
	seen, err := h.review(f, yes || len(plan.Changes) == 0, left, diff)
	if err != nil {
		return err
	}
	if len(plan.Changes) == 0 {
		h.say("nothing to fix")
		return h.inspect(f, words)
	}
	write := false
	if seen {
		if write, err = h.mayWrite(f, len(plan.Changes), yes); err != nil {
			return err
		}
	}
	if !write {
		h.say("nothing was written")
		return exitCode(exitFailed)
	}
	if err := plan.Write(files); err != nil {
		return err
	}
	h.say("written: %s", fault.Count(len(plan.Changes), "file"))
	return h.inspect(f, words)
}

// mayWrite asks whether to write the files. Without a terminal only --yes agrees.
func (h *host) mayWrite(f *flags, files int, yes bool) (bool, error) {
	return h.confirmed(f, yes, "write "+these(files)+"?", "--yes writes "+fault.Count(files, "file"))
}

// review prints a text with the notes about it, before a question about it. If a person will
// be asked on this terminal, it stops after each screen; seen is false if the person said no
// before the end, and then nothing may be asked. With yes nobody is asked.
func (h *host) review(f *flags, yes bool, notes []string, text string) (seen bool, err error) {
	var person ui.Person
	if !yes && isTerminal(h.out) {
		person = h.person(f)
	}
	if person == nil {
		for _, n := range notes {
			h.say("%s", n)
		}
		return true, h.print(text)
	}
	var b strings.Builder
	for _, n := range notes {
		b.WriteString(fit(h.out, "golem: "+n+"\n"))
	}
	ctx, stop := h.interruptible(context.Background())
	defer stop()
	seen, err = ui.Page(ctx, person, rows(h.out), strings.TrimSuffix(b.String()+text, "\n"))
	if ctx.Err() != nil {
		return false, exitCode(exitInterrupted)
	}
	return seen && err == nil, nil // an error: nobody answered
}

// confirmed asks a question and reports whether the answer is yes. With yes it does not
// ask. Without a terminal it prints otherwise, which names the flag to use, and returns
// false.
func (h *host) confirmed(f *flags, yes bool, question, otherwise string) (bool, error) {
	if yes {
		return true, nil
	}
	person := h.person(f)
	if person == nil {
		h.say("there is no terminal, so nobody can be asked: %s", otherwise)
		return false, nil
	}
	ctx, stop := h.interruptible(context.Background())
	defer stop()
	answer, err := person.Ask(ctx, question+" [y/N] ")
	if ctx.Err() != nil {
		return false, exitCode(exitInterrupted)
	}
	if err != nil {
		return false, nil // nobody answered
	}
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes", nil
}

func these(n int) string {
	if n == 1 {
		return "this file"
	}
	return fmt.Sprintf("these %d files", n)
}
