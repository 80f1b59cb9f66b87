package shell

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
)

// gitConfig knows what the configuration of the repositories in a directory starts. A
// command of git that only shows something starts what core.fsmonitor, a diff driver, a
// filter or gpg.program names, and a project brings its configuration along.
type gitConfig struct {
	dir string
	// home returns the home directory that is the commands' own and not the person's, so
	// that they can write its configuration; "" if there is none. It may be nil.
	home func() string
}

// Limits of what Starts looks at. A directory with more counts as one that starts programs.
const (
	maxGitEntries = 50_000
	maxGitConfigs = 64
	maxGitConfig  = 256 << 10 // bytes
	gitListing    = 10 * time.Second
)

// Starts returns what may be started, or "". It looks at every repository above and below
// the directory, because a command may change its directory, and at directories that git
// takes for a bare one. It reads the files that exist now.
func (g *gitConfig) Starts() string {
	dirs, why := g.repositories()
	if why != "" {
		return why
	}
	if g.home != nil && g.home() != "" {
		for _, name := range []string{".gitconfig", ".config/git/config"} {
			if name = filepath.Join(g.home(), name); exists(name) {
				if why := configStarts(name); why != "" {
					return why
				}
			}
		}
	}
	read := 0
	for _, dir := range dirs {
		if dir == "" {
			return "a repository that golem cannot read"
		}
		if exists(filepath.Join(dir, "hooks", "post-index-change")) {
			return "the hook post-index-change"
		}
		configs, err := configFiles(dir)
		if err != nil {
			return "a repository that golem cannot read"
		}
		for _, name := range configs {
			if read++; read > maxGitConfigs {
				return "more repositories than golem looks through"
			}
			if why := configStarts(name); why != "" {
				return why
			}
		}
	}
	return ""
}

