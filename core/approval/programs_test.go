package approval

import (
	"strings"
	"testing"
)

// widest returns patterns with a wildcard that a person may write for a command: its first
// words followed by any words.
func widest(command string) []string {
	out := []string{"*", "**"}
	words := strings.Fields(command)
	for i := 1; i < min(len(words), 4); i++ {
		out = append(out, strings.NewReplacer("'", "", "*", "").Replace(strings.Join(words[:i], " "))+" *")
	}
	return append(out, "g* *", "{git,go,find,sort,make} *", "* * *")
}

// asksAlways fails the test if a pattern with a wildcard allows the command, or if a rule
// with exactly the command does not.
func asksAlways(t *testing.T, command string) {
	t.Helper()
	for _, p := range widest(command) {
		if got := settled(t, "sh", command, commandRules(PreApproved, p)...); got == PreApproved && p != command {
			t.Errorf("%q is preApproved by %q", command, p)
		}
	}
	if got := settled(t, "sh", command, commandRules(PreApproved, command)...); got != PreApproved && !strings.Contains(command, "*") {
		t.Errorf("%q is %q with a rule for exactly this", command, got)
	}
}

// No wildcard covers a command that can start another program or write a file, in any
// spelling that programs accept, or a program that golem does not know.
func TestWildcardsCoverOnlyWhatIsKnown(t *testing.T) {
	for _, lines := range []string{
		// git: options that start programs: complete, abbreviated, as a letter, among letters.
		"git grep --open-files-in-pager=./x foo\ngit grep --open=./x foo\ngit grep --op=./x foo\ngit grep --ope foo\ngit grep -O./x foo\ngit grep -O foo\ngit grep -nO./x foo\ngit grep -inO./x foo\ngit grep foo -O./x\ngit grep -e foo -O./x\ngit grep -e -- -O./x\ngit grep foo -- -O./x\ngit grep -5O./x foo\ngit grep '-O./x' foo\ngit grep -f /etc/passwd\ngit grep --no-index root /etc\ngit grep -P --ext-grep foo",
		"git fetch --upload-pack=./x .\ngit fetch --upload-p=./x .\ngit fetch --upl ./x .\ngit fetch -u ./x\ngit fetch origin\ngit pull --upload-pack ./x\ngit pull\ngit clone -u ./x . y\ngit clone -u./x . y\ngit clone --config core.pager=./x . y\ngit clone --template=./x . y\ngit ls-remote --upload-pack=./x .\ngit ls-remote --exec=./x .\ngit push --receive-pack=./x\ngit push --exec=./x .\ngit push origin main\ngit remote add x ext::./x\ngit remote update\ngit remote show origin\ngit fetch-pack --exec=./x . HEAD\ngit send-pack --exec=./x . HEAD\ngit archive --remote=. --exec=./x HEAD",
		"git bisect run ./x\ngit submodule foreach ./x\ngit submodule update\ngit difftool -y -x ./x\ngit difftool --extcmd=./x\ngit mergetool --tool=x\ngit rebase -x ./x HEAD\ngit rebase --exec ./x HEAD\ngit rebase -i\ngit filter-branch --tree-filter ./x\ngit merge -s ./x y\ngit am -i\ngit gc\ngit maintenance run\ngit hook run x\ngit for-each-repo --config=x y\ngit daemon\ngit instaweb --httpd=./x\ngit send-email --sendmail-cmd=./x y\ngit web--browse x\ngit help git\ngit var GIT_EDITOR\ngit credential fill\ngit update-index --add x\ngit cvsimport\ngit svn fetch\ngit x\ngit interpret-trailers --in-place x",
		"git log --output=y\ngit log --outp=y\ngit log --o=y\ngit log --output y\ngit log --ext-diff\ngit log --ext-d\ngit log --ext -p\ngit log --textconv -p\ngit log --textc -p\ngit log -O./x\ngit log -p --out=y\ngit show --output=y\ngit show --show-signature\ngit diff --output=y\ngit diff --ext-diff\ngit diff --ou y\ngit diff -O/etc/passwd\ngit stash show --output=y\ngit shortlog --output=y\ngit rev-list --output=y HEAD\ngit reflog --output=y\ngit log -- --output=y\ngit log --oneline --output=y\ngit log --format=%H --output y\ngit log '--oneline --output=y'",
		"git diff --no-index /etc/passwd /dev/null\ngit diff --no-index a b\ngit diff --no-i a b\ngit diff /etc/passwd /dev/null\ngit diff ../x y\ngit diff a/../../x y\ngit diff ~/x y\ngit diff -- /etc/passwd x\ngit blame --contents=/etc/passwd x\ngit blame --contents /etc/passwd x\ngit blame -S /etc/passwd x\ngit ls-files -X /etc/passwd\ngit ls-files --exclude-from=/etc/passwd\ngit cat-file --textconv HEAD:x\ngit cat-file --filters HEAD:x\ngit rev-parse --parseopt",
		"git archive -o y HEAD\ngit archive --output=y HEAD\ngit archive HEAD\ngit config alias.x '!id'\ngit config core.pager ./x\ngit config --get x\ngit config -e\ngit bundle create y HEAD\ngit format-patch -o y HEAD\ngit format-patch HEAD\ngit branch y\ngit branch -D y\ngit branch -v y\ngit branch --edit-description\ngit branch --list -D y\ngit branch --sort x y\ngit branch -a y\ngit tag y\ngit tag -d y\ngit tag -s y\ngit tag -n 3\ngit reflog expire --all\ngit reflog delete x\ngit remote remove x\ngit stash\ngit stash pop\ngit stash clear\ngit worktree add ../y\ngit worktree list y\ngit notes edit\ngit symbolic-ref HEAD x\ngit update-ref HEAD x\ngit reset --hard\ngit clean -fdx\ngit apply x\ngit init --template=./x\ngit replace --edit x\ngit check-ignore --stdin",
		"git -c core.pager=./x log\ngit -ccore.pager=./x log\ngit -c alias.log='!id' log\ngit --exec-path=. log\ngit --exec-path . log\ngit --config-env=core.pager=X log\ngit -C .. log\ngit --git-dir=../y log\ngit --work-tree=/ diff\ngit -p log\ngit --paginate log\ngit --no-pager -c core.pager=./x log\ngit --no-pager commit -m x\ngit 'log ' -1\n'git log' -1\n./git log -1\n/usr/bin/git log -1\ngit.exe log -1\nGIT log -1\ngit LOG -1",
		"git commit -e\ngit commit -c HEAD\ngit commit -F /etc/passwd\ngit commit -t /etc/passwd\ngit commit -S\ngit commit --gpg-sign=x\ngit commit -p\ngit commit --trailer x\ngit commit --edit\ngit commit --templ=x\ngit add -e\ngit add -p\ngit add -i\ngit add --edit\ngit add --pathspec-from-file=x\ngit checkout -p\ngit restore -p\ngit rm --pathspec-from-file=x",

		// find, sort, grep and other programs that are used for reading.
		"find . -exec ./x +\nfind . -execdir ./x +\nfind . -ok ./x +\nfind . -okdir ./x +\nfind . -delete\nfind . -name y -delete\nfind . -fprint y\nfind . -fprint0 y\nfind . -fprintf y z\nfind . -fls y\nfind -files0-from y\nfind -f . -exec ./x +\nfind . -name -exec ./x +\nfind -- . -delete\nfind . '-exec' ./x +",
		"sort -o y x\nsort -oy x\nsort x -o y\nsort --output=y x\nsort --out=y x\nsort --o y x\nsort -ro y x\nsort -nruoy x\nsort --compress-program=./x -S1k y\nsort --comp=./x y\nsort --co ./x y\nsort -T . y\nsort --files0-from=y\nsort /O y\nsort /o y x\nsort -- -o y\nsort --random-source=y x\nsort --parallel=9 x\nuniq x y\nuniq -c x y\nuniq -f 1 x y",
		"rg --pre=./x y\nrg --pre ./x y\nrg -z y\nrg -nz y\nrg --search-zip y\nrg --hostname-bin=./x y\nrg --pre-glob=x y\nrg -e -- --pre=./x\nrg y -- --pre=./x\nrg --debug --pre ./x y\ndiff -l a b\ndiff --paginate a b\ndiff --pag a b\ndiff -ul a b\ntree -o y\ntree -ao y\ntree -R -L 1\ntree -aR\ntree -Lo y\ntree --output y\nfile -C -m y\nfile --compile y\nfile -z y\nfile -m y z\nfile -f y\ngrep -f /etc/passwd y\ngrep --filter=./x y\ngrep --pager=./x y\ngrep -Q y\njq --run-tests y\njq -L y z\njq -i . y\ndate -s 2020-01-01\ndate --set=2020-01-01\ndate --se=2020-01-01\ndate 010100002020\ndate -f y\ndate -u 010100002020\ndate -us 2020-01-01\ndate -d x 01010000\nuname -S x\ngofmt -l -w .\ngofmt -w=true .\ngofmt -cpuprofile=y .\ngofmt -cpuprofile y x.go",

		// Programs that run the project's code, or other code.
		"go vet -vettool=./x\ngo vet -vettool ./x\ngo vet --vettool=./x\ngo test -exec ./x\ngo test -exec=./x ./...\ngo test --exec=./x ./...\ngo test ./... -exec ./x\ngo test -toolexec ./x\ngo test -toolexec=./x\ngo test -vettool=./x\ngo test -o y\ngo test -o=y\ngo test -c\ngo test -coverprofile=y\ngo test -cpuprofile y\ngo test -trace=y\ngo test -outputdir=y\ngo test -fuzz=x\ngo test -ldflags=-extld=./x\ngo test -gcflags=x\ngo test -gccgoflags=x\ngo test -compiler=gccgo\ngo test -overlay=y\ngo test -modfile=y\ngo test -mod=mod\ngo test -pkgdir=y\ngo test -C .. ./...\ngo -C .. test\ngo test -args -x\ngo test . -test.coverprofile=y\ngo test -v -run x -exec ./x\ngo build -o y\ngo build -toolexec=./x\ngo build -buildmode=c-shared\ngo build -work\ngo build -ldflags=-linkmode=external\ngo list -toolexec=./x\ngo list -export\ngo list -compiled\ngo list -f x -toolexec ./x\ngo list -mod=mod",
		"go run .\ngo run ./x\ngo run -exec ./x .\ngo run x.example/y@latest\ngo generate\ngo generate ./...\ngo install ./x\ngo get x\ngo env -w GOFLAGS=-exec=./x\ngo env -u X\ngo env --w X=y\ngo mod edit -require=x\ngo mod tidy\ngo work use .\ngo clean -cache\ngo fix ./...\ngo tool x\ngo bug\ngo telemetry on\ngo doc -http\ngo doc -http x\ngo fmt -modfile=x",
		"make SHELL=./x\nmake all SHELL=./x\nmake CC=./x\nmake -j SHELL=./x\nmake -f y\nmake -fy\nmake --file=y\nmake --fi=y\nmake --makefile y\nmake --eval=x\nmake --ev=x\nmake -C ..\nmake -C..\nmake --dir=..\nmake -I y\nmake -ef y\nmake -o y\nmake -W y\nmake -kf y\nnpm test --script-shell=./x\nnpm test --script-sh=./x\nnpm run --script=./x y\nnpm test --node-options=--require=./x\nnpm test --prefix ..\nnpm -C .. test\nnpm test -- --x\nnpm run x --prefix=..\nnpm --script-shell=./x test\nnpm exec x\nnpx x\nnpm install\nnpm i x\nnpm ci\nnpm publish\nnpm explore x -- ./x\nnpm config set script-shell ./x\nyarn run x\nyarn x\npnpm dlx x\npnpm exec x\nbun test",
		"cargo test --config=x\ncargo test --config target.x.runner='./x'\ncargo build --target-dir=y\ncargo test --manifest-path=../y\ncargo build -Zx\ncargo --config x test\ncargo +x test\ncargo test +x\ncargo run\ncargo install x\ncargo fix\ncargo clippy --fix\ncargo x\ncargo bench\ncargo fmt -- --config-path=x\npytest -p x\npytest -px\npytest -c x\npytest -o x=y\npytest -vp x\npytest @x\npytest --rootdir=..\npytest --basetemp=.\npytest --pdbcls=x:y\npytest --junitxml=y\npython -m pytest -p x\npython -m x\npython -c x\npython x.py\npython3 -m pytest @x",
		"cp -t y x\ncp --target-directory=y x\ncp -S x -b y z\nrm --no-preserve-root -r /\nmv -t y x\nmkdir -Z x\ngit mv --x y z",

		// Programs that golem does not know, and programs that start others.
		"./x y\n./cat y\n/tmp/cat y\n/bin/cat y\nx y\nenv cat y\nenv -i x\nxargs cat y\nsudo cat y\ntimeout 1 cat y\nnice cat y\nnohup cat y\ntime cat y\nsh -c x\nsh x\nbash x\neval x\nexec x\ncommand cat y\nbuiltin cat y\n. ./x\nsource x\nbusybox cat y\nxxd -r y z\nsed -n p x\nsed s/a/b/e x\nawk x y\nperl x\nnode x\ntar -xf x\ntar --to-command=./x -xf y\ncurl x\nwget x\nssh x y\nscp -S ./x y z\nrsync -e ./x y z\nless x\nmore x\nman x\nvi x\nzip -TT ./x y z\ndocker run x\nkubectl get pods\nchmod +x y\nln -s x y\ndd if=x of=y\nprintf -v x y\ntest -v x\nread x\nexport PATH=.\nalias echo=./x\nset -x y\ntrap ./x EXIT\nenable -f ./x y\nhash -p ./x cat\nmapfile -C ./x y\ncomplete -C ./x y\nwatch x\nparallel x\nstrace -o y x\nsplit --filter=./x y\nprettier --write x\neslint --fix x\nhostname x\ninstall x y\ntruncate -s 0 x",
	} {
		for _, command := range strings.Split(lines, "\n") {
			asksAlways(t, command)
		}
	}
}

