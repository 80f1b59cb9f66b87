package sh

import (
	"slices"
	"strings"

	"golem/core/tool"
)

// program describes the harmless options of a program, or of one of its subcommands. A
// pattern with a wildcard covers only commands that are described here.
type program struct {
	names string // the words that begin the command; several names are separated by commas
	// short has option letters as in getopt: "a" takes no value, "a:" takes a
	// value, "a::" takes one only in the same word. # is a number, "*" is any option.
	short    string
	words    string            // options that are words; with = they may have a value
	operands func(string) bool // which other words it takes; nil: any
	// named means that it writes files or runs the project's code: a pattern covers it
	// only if it has the words of names without wildcards.
	named bool
}

// Options that git log, git diff and other subcommands have in common.
const (
	diffShort = "apusRwbzWDtB::C::G::I::l::M::S::U::X::"
	diffWords = "--patch --no-patch --unified= --raw --stat= --numstat --shortstat --dirstat= --summary --compact-summary --name-only --name-status --color= --no-color --color-moved= --word-diff= --word-diff-regex= --color-words= " +
		"--ignore-all-space --ignore-space-change --ignore-space-at-eol --ignore-blank-lines --ignore-submodules= --diff-filter= --find-renames= --find-copies= --find-copies-harder --no-renames --minimal --patience --histogram --diff-algorithm= " +
		"--exit-code --quiet --check --function-context --inter-hunk-context= --abbrev= --full-index --binary --relative= --no-relative --no-prefix --no-ext-diff --no-textconv --pickaxe-regex --pickaxe-all "
	logShort = diffShort + "#n::iEFPgmcqL::"
	logWords = diffWords + "--oneline --graph --decorate= --no-decorate --all --branches= --tags= --remotes= --glob= --author= --committer= --grep= --since= --until= --after= --before= --max-count= --skip= --format= --pretty= --date= --abbrev-commit --no-abbrev-commit " +
		"--merges --no-merges --first-parent --reverse --follow --source --topo-order --date-order --author-date-order --left-right --left-only --right-only --cherry --cherry-pick --cherry-mark --ancestry-path --full-history --simplify-by-decoration " +
		"--invert-grep --all-match --regexp-ignore-case --fixed-strings --extended-regexp --perl-regexp --walk-reflogs --no-walk --cc --boundary --parents --children --count --numbered "
	refWords = "--contains= --no-contains= --merged= --no-merged= --points-at= --sort= --format= --column --no-column --color= --no-color --ignore-case "
)

