package projectcmd

import (
	"errors"
	"io/fs"
	"os"

	"aead.dev/minisign"

	"golem/core/fault"
	"golem/core/ui"
	"golem/core/workspace"

	"golem/cmd/cli/console"
	"golem/cmd/cli/disk"
)

// secretKey reads a secret key of minisign, and returns a function that signs packed
// projects with it.
func secretKey(c *console.Console, name string, data []byte) (workspace.Sign, error) {
	var key minisign.PrivateKey
	var err error
	if minisign.IsEncrypted(data) {
		password, perr := password(c, "Password of "+ui.OneLine(name)+": ")
		if perr != nil {
			return nil, perr
		}
		if key, err = minisign.DecryptKey(password, data); err != nil {
			return nil, fault.New(fault.Usage, "the key %s cannot be used: the password is wrong, or the file is damaged", name)
		}
	} else if key.UnmarshalText(data) != nil {
		return nil, console.Usage("%s is not a secret key of minisign", name).Hinting("golem pack --new-key FILE makes one")
	}
	return func(index []byte, comment string) ([]byte, []byte, error) {
		// The comment contains no time, so that signing a project twice gives the same
		// bytes.
		signature := minisign.SignWithComments(key, index, comment, "signature of golem-pack.json, the index of this packed project")
		public, ok := key.Public().(minisign.PublicKey)
		if !ok {
			return nil, nil, errors.New("the key has no public key")
		}
		text, err := public.MarshalText()
		return signature, append(text, '\n'), err
	}, nil
}

// newSignKey creates a pair of keys: FILE, which only its owner can read, and FILE.pub.
func newSignKey(c *console.Console, name string) error {
	public, secret, err := minisign.GenerateKey(nil)
	if err != nil {
		return err
	}
	for _, file := range []string{name, name + ".pub"} {
		if _, err := os.Lstat(c.Path(file)); !errors.Is(err, fs.ErrNotExist) {
			return fault.New(fault.Conflict, "%s is there already", file).Hinting("name a new file; a key that is lost cannot be made again")
		}
	}
	password, err := password(c, "Password for the new key: ")
	if err != nil {
		return err
	}
	data, err := secret.MarshalText()
	if err == nil && password != "" {
		data, err = minisign.EncryptKey(password, secret)
	}
	text, perr := public.MarshalText()
	if err = errors.Join(err, perr); err != nil {
		return err
	}
	err = disk.WriteNew(c.Path(name), append(data, '\n'), 0o600)
	if err == nil {
		err = disk.WriteNew(c.Path(name+".pub"), append(text, '\n'), 0o644)
	}
	if err != nil {
		return console.Usage("the key could not be written: %s", disk.Cause(err)).Hinting("%s", disk.WriteHint(err, "name a file in an existing directory that you can write to"))
	}
	if password == "" {
		c.Say("%s has no password: whoever can read the file can sign with it", name)
	}
	return c.Print("secret key " + name + ", public key " + name + ".pub: " + public.String() + "\n")
}