// Programs accept abbreviated long options, so no beginning of a dangerous option is covered,
// with its value in the next word, after = or missing.
func TestBeginningsOfDangerousOptionsAsk(t *testing.T) {
	for command, options := range map[string]string{
		"git grep x":     "open-files-in-pager ext-grep no-index recurse-submodules textconv",
		"git log":        "output output-indicator-new ext-diff textconv show-signature stdin exec-path config-env",
		"git show":       "output ext-diff textconv show-signature",
		"git diff":       "output ext-diff textconv no-index",
		"git stash show": "output ext-diff textconv", "git shortlog": "output ext-diff textconv", "git rev-list": "output ext-diff disk-usage",
		"git blame x": "contents textconv", "git ls-files": "exclude-from exclude-per-directory recurse-submodules", "git cat-file": "textconv filters batch-command",
		"git branch": "edit-description delete move copy set-upstream-to unset-upstream create-reflog force track", "git branch --list": "edit-description delete move copy set-upstream-to",
		"git tag --list": "delete sign edit file local-user", "git commit": "gpg-sign edit template file reedit-message trailer patch interactive fixup", "git add": "edit patch interactive chmod",
		"git clone": "upload-pack config template", "git fetch": "upload-pack", "git pull": "upload-pack", "git push": "receive-pack exec", "git ls-remote": "upload-pack exec", "git rebase": "exec strategy", "git archive": "output exec remote", "git difftool": "extcmd tool", "git": "exec-path config-env git-dir work-tree",
		"sort x": "output compress-program files0-from temporary-directory random-source", "rg x": "pre hostname-bin search-zip", "diff a b": "paginate", "date": "set file", "file x": "compile magic-file uncompress",
		"make": "eval file makefile directory include-dir environment-overrides", "npm test": "script-shell node-options prefix userconfig globalconfig", "npm run x": "script-shell node-options prefix",
		"cargo test": "config target-dir manifest-path", "go test": "exec toolexec vettool outputdir overlay modfile", "go vet": "vettool toolexec", "pytest": "rootdir basetemp confcutdir pdbcls junitxml override-ini plugin",
		"cp a b": "target-directory suffix", "mv a b": "target-directory suffix", "rm a": "no-preserve-root",
	} {
		for _, o := range strings.Fields(options) {
			for i := 1; i <= len(o); i++ {
				for _, form := range []string{" --" + o[:i], " --" + o[:i] + "=./x", " --" + o[:i] + " ./x", " -- --" + o[:i] + "=./x", " -" + o[:i] + "=./x"} {
					if !strings.HasPrefix(form, " --") && !strings.HasPrefix(command, "go ") {
						continue // only go takes words after one dash
					}
					for _, p := range []string{"*", command + " *", command + " * *"} {
						if settled(t, "sh", command+form, commandRules(PreApproved, p)...) == PreApproved {
							t.Errorf("%q is preApproved by %q", command+form, p)
						}
					}
				}
			}
		}
	}
}