// programs has the harmless options of programs and not the dangerous ones, because a list
// of dangerous options could not contain every spelling: git grep --open=./x, -nO./x, clone
// -u ./x. Add an option only if it starts no program and writes no file, in every version
// and spelling.
var programs = []program{
	// These only show something, with any arguments.
	{names: "b2sum,basename,cat,cd,cksum,cmp,comm,cut,df,dirname,du,echo,false,fold,head,id,ls,md5sum,nl,od,paste,pwd,readlink,realpath,rev,seq,sha1sum,sha224sum,sha256sum,sha384sum,sha512sum,sleep,stat,tac,tail,tr,true,wc,which,whoami", short: "*"},

	{names: "date", short: "uRI::d:r:", words: "--utc --universal --iso-8601= --rfc-email --rfc-3339= --date= --reference=", operands: format},
	{names: "diff", short: "abBcdeEiNnpqrstTuwyC::F::I::L::U::W::x::", words: "--unified= --context= --brief --recursive --new-file --ignore-case --ignore-all-space --ignore-space-change --ignore-blank-lines --side-by-side --color= --exclude= --label="},
	{names: "file", short: "bEhikLNr0F::", words: "--brief --dereference --mime --mime-type --mime-encoding --no-dereference"},
	{names: "find", short: "#", words: "-H -L -P -a -amin -and -anewer -atime -cmin -cnewer -ctime -daystart -depth -empty -executable -false -follow -gid -group -ilname -iname -inum -ipath -iregex -links -lname -ls -maxdepth -mindepth -mmin -mount -mtime -name -newer -nogroup -not -nouser -o -or -path -perm -print -print0 -printf -prune -quit -readable -regex -regextype -samefile -size -true -type -uid -user -wholename -writable -xdev"},
	{names: "gofmt", words: "-d -e -l -r= -s"},
	{names: "grep,egrep,fgrep", short: "#abcEFGhHiIlLnoPqrRsTUvwxyzA::B::C::d::D::e::m::", words: "--after-context= --basic-regexp --before-context= --binary-files= --byte-offset --color= --colour= --context= --count --exclude-dir= --exclude= --extended-regexp --files-with-matches --files-without-match --fixed-strings --ignore-case --include= --invert-match --line-number --line-regexp --max-count= --no-filename --no-messages --null --only-matching --perl-regexp --quiet --recursive --regexp= --silent --with-filename --word-regexp"},
	{names: "jq", short: "acCeMnrRsS", words: "--arg --args --argjson --compact-output --exit-status --jsonargs --null-input --raw-input --raw-output --slurp --sort-keys --tab"},
	{names: "rg", short: ".0abcFHhiIlLNnopPqsSUuvwxA::B::C::d::e::g::m::M::r::t::T::", words: "--after-context= --before-context= --case-sensitive --color= --column --context= --count --count-matches --files --files-with-matches --files-without-match --fixed-strings --follow --glob= --heading --hidden --iglob= --ignore-case --invert-match --json --line-number --max-columns= --max-count= --max-depth= --multiline --no-filename --no-heading --no-ignore --no-ignore-vcs --no-line-number --no-messages --only-matching --pcre2 --quiet --regexp= --replace= --smart-case --sort= --sortr= --stats --trim --type-list --type-not= --type= --unrestricted --vimgrep --with-filename --word-regexp"},
	// On Windows, sort writes to the file after /O.
	{names: "sort", short: "bcCdfghiMmnRrsuVzk::t::", words: "--check= --dictionary-order --field-separator= --general-numeric-sort --human-numeric-sort --ignore-case --ignore-leading-blanks --key= --month-sort --numeric-sort --random-sort --reverse --stable --unique --version-sort --zero-terminated", operands: staysInside},
	{names: "tree", short: "aCdDfFghiIlLnNpPqQrsStuvxJX", words: "--charset --dirsfirst --du --filelimit --gitignore --noreport --prune --si"},
	{names: "uname", short: "aimnoprsv"},
	{names: "uniq", short: "cdiuDzf:s:w:", words: "--count --repeated --unique --ignore-case --skip-fields= --skip-chars= --check-chars=", operands: noOperand}, // it writes to a second file

	{names: "git blame", short: "bceflnpstwC::L::M::", words: "--abbrev= --date= --first-parent --ignore-rev= --line-porcelain --porcelain --root --show-email --show-name --show-number --since="},
	{names: "git branch", short: "airv", words: refWords + "--all --list --remotes --show-current --verbose", operands: noOperand},
	{names: "git branch --list", short: "airv", words: refWords + "--all --remotes --verbose"},
	{names: "git cat-file", short: "epst"},
	{names: "git check-ignore", short: "nqvz", words: "--no-index --non-matching --quiet --verbose"},
	{names: "git count-objects", short: "Hv", words: "--human-readable --verbose"},
	{names: "git describe", words: "--abbrev= --all --always --candidates= --contains --dirty= --exact-match --exclude= --first-parent --long --match= --tags"},
	// With a file outside the repository it would act like git diff --no-index, which reads
	// any file.
	{names: "git diff", short: diffShort, words: diffWords + "--cached --merge-base --staged", operands: staysInside},
	{names: "git for-each-ref,git show-ref", short: "dqs", words: refWords + "--count= --dereference --hash= --heads --tags --verify"},
	{names: "git grep", short: "#aEFGhHIilLnopPqrvwWczA::B::C::e::m::", words: "--after-context= --all-match --and --before-context= --break --cached --color= --column --context= --count --extended-regexp --files-with-matches --files-without-match --fixed-strings --full-name --function-context --heading --ignore-case --invert-match --line-number --max-count= --max-depth= --name-only --no-color --not --null --only-matching --or --perl-regexp --quiet --show-function --threads= --untracked --word-regexp"},
	{names: "git log,git rev-list,git show,git stash list,git reflog show", short: logShort, words: logWords},
	{names: "git ls-files", short: "cdikmostuvzx::", words: "--abbrev= --cached --deduplicate --deleted --directory --eol --error-unmatch --exclude-standard --full-name --ignored --killed --modified --no-empty-directory --others --stage --unmerged --with-tree="},
	{names: "git ls-tree", short: "dlrtz", words: "--abbrev= --full-name --full-tree --long --name-only --name-status"},
	{names: "git merge-base", short: "a", words: "--all --fork-point --independent --is-ancestor --octopus"},
	{names: "git reflog", short: logShort, words: logWords, operands: noOperand},
	{names: "git remote", short: "v", words: "--verbose", operands: noOperand},
	{names: "git remote get-url", words: "--all --push"},
	{names: "git rev-parse", short: "q", words: "--abbrev-ref= --absolute-git-dir --all --branches= --git-common-dir --git-dir --is-bare-repository --is-inside-git-dir --is-inside-work-tree --quiet --remotes= --short= --show-cdup --show-prefix --show-superproject-working-tree --show-toplevel --symbolic --symbolic-full-name --tags= --verify"},
	{names: "git shortlog", short: "#censw::", words: logWords},
	{names: "git stash show", short: diffShort, words: diffWords},
	{names: "git status", short: "bsvzu::", words: "--ahead-behind --branch --column --find-renames= --ignored= --ignore-submodules= --long --no-ahead-behind --no-column --no-renames --porcelain= --renames --short --show-stash --untracked-files= --verbose"},
	{names: "git tag", short: "in::", words: refWords + "--list", operands: noOperand},
	{names: "git tag -l,git tag --list", short: "in::", words: refWords},
	{names: "git version,git --version,go version", short: "mv", words: "--build-options"},
	{names: "git worktree list", short: "vz", words: "--porcelain --verbose", operands: noOperand},
	{names: "go doc", words: "-all -c -cmd -short -src -u"},

	{named: true, names: "cp", short: "afHiLnpPRruvT", words: "--archive --force --no-clobber --recursive --update --verbose"},
	{named: true, names: "mkdir", short: "pvm::", words: "--mode= --parents --verbose"},
	{named: true, names: "mv", short: "finuvT", words: "--force --no-clobber --update --verbose"},
	{named: true, names: "rm", short: "dfiIRrv", words: "--dir --force --recursive --verbose"},
	{named: true, names: "rmdir", short: "pv", words: "--parents --verbose"},
	{named: true, names: "tee", short: "ai", words: "--append"},
	{named: true, names: "touch", short: "acmd::r::t::", words: "--date= --no-create --reference="},
	{named: true, names: "gofmt -w", words: "-e -l -r= -s"},
	{named: true, names: "git add", short: "AfnNuv", words: "--all --dry-run --force --intent-to-add --update --verbose"},
	{named: true, names: "git checkout", short: "fqb::B::", words: "--detach --force --ours --quiet --theirs"},
	{named: true, names: "git commit", short: "anqsm::", words: "--all --allow-empty --amend --author= --date= --dry-run --message= --no-edit --no-verify --quiet --signoff"},
	{named: true, names: "git mv", short: "fknv", words: "--dry-run --force --verbose"},
	{named: true, names: "git restore", short: "qSWs::", words: "--quiet --source= --staged --worktree"},
	{named: true, names: "git rm", short: "fnrq", words: "--cached --dry-run --force --quiet"},
	{named: true, names: "git switch", short: "dfqc::C::", words: "--create= --detach --force --quiet"},

	// These run the project's code, which a pattern that names them allows.
	{named: true, names: "cargo build,cargo check,cargo clippy,cargo test", short: "qrvj::p::F::", words: "--all --all-features --all-targets --bins --doc --examples --exact --features= --frozen --jobs= --lib --locked --no-default-features --no-fail-fast --no-run --nocapture --offline --package= --quiet --release --test-threads= --test= --tests --verbose --workspace", operands: target},
	{named: true, names: "cargo fmt", words: "--all --check", operands: target},
	{named: true, names: "go build,go vet", words: "-json -p= -race -tags= -trimpath -v -x", operands: target},
	{named: true, names: "go env", words: "-changed -json"},
	{named: true, names: "go fmt", words: "-n -x", operands: target},
	{named: true, names: "go list", words: "-deps -e -f= -find -json= -m -test -versions", operands: target},
	{named: true, names: "go test", words: "-bench= -benchmem -benchtime= -count= -cover -covermode= -coverpkg= -cpu= -failfast -fullpath -fuzztime= -json -list= -p= -parallel= -race -run= -short -shuffle= -skip= -tags= -timeout= -trimpath -v", operands: target},
	{named: true, names: "make", short: "BiknsSwj::", words: "--always-make --dry-run --ignore-errors --jobs= --keep-going --no-print-directory --quiet --silent", operands: target},
	{named: true, names: "npm run,npm test,pnpm run,pnpm test,yarn test", words: "--if-present --silent --workspaces", operands: target},
	{named: true, names: "pytest,python -m pytest,python3 -m pytest", short: "hlqsvxk::m::", words: "--collect-only --exitfirst --failed-first --last-failed --maxfail= --quiet --tb= --verbose", operands: target},
}

