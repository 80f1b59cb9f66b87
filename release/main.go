// Command release makes a release of golem in build/release: an archive for each system, the
// npm package of golem.js, bills of materials, checksums and signatures. Run it in the
// module's root, after make web:
//
//	go run ./release -version v1.2.3 [-key FILE] [-systems linux/amd64,…] [-out DIR]
//	go run ./release verify [-public KEY] DIR
//
// The same commit, Go, Node packages, libdeflate and zstd give the same bytes, in whatever
// directory, by whomever, whenever.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

func main() {
	make, words := release, os.Args[1:]
	if len(words) > 0 && words[0] == "verify" {
		make, words = verifying, words[1:]
	}
	if err := make(words, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// allSystems are the systems that a release is for.
var allSystems = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

// options are what the command line says, and what golem version of the release says.
type options struct {
	version string // v1.2.3
	commit  string // 12 hexadecimal digits
	date    time.Time
	out     string
	systems []string
	key     string // a file with a secret key of minisign, or ""
	anyPage bool
	log     io.Writer
}

var versionForm = regexp.MustCompile(`^v(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z][0-9A-Za-z.-]*)?$`)

// read reads the command line. Without -commit the checkout must be clean, and its commit is
// that of the release.
func read(words []string, log io.Writer) (options, error) {
	o := options{log: log}
	var systems, date string
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	flags.SetOutput(log)
	flags.StringVar(&o.version, "version", "", "the `version`, for example v1.2.3")
	flags.StringVar(&o.out, "out", filepath.Join("build", "release"), "an empty or a new `directory`, or one of an earlier release")
	flags.StringVar(&systems, "systems", strings.Join(allSystems, ","), "the `systems`")
	flags.StringVar(&o.key, "key", "", "sign with the secret key of minisign in this `file`; its password is asked for, or in GOLEM_SIGN_PASSWORD")
	flags.StringVar(&o.commit, "commit", "", "the `commit` that golem version shows; without it, that of the checkout, which must be clean")
	flags.StringVar(&date, "date", "", "with -commit: the commit's `date`, RFC 3339")
	flags.BoolVar(&o.anyPage, "any-page", false, "for tests: the page may be of another version")
	if err := flags.Parse(words); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("%q is unexpected: release -help lists the flags", flags.Arg(0))
	}
	if !versionForm.MatchString(o.version) {
		return o, fmt.Errorf("the version %q has another form than v1.2.3 or v1.2.3-rc.1: make release VERSION=v1.2.3", o.version)
	}
	o.systems = strings.Split(systems, ",")
	for _, s := range o.systems {
		if !strings.Contains(strings.Join(allSystems, " ")+" ", s+" ") {
			return o, fmt.Errorf("no release is made for the system %q, only for %s", s, strings.Join(allSystems, ", "))
		}
	}
	if o.commit == "" {
		var err error
		if o.commit, date, err = checkout(); err != nil {
			return o, err
		}
	}
	var err error
	if o.date, err = time.Parse(time.RFC3339, date); err != nil {
		return o, fmt.Errorf("the date %q is not in the form of RFC 3339, which git log --format=%%cI has", date)
	}
	o.date = o.date.UTC()
	return o, nil
}

// checkout returns the commit of the checkout and its date. It fails if files differ from it,
// because nobody else could make the same release then.
func checkout() (commit, date string, err error) {
	changed, err := output("git", "status", "--porcelain")
	if err != nil {
		return "", "", err
	}
	if changed != "" {
		return "", "", fmt.Errorf("the checkout differs from its commit, so nobody else could make this release; commit or remove:\n%s", changed)
	}
	if commit, err = output("git", "rev-parse", "--short=12", "HEAD"); err != nil {
		return "", "", err
	}
	date, err = output("git", "log", "-1", "--format=%cI")
	return commit, date, err
}

// output returns what a command prints, without the last line's end.
func output(words ...string) (string, error) {
	return outputWith(nil, words...)
}

// outputWith is output with more variables in the environment.
func outputWith(env []string, words ...string) (string, error) {
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		err = fmt.Errorf("%s: %w\n%s", strings.Join(words, " "), err, append(out, failed.Stderr...))
	}
	return strings.TrimSuffix(string(out), "\n"), err
}

// entry is a file of an archive.
type entry struct {
	name string // slashes, relative to the archive's directory
	data []byte
	run  bool // a program
}

// release makes all files of a release in an empty directory.
func release(words []string, log io.Writer) error {
	o, err := read(words, log)
	if err != nil {
		return err
	}
	key, err := signingKey(o.key)
	if err != nil {
		return err
	}
	if err := empty(o.out); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "golem-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	page, err := pageParts(o)
	if err != nil {
		return err
	}
	o.say("programs of this system, completions and manual pages")
	same, err := everywhere(o, work)
	if err != nil {
		return err
	}
	for _, system := range o.systems {
		o.say("%s", system)
		if err := o.archive(system, work, page, same); err != nil {
			return fmt.Errorf("%s: %w", system, err)
		}
	}
	o.say("npm package")
	if err := o.npm(work, page); err != nil {
		return fmt.Errorf("npm: %w", err)
	}
	if err := o.sums(key); err != nil {
		return err
	}
	return o.tell(key)
}

func (o options) say(format string, args ...any) {
	fmt.Fprintf(o.log, "release: "+format+"\n", args...)
}

// empty makes dir, or removes the release that was made in it before. It refuses a directory
// with anything else.
func empty(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !madeHere(e.Name()) || e.IsDir() {
			return fmt.Errorf("%s has %s, which is of no release: name an empty directory with -out", dir, e.Name())
		}
	}
	for _, e := range entries {
		if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

func madeHere(name string) bool {
	return strings.HasPrefix(name, sumsName) || strings.HasPrefix(name, "golem-")
}