// Ordinary commands are still covered by ordinary patterns.
func TestOrdinaryCommandsFit(t *testing.T) {
	for pattern, lines := range map[string]string{
		"*":         "ls\nls -la src\nls *.go\ncat a b\ncat -A *.go\nhead -n 5 x\nhead -5 x\ntail -n +3 x\nwc -l *.go\npwd\nwhoami\necho hi\ncut -d, -f1 x\ntr a b\nstat x\ndu -sh .\ndf -h\nsha256sum x\ncmp a b\nwhich go\ndate\ndate +%F\ndate -u +%s\ndate -d yesterday +%F\nfile x\nfile --mime-type x\ntree -L 2 -I node_modules\ndiff -u a b\ndiff -ruN a b\nuniq -c\nsort -rn x\nsort -t, -k2,3 x\nsort -u x.txt\nsort x | uniq -c | sort -rn | head -3\nuname -a\njq -r .a x.json\ngit --version\ngo version\ngit --no-pager log -3\ngit --no-pager diff --stat",
		"grep *":    "grep x y\ngrep -rn x .\ngrep -rn x --include=*.go .\ngrep -rnE 'a|b' src/*.go\ngrep -A3 -B 2 x y\ngrep -e x -e y z\ngrep --color=never -c x y\ngrep -rl x --exclude-dir={.git,node_modules} .\ngrep x ~/y",
		"rg *":      "rg x\nrg -n x src\nrg -g '*.go' x\nrg --files\nrg -i -C 3 x\nrg --type=go x\nrg --hidden --glob '!x' y",
		"find *":    "find . -name '*.go'\nfind . -type f -name x -o -name y\nfind src -maxdepth 2 -not -path './x/*'\nfind . -size +1M -mtime -7 -print0\nfind . '(' -name a -or -name b ')' -print\nfind . ! -name x",
		"gofmt *":   "gofmt -l .\ngofmt -d x.go",
		"gofmt -w*": "gofmt -l .",
		"git *":     "git status -s\ngit status --porcelain=v1\ngit diff\ngit diff HEAD~1\ngit log -1\ngit show HEAD:x\ngit branch\ngit branch -a\ngit branch -vv\ngit branch --show-current\ngit branch --list 'x*'\ngit tag\ngit tag -l 'v*'\ngit remote -v\ngit remote get-url origin\ngit stash list\ngit stash show -p\ngit worktree list\ngit reflog\ngit reflog -5\ngit describe --tags --always\ngit rev-parse HEAD\ngit rev-parse --show-toplevel\ngit rev-parse --abbrev-ref HEAD\ngit merge-base main HEAD\ngit cat-file -p HEAD\ngit ls-tree -r HEAD\ngit shortlog -sn\ngit for-each-ref --sort=-creatordate --count=3\ngit check-ignore -v x",
		"git log *": "git log -1\ngit log --oneline\ngit log --oneline -n 5\ngit log -n5 --stat\ngit log --oneline --graph --all\ngit log -p -- x\ngit log --since='2 weeks ago' --author=x\ngit log --pretty=format:%h\ngit log --format='%h %s' main..x\ngit log HEAD~3..HEAD^ -S foo -- src/*.go\ngit log --grep x -i\ngit log -L1,5:x\ngit log --follow x\ngit log --name-only -3\ngit log --no-merges --first-parent",
		"git diff *": "git diff --stat\ngit diff --cached\ngit diff --staged --name-only\ngit diff HEAD~3 -- src/x.go\ngit diff main...x\ngit diff main..x/y\ngit diff -w -U0\ngit diff --name-status --diff-filter=AM\ngit diff HEAD:a HEAD:b\n" +
			"git diff --word-diff=color --no-color\ngit diff -M50 a b\ngit diff --exit-code --quiet",
		"git grep *": "git grep foo\ngit grep -n foo\ngit grep -in foo -- src\ngit grep -e a --and -e b\ngit grep -nE 'a|b' HEAD\ngit grep -l foo main\ngit grep -C2 -w foo\ngit grep -c foo", "git blame *": "git blame x\ngit blame -L 1,5 x\ngit blame -w -C -C x\ngit blame --line-porcelain x",
		"git show *": "git show HEAD\ngit show --stat HEAD~2\ngit show HEAD:src/x\ngit show --name-only --format= HEAD", "git ls-files *": "git ls-files -m\ngit ls-files --others --exclude-standard\ngit ls-files src",
		"git add *": "git add .\ngit add -A\ngit add -u src/*.go", "git commit *": "git commit -m 'a b'\ngit commit -am x\ngit commit --amend --no-edit\ngit commit -m x --quiet", "git checkout *": "git checkout main\ngit checkout -b x\ngit checkout -- x", "git switch *": "git switch -c x\ngit switch main",
		"go test *": "go test ./...\ngo test -v -run TestX ./x\ngo test -run='^TestX$' -count=1 ./...\ngo test -race -timeout 30s ./...\ngo test -short -json .\ngo test -bench . -benchmem ./x\ngo test -cover ./...",
		"go vet *":  "go vet ./...", "go build *": "go build ./...\ngo build -v .", "go env *": "go env GOPATH\ngo env -json", "go list *": "go list ./...\ngo list -m all\ngo list -f '{{.Dir}}' ./x\ngo list -deps -json .", "go doc *": "go doc fmt\ngo doc -all fmt.Println",
		"make *": "make all\nmake test lint\nmake -j4 all\nmake -j 4\nmake -k -s x\nmake --jobs=2", "npm test *": "npm test x\nnpm test --silent", "npm run *": "npm run build\nnpm run test:unit", "npm *": "",
		"cargo test *": "cargo test x\ncargo test --release -p x\ncargo test x -- --nocapture\ncargo test -q --workspace", "cargo build *": "cargo build --release\ncargo build -vv", "pytest *": "pytest tests\npytest -xvs tests/test_a.py::test_b\npytest -k x -q", "python -m pytest *": "python -m pytest -q tests",
		"rm build/*": "rm build/a", "rm -rf build/*": "rm -rf build/a", "mkdir *": "mkdir -p a/b", "cp * dest/*": "cp a dest/b", "touch *": "touch a", "mv src/* lib/*": "mv src/a lib/a",
	} {
		for _, command := range strings.Split(lines, "\n") {
			if got := settled(t, "sh", command, commandRules(PreApproved, pattern)...); got != PreApproved && command != "" && !strings.HasSuffix(pattern, "w*") {
				t.Errorf("%q is %q, not preApproved by %q", command, got, pattern)
			}
		}
	}
}

