package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"golem/core"
	"golem/core/fault"
	"golem/core/workspace"
)

func (h *host) packCommand() *cobra.Command {
	f := &flags{}
	var out, sign, newKey, verify string
	cmd := &cobra.Command{
		Use:   "pack [DIR]",
		Short: "pack a project into one file that others can run",
		Long: `Packs a project into one file, NAME.golem: its files and the SHA-256 of each. The
same project always gives the same bytes. golem run NAME.golem runs it, also from
an https address, and the page opens it.

Left out are what .golemignore names, .golem, .git, .env and other files with
keys, secret keys for signatures, node_modules and links; golem says so. A project in which golem check finds
errors is not packed, because nobody could run it.

--sign KEYFILE signs it with a secret key of minisign, whose password golem asks
for or takes from GOLEM_SIGN_PASSWORD. --new-key FILE makes such a key, and its
public key FILE.pub.`,
		Example: `  golem pack my-project -o demo.golem
  golem pack --new-key my.key
  golem pack my-project --sign my.key
  golem pack --verify my.key.pub demo.golem`,
		Args: words(0, 1),
		RunE: func(cmd *cobra.Command, words []string) error {
			f.set, f.command = cmd.Flags(), "pack"
			if err := f.notEmpty("output", "sign", "new-key", "verify"); err != nil {
				return err
			}
			switch {
			case newKey != "":
				return h.newSignKey(newKey)
			case f.given("verify"):
				return h.verifyPack(words, verify)
			}
			return h.pack(f, words, out, sign)
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "the file to write (default: NAME.golem in the current directory)")
	cmd.Flags().StringVar(&sign, "sign", "", "sign with this secret key file of minisign")
	cmd.Flags().StringVar(&newKey, "new-key", "", "make a secret key in this file, and its public key beside it, and pack nothing")
	cmd.Flags().StringVar(&verify, "verify", "", "pack nothing: verify a packed project, and that this public key, or key file, signed it")
	cmd.MarkFlagsMutuallyExclusive("new-key", "verify", "sign")
	cmd.MarkFlagsMutuallyExclusive("new-key", "verify", "output")
	cmd.Flags().StringArrayVar(&f.lib, "lib", nil, "look for libraries in this directory first; may be repeated")
	f.set = cmd.Flags()
	return cmd
}

// pack writes NAME.golem, completely or not at all.
func (h *host) pack(f *flags, words []string, out, keyFile string) error {
	if len(words) == 0 && h.setting("PROJECT") == "" {
		words = []string{"."}
	}
	p, _, err := h.target(f, words)
	switch {
	case err != nil:
		return err
	case out != "" && !strings.EqualFold(filepath.Ext(out), workspace.PackSuffix):
		return usage("-o %s does not end in %s, which tells a packed project", out, workspace.PackSuffix).Hinting("-o %s%s", strings.TrimSuffix(out, filepath.Ext(out)), workspace.PackSuffix)
	case p.pack != nil || p.file || p.work != "":
		return usage("golem pack needs a project directory").Hinting("name the directory that holds main.worker or the manifest")
	}
	if err := h.noProject(p); err != nil {
		return err
	}
	t := h.newTools(false)
	defer t.close()
	inst, err := h.open(p, f, t)
	if err != nil {
		return err
	}
	var sign workspace.Sign
	var key []byte
	if keyFile != "" {
		if sign, key, err = h.signer(keyFile); err != nil {
			return err
		}
	}
	made, err := inst.Pack(sign, key)
	if err != nil {
		return notPacked(err)
	}
	for _, l := range made.Left {
		h.say("%s is left out: %s", l.Name, l.Why)
	}
	if out == "" {
		out = p.name() + workspace.PackSuffix
	}
	if err := h.writePack(out, made); err != nil {
		return err
	}
	return h.print(aboutPack(out, made.Pack) + "\n")
}

func (h *host) writePack(out string, made *core.Packed) error {
	target := h.path(out)
	if info, err := os.Lstat(target); err == nil && !info.Mode().IsRegular() {
		return usage("%s is not a regular file", out).Hinting("name another file with -o")
	}
	if err := h.mayReplace(out, packKind); err != nil {
		return err
	}
	tmp, err := besideFile(target, made.Data)
	if err == nil {
		defer os.Remove(tmp)
		err = os.Rename(tmp, target)
	}
	if err != nil {
		return usage("%s could not be written: %s", out, cause(err)).Hinting("%s", writeHint(err, "name a file in an existing directory that you can write to"))
	}
	return nil
}

// notPacked adds to the faults of a project that it was not packed.
func notPacked(err error) error {
	var list fault.List
	if !errors.As(err, &list) {
		return err
	}
	errs, _ := list.Counts()
	return append(list, fault.New(fault.Project, "the project is not packed: golem check finds %s in what would be packed", fault.Count(errs, "error")).
		Hinting("repair the project, then pack it again"))
}

// verifyPack checks a packed project, and that the given key signed it.
func (h *host) verifyPack(words []string, key string) error {
	if len(words) == 0 || !isPack(words[0]) {
		return usage("--verify needs a packed project").Hinting("for example: golem pack --verify RW… project.golem")
	}
	p, err := h.readPack(words[0])
	if err == nil {
		err = h.verified(p, key)
	}
	if err != nil {
		return err
	}
	return h.print(fmt.Sprintf("%s\n", oneLine(aboutPack(words[0], p))))
}

// signer reads a secret key, and asks for its password if it has one. It also returns
// the content of the key file.
func (h *host) signer(name string) (workspace.Sign, []byte, error) {
	data, err := h.readFile(name, 4<<10)
	if err != nil {
		return nil, nil, usage("the key %s cannot be read: %s", name, cause(err)).Hinting("golem pack --new-key FILE makes one; keys of minisign -G work too")
	}
	sign, err := h.secretKey(filepath.Base(name), data)
	return sign, data, err
}

// password returns GOLEM_SIGN_PASSWORD, or reads the password from the terminal without
// showing it.
func (h *host) password(prompt string) (string, error) {
	if v, set := h.env["GOLEM_SIGN_PASSWORD"]; set {
		return v, nil
	}
	in, out, err := openTerminal()
	if err != nil {
		return "", usage("the key has a password, and there is no terminal to ask for it").Hinting("set GOLEM_SIGN_PASSWORD")
	}
	defer in.Close()
	text, err := hidden(in, out, prompt)
	return strings.TrimRight(text, "\r\n"), err
}
