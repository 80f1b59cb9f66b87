package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"aead.dev/minisign"
	"golang.org/x/term"
)

const (
	sumsName  = "SHA256SUMS"
	signature = ".minisig"
)

// signingKey reads a secret key of minisign. It returns nil for no file.
func signingKey(name string) (*minisign.PrivateKey, error) {
	if name == "" {
		return nil, nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var key minisign.PrivateKey
	if !minisign.IsEncrypted(data) {
		if err := key.UnmarshalText(data); err != nil {
			return nil, fmt.Errorf("%s has no secret key of minisign (golem pack --new-key makes one): %w", name, err)
		}
		return &key, nil
	}
	password, set := os.LookupEnv("GOLEM_SIGN_PASSWORD")
	if !set {
		fmt.Fprintf(os.Stderr, "Password of %s: ", name)
		typed, err := term.ReadPassword(int(os.Stdin.Fd()))
		if err != nil {
			return nil, fmt.Errorf("the key has a password, and there is no terminal to ask for it: set GOLEM_SIGN_PASSWORD")
		}
		fmt.Fprintln(os.Stderr)
		password = string(typed)
	}
	if key, err = minisign.DecryptKey(password, data); err != nil {
		return nil, fmt.Errorf("the key %s cannot be used: the password is wrong, or the file is damaged", name)
	}
	return &key, nil
}

// sums writes the checksums of all files, and with a key the signature of each file, the
// checksums' included. The signature covers the file's name: its trusted comment is
// "file:NAME version:VERSION".
func (o options) sums(key *minisign.PrivateKey) error {
	names, err := listed(o.out)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, name := range names {
		digest, err := digestOf(filepath.Join(o.out, name))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s  %s\n", digest, name)
	}
	if err := o.write(sumsName, []byte(b.String())); err != nil || key == nil {
		return err
	}
	for _, name := range append(names, sumsName) {
		data, err := os.ReadFile(filepath.Join(o.out, name))
		if err != nil {
			return err
		}
		sig := minisign.SignWithComments(*key, data, comment(name, o.version), "signature of "+name)
		if err := o.write(name+signature, sig); err != nil {
			return err
		}
	}
	return nil
}

func comment(name, version string) string { return "file:" + name + " version:" + version }

// listed returns the names of the files that checksums are for, in order.
func listed(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	var names []string
	for _, e := range entries {
		if name := e.Name(); name != sumsName && !strings.HasSuffix(name, signature) {
			names = append(names, name)
		}
	}
	return names, err
}

func digestOf(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), err
}

// tell says what was made and how others verify it.
func (o options) tell(key *minisign.PrivateKey) error {
	names, err := listed(o.out)
	if err != nil {
		return err
	}
	for _, name := range names {
		info, err := os.Stat(filepath.Join(o.out, name))
		if err != nil {
			return err
		}
		o.say("%10d bytes  %s", info.Size(), name)
	}
	if key == nil {
		o.say("not signed, because no key was given: make release VERSION=%s KEY=FILE signs", o.version)
		return nil
	}
	public, ok := key.Public().(minisign.PublicKey)
	if !ok { // unreachable: the library says so
		return errors.New("the key has no public part")
	}
	text, err := public.MarshalText()
	if err != nil {
		return err
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	o.say("signed; to verify: minisign -Vm %s -P %s && sha256sum --ignore-missing -c %s", sumsName, lines[len(lines)-1], sumsName)
	return nil
}

// verifying is the command verify: it compares every file of a release with its checksum, and
// with a public key also with its signature.
func verifying(words []string, log io.Writer) error {
	flags := flag.NewFlagSet("release verify", flag.ContinueOnError)
	flags.SetOutput(log)
	public := flags.String("public", "", "the public `key` of minisign, or a file with it; without it signatures are not looked at")
	if err := flags.Parse(words); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return errors.New("which release? release verify [-public KEY] DIR")
	}
	dir := flags.Arg(0)
	names, err := verifySums(dir)
	if err != nil {
		return err
	}
	if *public == "" {
		fmt.Fprintf(log, "release: %d files have the digests of %s; signatures were not looked at (-public KEY)\n", len(names), sumsName)
		return nil
	}
	if err := verifySignatures(dir, *public, append(names, sumsName)); err != nil {
		return err
	}
	fmt.Fprintf(log, "release: %d files are those that were signed\n", len(names)+1)
	return nil
}

// verifySums compares the files in dir with their checksums. Every file must have one.
func verifySums(dir string) ([]string, error) {
	data, err := os.ReadFile(filepath.Join(dir, sumsName))
	if err != nil {
		return nil, err
	}
	names, err := listed(dir)
	if err != nil {
		return nil, err
	}
	var known []string
	for line := range strings.Lines(string(data)) {
		digest, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		if !ok || filepath.Base(name) != name {
			return nil, fmt.Errorf("%s has the line %q, which is not a digest, two spaces and a name", sumsName, line)
		}
		got, err := digestOf(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		if got != digest {
			return nil, fmt.Errorf("%s has changed: its digest is %s, and %s says %s", name, got, sumsName, digest)
		}
		known = append(known, name)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("%s has no line in %s", name, sumsName)
		}
	}
	if len(known) == 0 {
		return nil, fmt.Errorf("%s names no file", sumsName)
	}
	return known, nil
}

// verifySignatures verifies the signature of each file, and that it was made for this name.
func verifySignatures(dir, public string, names []string) error {
	var key minisign.PublicKey
	if data, err := os.ReadFile(public); err == nil {
		public = string(data)
	}
	if err := key.UnmarshalText([]byte(public)); err != nil {
		return fmt.Errorf("%q is neither a public key of minisign nor a file with one", public)
	}
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		sig, err := os.ReadFile(filepath.Join(dir, name+signature))
		if err != nil {
			return fmt.Errorf("%s has no signature: %w", name, err)
		}
		var parsed minisign.Signature
		if err := parsed.UnmarshalText(sig); err != nil || !minisign.Verify(key, data, sig) {
			return fmt.Errorf("%s was not signed with this key, or has changed", name)
		}
		if !strings.HasPrefix(parsed.TrustedComment, "file:"+name+" ") {
			return fmt.Errorf("the signature of %s was made for another file: %s", name, parsed.TrustedComment)
		}
	}
	return nil
}