// A command that writes, or runs the project's code, is allowed only by a pattern that names
// it. A list of words is not a wildcard, so it may also name programs that golem does not
// know.
func TestPatternsNameWhatWrites(t *testing.T) {
	for _, command := range []string{"git commit -m x", "git add .", "go test ./...", "go build .", "make all", "npm test", "npm run x", "cargo test", "rm x", "cp a b", "tee x", "gofmt -w x", "go env GOPATH", "go list .", "pytest x"} {
		first, _, _ := strings.Cut(command, " ")
		for _, p := range []string{"*", "**", "* *", first[:1] + "* *", "?" + first[1:] + " *"} {
			if got := settled(t, "sh", command, commandRules(PreApproved, p)...); got == PreApproved {
				t.Errorf("%q is preApproved by %q", command, p)
			}
		}
	}
	for _, command := range []string{"git commit -m x", "go test ./...", "npm test"} {
		first, _, _ := strings.Cut(command, " ")
		if got := settled(t, "sh", command, commandRules(PreApproved, first+" *", first+" {commit,t*} *")...); got == PreApproved {
			t.Errorf("%q is preApproved by a pattern without its subcommand", command)
		}
	}
	for command, pattern := range map[string]string{"./x build": "./x {build,test}", "git push origin main": "git  push origin main", "git bisect run ./x": "git bisect 'run' ./x", "deploy '*'": `deploy \*`} {
		if got := settled(t, "sh", command, commandRules(PreApproved, pattern)...); got != PreApproved {
			t.Errorf("%q is %q, not preApproved by %q", command, got, pattern)
		}
	}
}

