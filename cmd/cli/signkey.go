package main

import (
	"errors"
	"io/fs"
	"os"

	"aead.dev/minisign"
	"golang.org/x/term"

	"golem/core/fault"
	"golem/core/workspace"
)

// secretKey reads a secret key of minisign, and returns a function that signs packed
// projects with it.
func (h *host) secretKey(name string, data []byte) (workspace.Sign, error) {
	var key minisign.PrivateKey
	var err error
	if minisign.IsEncrypted(data) {
		password, perr := h.password("Password of " + oneLine(name) + ": ")
		if perr != nil {
			return nil, perr
		}
		if key, err = minisign.DecryptKey(password, data); err != nil {
			return nil, fault.New(fault.Usage, "the key %s cannot be used: the password is wrong, or the file is damaged", name)
		}
	} else if key.UnmarshalText(data) != nil {
		return nil, usage("%s is not a secret key of minisign", name).Hinting("golem pack --new-key FILE makes one")
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
func (h *host) newSignKey(name string) error {
	public, secret, err := minisign.GenerateKey(nil)
	if err != nil {
		return err
	}
	for _, file := range []string{name, name + ".pub"} {
		if _, err := os.Lstat(h.path(file)); !errors.Is(err, fs.ErrNotExist) {
			return fault.New(fault.Conflict, "%s is there already", file).Hinting("name a new file; a key that is lost cannot be made again")
		}
	}
	password, err := h.password("Password for the new key: ")
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
	err = writeNewMode(h.path(name), append(data, '\n'), 0o600)
	if err == nil {
		err = writeNewMode(h.path(name+".pub"), append(text, '\n'), 0o644)
	}
	if err != nil {
		return usage("the key could not be written: %s", cause(err)).Hinting("%s", writeHint(err, "name a file in an existing directory that you can write to"))
	}
	if password == "" {
		h.say("%s has no password: whoever can read the file can sign with it", name)
	}
	return h.print("secret key " + name + ", public key " + name + ".pub: " + public.String() + "\n")
}

// hidden writes a prompt to the terminal and reads a line without showing it. What was
// typed before, and the end of a line that was begun before, is discarded. A signal that
// ends golem meanwhile also shows the terminal's input again.
func hidden(in, out *os.File, prompt string) (string, error) {
	begun := midLine(in)
	_ = flushInput(in) // if this fails, reading fails as well
	defer whenEnded(restorer(in, out))()
	for {
		if _, err := out.WriteString(prompt); err != nil {
			return "", err
		}
		text, err := term.ReadPassword(int(in.Fd()))
		out.WriteString("\n")
		if err != nil || !begun {
			return string(text), err
		}
		begun = false
		out.WriteString(begunBefore)
	}
}

// restorer returns a function that gives the terminal its present state back.
func restorer(in, out *os.File) func() {
	state, err := term.GetState(int(in.Fd()))
	return func() {
		if err == nil {
			_ = term.Restore(int(in.Fd()), state) // golem ends: there is nothing else to do
			out.WriteString("\n")
		}
	}
}

// writeNewMode writes a new file. It fails if the file exists. After another error there
// is no file.
func writeNewMode(name string, data []byte, mode os.FileMode) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, os.Remove(name))
	}
	return nil
}
