package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"golem/core/builtin"
	"golem/core/fault"
	"golem/core/migrate"
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
	if err := h.print(diff); err != nil {
		return err
	}
	for _, n := range plan.Left {
		h.say("%s", oneLine(fmt.Sprintf("%s:%d: %s", n.File, n.Line, n.Text)))
	}
	if len(plan.Changes) == 0 {
		h.say("nothing to fix")
		return h.inspect(f, words)
	}
	write, err := h.mayWrite(f, len(plan.Changes), yes)
	if err != nil {
		return err
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
