package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// program is a program that was built.
type program struct {
	source string // its package, ./cmd/cli
	path   string // of the file
}

// programs builds golem and golem-queue for a system.
func (o options) programs(system, work string) ([]program, error) {
	goos, goarch, _ := strings.Cut(system, "/")
	dir := filepath.Join(work, goos+"-"+goarch)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	ending := ""
	if goos == "windows" {
		ending = ".exe"
	}
	env := []string{"GOOS=" + goos, "GOARCH=" + goarch, "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false"}
	golem := program{"./cmd/cli", filepath.Join(dir, "golem"+ending)}
	queue := program{"./cmd/golem-queue", filepath.Join(dir, "golem-queue"+ending)}
	linked := fmt.Sprintf("-s -w -buildid= -X main.version=%s -X main.commit=%s -X main.date=%s", o.version, o.commit, o.date.Format(time.RFC3339))
	if _, err := outputWith(env, ".ci/build.sh", golem.path, "-ldflags", linked); err != nil {
		return nil, err
	}
	_, err := outputWith(env, ".ci/build.sh", "-queue", queue.path, "-ldflags", "-s -w -buildid=")
	return []program{golem, queue}, err
}

// shells are the shells that golem has completions for, with the names that their files need.
var shells = []struct{ shell, file string }{
	{"bash", "golem.bash"}, {"zsh", "_golem"}, {"fish", "golem.fish"}, {"powershell", "golem.ps1"},
}

// everywhere returns the files that the archives of all systems have: completions, which a
// golem for this machine writes, and manual pages, which a test writes that has the table of
// commands.
func everywhere(o options, work string) ([]entry, error) {
	made, err := o.programs(runtime.GOOS+"/"+runtime.GOARCH, work)
	if err != nil {
		return nil, err
	}
	var files []entry
	for _, s := range shells {
		text, err := outputWith([]string{"HOME=" + work, "GOLEM_HOME=" + filepath.Join(work, "home")}, made[0].path, "completion", s.shell)
		if err != nil {
			return nil, err
		}
		files = append(files, entry{name: "completions/" + s.file, data: []byte(text + "\n")})
	}
	tests := filepath.Join(work, "tests")
	if _, err := output(".ci/build.sh", "-tests", tests); err != nil {
		return nil, err
	}
	pages := filepath.Join(work, "man1")
	env := []string{"GOLEM_MANUAL=" + pages, "GOLEM_MANUAL_SOURCE=golem " + o.version, "GOLEM_MANUAL_DATE=" + o.date.Format(time.RFC3339)}
	if _, err := outputWith(env, tests, "-test.run", "^TestManual$"); err != nil {
		return nil, err
	}
	err = fs.WalkDir(os.DirFS(pages), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(pages, name))
		files = append(files, entry{name: "man/man1/" + name, data: data})
		return err
	})
	return files, err
}

// readme returns the text of the archive for a system.
func (o options) readme(system string) string {
	goos, _, _ := strings.Cut(system, "/")
	install := `Copy the programs, the manual pages and the completion of your shell, for example for you alone:

    mkdir -p ~/.local/bin ~/.local/share/man/man1 ~/.local/share/bash-completion/completions
    cp golem golem-queue ~/.local/bin/
    cp man/man1/* ~/.local/share/man/man1/
    cp completions/golem.bash ~/.local/share/bash-completion/completions/golem
    export PATH="$HOME/.local/bin:$PATH"

The last line is for this terminal. For the next ones, add it to ~/.profile, or to
~/.zprofile for zsh.

zsh reads ` + "`completions/_golem`" + ` from a directory of its fpath, fish reads
` + "`completions/golem.fish`" + ` from ~/.config/fish/completions.
`
	if goos == "darwin" {
		install += "\nThe programs are not notarised by Apple. If macOS refuses them: xattr -d com.apple.quarantine ~/.local/bin/golem\n"
	}
	if goos == "windows" {
		install = `Copy golem.exe to a directory that is in PATH. For completions, add this to $PROFILE of PowerShell:

    golem completion powershell | Out-String | Invoke-Expression
`
	}
	return fmt.Sprintf(`# golem %s for %s

golem runs LLM workers that can do only what you allow: in a terminal, or in a
browser tab without a server. This is commit %s.

## Install

%s
## Begin

    golem version
    golem init first
    golem run first "What is in input?"
    golem docs start

A script answers in this project, not a model. The last command shows how to
write a worker of your own, without a key. Then: `+"`golem docs tools`, `golem docs test-a-prompt`"+`,
and `+"`golem docs`"+` for all pages. `+"`golem web --open`"+` opens the page.
`+"`golem-queue`"+` is the server for batches on many machines: you need it for nothing else.

## What is here

| file | what |
|---|---|
| LICENSE | golem's license, MIT |
| NOTICES.txt | the licenses of the works of others that these programs contain |
| sbom.cdx.json | what these programs contain, with versions (CycloneDX) |
| completions | for bash, zsh, fish and PowerShell |
%s`, o.version, system, o.commit, install, map[bool]string{true: "", false: "| man | manual pages |\n"}[goos == "windows"])
}
