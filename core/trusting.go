package core

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"

	"golem/core/consent"
	"golem/core/providers"
)

// Consent returns what the project's files allow beyond its sandbox, and what of that a person
// trusts.
func (i *Instance) Consent() *consent.Consent { return i.consent }

// Models returns the providers and models that the project can use. What its files say about
// a provider counts only if a person trusted it.
func (i *Instance) Models() *providers.Table { return i.models }

// Content returns a digest of the paths and contents of every definition file,
// template, prompt and tool module of the project. golem check prints it, so that
// two versions of a project can be told apart.
func (i *Instance) Content() string {
	names := append(i.project.Trees.Opened(), i.project.Templates.List()...)
	for _, w := range i.project.Workers.Used() {
		found, _ := i.project.Modules.AndHardened(w)
		for _, m := range found {
			names = append(names, m.Path)
		}
	}
	slices.Sort(names)
	h := sha256.New()
	for _, name := range slices.Compact(names) {
		sum := sha256.New()
		if f, err := i.options.Files.Open(name); err == nil {
			_, err = io.Copy(sum, f)
			f.Close()
			if err == nil {
				fmt.Fprintf(h, "%s %x\n", name, sum.Sum(nil))
			}
		}
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}