// repositories returns the directories of git at, above and below the directory.
func (g *gitConfig) repositories() (dirs []string, why string) {
	seen := 0
	for at := filepath.Dir(g.dir); ; at = filepath.Dir(at) {
		dirs = append(append(dirs, gitDirs(filepath.Join(at, ".git"))...), bareDirs(at)...)
		if at == filepath.Dir(at) {
			break
		}
	}
	err := filepath.WalkDir(g.dir, func(name string, d fs.DirEntry, err error) error {
		if seen++; seen > maxGitEntries {
			return io.EOF
		}
		switch {
		case err != nil:
			return fs.SkipDir // git cannot read it either
		case strings.EqualFold(d.Name(), ".git"):
			dirs = append(dirs, gitDirs(name)...)
			if d.IsDir() {
				return fs.SkipDir
			}
		case d.IsDir():
			dirs = append(dirs, bareDirs(name)...)
		}
		return nil
	})
	if err != nil {
		return nil, "repositories among more files than golem looks through"
	}
	return dirs, ""
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// bareDirs returns the directories of a repository that git takes dir itself for, or none.
// objects and refs of such a directory may be in another one, which commondir names.
func bareDirs(dir string) []string {
	has := func(name string) bool { return exists(filepath.Join(dir, name)) }
	if has("HEAD") && (has("objects") && has("refs") || has("commondir")) {
		return gitDirs(dir)
	}
	return nil
}

// gitDirs returns what a name .git stands for: itself, or the directory that the file
// names, with the one that it shares with others. It returns "" for a name that golem does
// not read as git does.
func gitDirs(name string) []string {
	info, err := os.Stat(name)
	if err != nil {
		return nil
	}
	dir := name
	if !info.IsDir() {
		dir = named(name, "gitdir: ")
	}
	if dir == "" || !exists(filepath.Join(dir, "commondir")) {
		return []string{dir}
	}
	return []string{dir, named(filepath.Join(dir, "commondir"), "")}
}

// named returns the directory that a file of git names after a prefix, or "".
func named(file, prefix string) string {
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 4<<10 {
		return ""
	}
	data, err := os.ReadFile(file)
	text, ok := strings.CutPrefix(strings.TrimRight(string(data), "\r\n"), prefix)
	if err != nil || !ok || text == "" || strings.ContainsFunc(text, unicode.IsControl) {
		return ""
	}
	if !filepath.IsAbs(text) {
		text = filepath.Join(filepath.Dir(file), text)
	}
	return text
}

// configFiles returns the configuration of a repository and of its submodules and
// worktrees.
func configFiles(dir string) (out []string, err error) {
	for _, name := range []string{"config", "config.worktree"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			out = append(out, filepath.Join(dir, name))
		}
	}
	for _, below := range []string{"modules", "worktrees"} {
		seen := 0
		err = filepath.WalkDir(filepath.Join(dir, below), func(name string, d fs.DirEntry, err error) error {
			switch seen++; {
			case seen > maxGitEntries:
				return io.EOF
			case os.IsNotExist(err):
				return nil
			case err != nil:
				return err
			case d.IsDir() && slices.Contains([]string{"objects", "refs", "logs"}, d.Name()):
				return fs.SkipDir
			case d.Name() == "config" || d.Name() == "config.worktree":
				out = append(out, name)
			case d.Name() == "post-index-change":
				return fs.ErrExist
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// configStarts returns the first setting of a configuration file that may start a program.
// git itself reads the file: no other reader could be sure to read it as git does. git
// starts nothing for that, and includes are not followed: they count as unknown.
func configStarts(name string) string {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxGitConfig {
		return "a configuration that golem cannot read"
	}
	ctx, stop := context.WithTimeout(context.Background(), gitListing)
	defer stop()
	cmd := exec.CommandContext(ctx, "git", "config", "--file", name, "--no-includes", "--null", "--list")
	cmd.Dir = filepath.Dir(filepath.VolumeName(name) + string(filepath.Separator))
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_DIR="+os.DevNull)
	out, err := cmd.Output()
	if err != nil {
		return "a configuration that git cannot read"
	}
	for _, one := range bytes.Split(out, []byte{0}) {
		if key, value, _ := strings.Cut(string(one), "\n"); key != "" && !harmlessSetting(key, value) {
			return "the setting " + key
		}
	}
	return ""
}

// settings are the settings that start nothing: an allow-list, because new versions of git
// bring new ones. Keys are in lower case, as git lists them, except their middle part.
var settings = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(` +
		`core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|abbrev|compression|loosecompression|quotepath|sparsecheckout|sparsecheckoutcone|untrackedcache|preloadindex|commentchar|whitespace|bigfilethreshold|longpaths|hidedotfiles|protecthfs|protectntfs|trustctime|checkstat|splitindex|multipackindex|commitgraph|worktree|excludesfile|attributesfile|sharedrepository|fscache)` +
		`|extensions\.(objectformat|worktreeconfig|refstorage|preciousobjects|relativeworktrees|noop)` +
		`|(user|author|committer)\.(name|email|signingkey|useconfigonly)` +
		`|remote\..*\.(url|pushurl|fetch|push|tagopt|prune|prunetags|mirror|skipdefaultupdate|skipfetchall|gh-resolved)|remote\.pushdefault` +
		`|branch\..*|submodule\..*\.(url|active|branch|ignore|shallow)|submodule\.(active|recurse|fetchjobs)` +
		`|(pull|push|fetch|init|color|column|status|gc|maintenance|pack|index|feature|advice|help|i18n|rerere|clone|checkout|stash|tag|versionsort|blame|grep|notes|commitgraph|lfs\..*)\.(?:[a-z0-9]+\.)*(rebase|ff|default|autosetupremote|followtags|recursesubmodules|prune|prunetags|all|parallel|defaultbranch|ui|branch|diff|status|grep|interactive|decorate|showstash|short|relativepaths|showuntrackedfiles|submodulesummary|auto|autodetach|autopacklimit|aggressivewindow|logexpiry|pruneexpire|reflogexpire|strategy|threads|window|depth|version|manyfiles|sort|suffix|coloring|showemail|showroot|date|linenumber|extendedregexp|patterntype|column|enabled|access|locksverify|commitencoding|logoutputencoding|writecommitgraph|generationversion|autocorrect|detachedhead|statushints)` +
		`|diff\.(renames|algorithm|context|colormoved|colormovedws|mnemonicprefix|noprefix|ignoresubmodules|interhunkcontext|renamelimit|statgraphwidth|indentheuristic|wserrorhighlight|relative|submodule|suppressblankempty)` +
		`|log\.(date|decorate|abbrevcommit|follow|showroot|mailmap|graphcolors|diffmerges)|merge\.(ff|conflictstyle|renames|renamelimit|stat|log|directoryrenames|autostash)|rebase\.(autosquash|autostash|updaterefs|stat)|lfs\.repositoryformatversion|gui\..*|github\..*` +
		`|(http|credential|url)\..*` + // for connections, which no such command makes: a partial clone is not in this list
		`)$`)
})

// lfs are the settings of Git LFS, with the values that its installation writes.
var lfs = map[string]string{
	"filter.lfs.clean": "git-lfs clean -- %f", "filter.lfs.smudge": "git-lfs smudge -- %f", "filter.lfs.process": "git-lfs filter-process", "filter.lfs.required": "true",
}

func harmlessSetting(key, value string) bool {
	switch {
	case lfs[key] != "":
		return value == lfs[key]
	case key == "core.fsmonitor", key == "log.showsignature":
		return value == "false" || key == "core.fsmonitor" && value == "true"
	}
	return settings().MatchString(key)
}
