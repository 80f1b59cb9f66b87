package projectcmd

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"golem/core"
	"golem/core/fault"
	"golem/core/ui"
	"golem/core/workspace"

	"golem/cmd/cli/console"
	"golem/cmd/cli/disk"
	"golem/cmd/cli/machine"
	"golem/cmd/cli/target"
	"golem/cmd/cli/toolhost"
)

// PackCommand returns golem pack.
func PackCommand(c *console.Console) *cobra.Command {
	var lib []string
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
		Args: console.Words(0, 1),
		RunE: func(cmd *cobra.Command, words []string) error {
			if err := console.NotEmpty(cmd.Flags(), "output", "sign", "new-key", "verify"); err != nil {
				return err
			}
			switch {
			case newKey != "":
				return newSignKey(c, newKey)
			case cmd.Flags().Changed("verify"):
				return verifyPack(c, words, verify)
			}
			return runPack(c, target.Wanted{Command: "pack", Set: cmd.Flags()}, machine.Opening{Lib: lib}, words, out, sign)
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "the file to write (default: NAME.golem in the current directory)")
	cmd.Flags().StringVar(&sign, "sign", "", "sign with this secret key file of minisign")
	cmd.Flags().StringVar(&newKey, "new-key", "", "make a secret key in this file, and its public key beside it, and pack nothing")
	cmd.Flags().StringVar(&verify, "verify", "", "pack nothing: verify a packed project, and that this public key, or key file, signed it")
	cmd.MarkFlagsMutuallyExclusive("new-key", "verify", "sign")
	cmd.MarkFlagsMutuallyExclusive("new-key", "verify", "output")
	cmd.Flags().StringArrayVar(&lib, "lib", nil, "look for libraries in this directory first; may be repeated")
	return cmd
}

// runPack writes NAME.golem, completely or not at all.
func runPack(c *console.Console, f target.Wanted, with machine.Opening, words []string, out, keyFile string) error {
	if len(words) == 0 && c.Env.Setting("PROJECT") == "" {
		words = []string{"."}
	}
	p, _, err := target.Find(c, f, words)
	switch {
	case err != nil:
		return err
	case out != "" && !strings.EqualFold(filepath.Ext(out), workspace.PackSuffix):
		return console.Usage("-o %s does not end in %s, which tells a packed project", out, workspace.PackSuffix).Hinting("-o %s%s", strings.TrimSuffix(out, filepath.Ext(out)), workspace.PackSuffix)
	case p.Pack != nil || p.File || p.Work != "":
		return console.Usage("golem pack needs a project directory").Hinting("name the directory that holds main.worker or the manifest")
	}
	if err := target.NoProject(c, p); err != nil {
		return err
	}
	t := toolhost.New(c, false)
	defer t.Close()
	inst, err := machine.Open(c, p, with, t)
	if err != nil {
		return err
	}
	var sign workspace.Sign
	var key []byte
	if keyFile != "" {
		if sign, key, err = signer(c, keyFile); err != nil {
			return err
		}
	}
	made, err := inst.Pack(sign, key)
	if err != nil {
		return notPacked(err)
	}
	for _, l := range made.Left {
		c.Say("%s is left out: %s", l.Name, l.Why)
	}
	if out == "" {
		out = p.Name() + workspace.PackSuffix
	}
	if err := writePack(c, out, made); err != nil {
		return err
	}
	return c.Print(target.AboutPack(out, made.Pack) + "\n")
}

func writePack(c *console.Console, out string, made *core.Packed) error {
	target := c.Path(out)
	if info, err := os.Lstat(target); err == nil && !info.Mode().IsRegular() {
		return console.Usage("%s is not a regular file", out).Hinting("name another file with -o")
	}
	if err := disk.MayReplace(c.Path(out), out, disk.PackKind); err != nil {
		return err
	}
	tmp, err := disk.Beside(target, made.Data)
	if err == nil {
		defer os.Remove(tmp)
		err = os.Rename(tmp, target)
	}
	if err != nil {
		return console.Usage("%s could not be written: %s", out, disk.Cause(err)).Hinting("%s", disk.WriteHint(err, "name a file in an existing directory that you can write to"))
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
func verifyPack(c *console.Console, words []string, key string) error {
	if len(words) == 0 || !target.IsPack(words[0]) {
		return console.Usage("--verify needs a packed project").Hinting("for example: golem pack --verify RW… project.golem")
	}
	p, err := target.ReadPack(c, words[0])
	if err == nil {
		err = target.Verified(c, p, key)
	}
	if err != nil {
		return err
	}
	return c.Print(fmt.Sprintf("%s\n", ui.OneLine(target.AboutPack(words[0], p))))
}

// signer reads a secret key, and asks for its password if it has one. It also returns
// the content of the key file.
func signer(c *console.Console, name string) (workspace.Sign, []byte, error) {
	data, err := c.ReadFile(name, 4<<10)
	if err != nil {
		return nil, nil, console.Usage("the key %s cannot be read: %s", name, disk.Cause(err)).Hinting("golem pack --new-key FILE makes one; keys of minisign -G work too")
	}
	sign, err := secretKey(c, filepath.Base(name), data)
	return sign, data, err
}

// password returns GOLEM_SIGN_PASSWORD, or reads the password from the terminal without
// showing it.
func password(c *console.Console, prompt string) (string, error) {
	if v, set := c.Env["GOLEM_SIGN_PASSWORD"]; set {
		return v, nil
	}
	in, out, err := console.OpenTerminal()
	if err != nil {
		return "", console.Usage("the key has a password, and there is no terminal to ask for it").Hinting("set GOLEM_SIGN_PASSWORD")
	}
	defer in.Close()
	text, err := console.ReadHidden(in, out, prompt)
	return strings.TrimRight(text, "\r\n"), err
}