// noOperand refuses every operand, for programs that change something if they get one.
func noOperand(string) bool { return false }

// format accepts an output format of date; any other operand would set the clock.
func format(w string) bool { return strings.HasPrefix(w, "+") }

// staysInside accepts operands that cannot name a file outside the directory of the command.
func staysInside(w string) bool {
	return !strings.Contains(w, `\`) && strings.Index(w, ":") != 1 && !strings.HasPrefix(w, "/") && !slices.Contains(strings.Split(w, "/"), "..")
}

// target accepts what to build, test or run. It refuses variables (make SHELL=./x), files
// with arguments (@file) and toolchains (+name).
func target(w string) bool {
	return !strings.Contains(w, "=") && !strings.HasPrefix(w, "@") && !strings.HasPrefix(w, "+")
}

// known has the programs by the words that begin a command.
var known = func() map[string]program {
	all := map[string]program{}
	for _, p := range programs {
		for _, n := range strings.Split(p.names, ",") {
			all[n] = p
		}
	}
	return all
}()

// Covers reports whether a pattern that matches a command may allow it: the pattern has no
// wildcard, or the program and all its options are known as harmless (see programs). A
// command of git that only shows something must not start a program that its repository's
// configuration names, whatever the pattern.
func (g Grammar) Covers(c tool.SimpleCommand, globs []string) bool {
	if slices.ContainsFunc(globs, wild) && !harmless(c, globs) {
		return false
	}
	return g.Git == nil || !gitShows(c) || g.Git.Starts() == ""
}

// gitShows reports whether a command is one of git that only shows something. A hook or a
// filter of a command that writes is part of what a pattern for it allows.
func gitShows(c tool.SimpleCommand) bool {
	if len(c) > 1 && c[1].Text == "--no-pager" {
		c = slices.Delete(slices.Clone(c), 1, 2)
	}
	p, n := programOf(c)
	return c[0].Text == "git" && (n == 0 || !p.named)
}

// verifies reports whether a word of a command of git may be a format that checks a
// signature, for which git starts gpg.program: %G?, %(signature). A format with another
// name than git's own may be one that the repository's configuration defines.
func verifies(words []tool.Word) bool {
	return slices.ContainsFunc(words, func(w tool.Word) bool {
		text := w.Text
		for _, sign := range []string{"%G", "%+G", "%-G", "% G", "signature"} {
			if strings.Contains(text, sign) {
				return true
			}
		}
		name, value, ok := strings.Cut(text, "=")
		return ok && (name == "--pretty" || name == "--format") && !strings.Contains(value, "%") && !strings.Contains(value, ":") && !slices.Contains(prettyFormats, value)
	})
}

// prettyFormats are git's own names of formats, and the formats of for-each-ref that
// contain nothing to expand.
var prettyFormats = []string{"", "oneline", "short", "medium", "full", "fuller", "reference", "email", "mboxrd", "raw"}

// wild reports whether a glob has a wildcard. A list {a,b} of words does not count as one.
func wild(glob string) bool {
	for i := 0; i < len(glob); i++ {
		switch glob[i] {
		case '\\':
			i++
		case '*', '?', '[':
			return true
		}
	}
	return false
}

// Exact reports whether a command, used as a pattern, means just that command. It does not if
// the shell may expand one of its words to an option, because a file can be called
// --open=./x, and the options of the command are not known as harmless.
func (g Grammar) Exact(command string) bool {
	globs := g.Globs(command)
	if !slices.ContainsFunc(globs, func(word string) bool { return wild(word) && strings.IndexByte("*?[{-", word[0]) >= 0 }) {
		return true
	}
	l := g.Parse(command)
	return l.Plain && len(l.Commands) == 1 && g.Covers(l.Commands[0], globs)
}

func harmless(c tool.SimpleCommand, globs []string) bool {
	if len(c) > 1 && c[0].Text == "git" && c[1].Text == "--no-pager" {
		c, globs = slices.Delete(slices.Clone(c), 1, 2), []string{"*"}
	}
	p, n := programOf(c)
	if n == 0 || p.named && (len(globs) < n || slices.ContainsFunc(globs[:n], wild)) {
		return false
	}
	if c[0].Text == "git" && verifies(c[n:]) {
		return false
	}
	value := false // the word is the value of the option before it
	for _, w := range c[n:] {
		if w.Unknown {
			return false
		}
		if p.short == "*" {
			continue
		}
		ok := value || p.operand(w)
		value = false
		if len(w.Text) > 1 && w.Text[0] == '-' {
			ok, value = p.option(w)
		}
		if !ok {
			return false
		}
	}
	return true
}

// programOf returns the program for a command, found by as many of its first words as
// possible, and the number of these words; 0 if the program is not known.
func programOf(c tool.SimpleCommand) (p program, words int) {
	name := ""
	for i, w := range c[:min(len(c), 3)] {
		if w.Expands || w.Unknown || strings.ContainsAny(w.Text, " ,") {
			break
		}
		name = strings.TrimPrefix(name+" "+w.Text, " ")
		if found, ok := known[name]; ok {
			p, words = found, i+1
		}
	}
	return p, words
}

// operand reports whether the program accepts a word that is not an option.
func (p program) operand(w tool.Word) bool {
	if p.operands == nil {
		return !vague(w)
	}
	return !w.Expands && p.operands(w.Text)
}

// vague reports whether the beginning of a word is not known. It may be a dash, because
// there may be a file called --open=./x.
func vague(w tool.Word) bool {
	return w.Unknown || w.Expands && strings.Trim(w.Text[:min(1, len(w.Text))], "*?[]{}") == ""
}

// option reports whether an option is known, and whether the next word is its value. Words
// after -- are checked like words before it, because -- may be a value, as in -e --.
func (p program) option(w tool.Word) (ok, value bool) {
	words := strings.Fields(p.words)
	name, _, valued := strings.Cut(w.Text, "=")
	switch {
	case w.Text == "--", slices.Contains(words, name+"="), !valued && slices.Contains(words, name):
		return true, false
	case w.Expands || strings.HasPrefix(w.Text, "--"):
		return false, false
	}
	for i, r := range w.Text[1:] {
		letter := string(r)
		if r >= '0' && r <= '9' && !strings.Contains(p.short, letter) {
			letter = "#"
		}
		_, after, found := strings.Cut(p.short, letter)
		switch {
		case !found || r == ':':
			return false, false
		case strings.HasPrefix(after, ":"):
			return true, i+2 == len(w.Text) && !strings.HasPrefix(after, "::")
		}
	}
	return true, false
}