// The shell expands * and {a,b} to words that may be options, because a file can be called
// --open=./x. So a command that equals the pattern is checked like any other.
func TestExpandedWordsMayBeOptions(t *testing.T) {
	for _, c := range []string{"git grep *", "git grep x *", "git grep {-O./x,y}", "git log *.c", "git grep ?x y", "git grep [x-]y", "git diff src/*", "sort *", "sort {-o,x} y", "find * -name x", "find . {-exec,./x} +", "{git,log} -1", "git {log,-x}", "git gr* x", "git grep -n{O./x,} x", "git log --{output=x,all}", "go test *", "make *", "rm *", "rm {-x,y}"} {
		for _, p := range append(widest(c), c) {
			if p == c && !strings.Contains(c, " *") && !strings.Contains(c, " ?") && !strings.Contains(c, " [") {
				continue // exactly this command was allowed, and the beginning of each word is known
			}
			if got := settled(t, "sh", c, commandRules(PreApproved, p)...); got == PreApproved {
				t.Errorf("%q is preApproved by %q", c, p)
			}
		}
	}
	for _, c := range []string{"ls *.go", "prettier src/*.ts", "grep -r x --include=*.go", "for x in *.go; do gofmt -l $x; done", "make a?b"} {
		if got := settled(t, "sh", c, commandRules(PreApproved, c)...); got != PreApproved {
			t.Errorf("%q is %q with a rule for exactly this", c, got)
		}
	}
	for _, c := range []string{"git grep x src/*", "git grep x ./*", "cat *", "ls {a,-l}", "find src/* -name x", "git log -- src/{a,b}"} {
		if got := settled(t, "sh", c, commandRules(PreApproved, "*")...); got != PreApproved {
			t.Errorf("%q is %q", c, got)
		}
	}
}
