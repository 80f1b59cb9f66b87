package started

import (
	"path"
	"slices"
	"strings"
)

// markers are the files that make a directory a package.
var markers = []string{
	"package.json", "deno.json", "deno.jsonc", "pyproject.toml", "setup.py", "requirements.txt", "Pipfile", "pyvenv.cfg", "go.mod", "Cargo.toml",
	"Gemfile", "composer.json", "pom.xml", "build.gradle", "build.gradle.kts", "build.sbt", "mix.exs", "pubspec.yaml", "Package.swift", "build.zig", "stack.yaml", "project.clj", "deps.edn",
}

// runners are the programs that run what files of the directory say, with the names of
// these files. If one of them exists, any file may run; otherwise the names are protected,
// so that no worker can make one.
var runners = map[string][]string{
	"make": {"Makefile", "makefile", "GNUmakefile"}, "gmake": {"Makefile", "makefile", "GNUmakefile"}, "ninja": {"build.ninja"}, "cmake": {"CMakeLists.txt", "CMakePresets.json"}, "meson": {"meson.build"},
	"just": {"justfile", "Justfile", ".justfile"}, "task": {"Taskfile.yml", "Taskfile.yaml", "Taskfile.dist.yml"}, "mise": {"mise.toml", ".mise.toml"}, "rake": {"Rakefile", "rakefile"},
	"npm": nodeFiles, "npx": nodeFiles, "pnpm": nodeFiles, "pnpx": nodeFiles, "yarn": nodeFiles, "bun": nodeFiles, "bunx": nodeFiles, "corepack": nodeFiles, "tsx": nodeFiles, "ts-node": nodeFiles, "nodemon": nodeFiles,
	"deno": {"deno.json", "deno.jsonc", "package.json", "node_modules"},
	"uv":   pythonFiles, "uvx": pythonFiles, "poetry": pythonFiles, "pipenv": {"Pipfile", ".env"}, "pdm": pythonFiles, "hatch": pythonFiles, "rye": pythonFiles, "tox": {"tox.ini", "pyproject.toml"}, "nox": {"noxfile.py"}, "pipx": pythonFiles,
	"cargo": {"Cargo.toml", ".cargo"}, "go": {"go.mod", "go.work", "vendor"}, "dotnet": {"global.json", "Directory.Build.props"}, "gradle": {"build.gradle", "build.gradle.kts", "settings.gradle"}, "gradlew": {"build.gradle", "build.gradle.kts"},
	"mvn": {"pom.xml", ".mvn"}, "mvnw": {"pom.xml", ".mvn"}, "ant": {"build.xml"}, "sbt": {"build.sbt", "project"}, "bazel": {"WORKSPACE", "MODULE.bazel", ".bazelrc"}, "composer": {"composer.json"}, "bundle": {"Gemfile", ".bundle"},
	"mix": {"mix.exs"}, "stack": {"stack.yaml"}, "lein": {"project.clj"}, "clojure": {"deps.edn"}, "zig": {"build.zig"}, "swift": {"Package.swift"}, "dart": {"pubspec.yaml"}, "nix": {"flake.nix", "default.nix", "shell.nix"}, "nix-shell": {"shell.nix", "default.nix"}, "direnv": {".envrc"},
	"docker": {"Dockerfile", "compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml"}, "docker-compose": {"compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml"}, "podman": {"Dockerfile", "Containerfile", "compose.yaml"},
	"node": {"node_modules", "package.json"},
}

// startups are the files of the directory that a program runs although nothing names them.
var startups = map[string][]string{"r": rFiles, "rscript": rFiles, "octave": {".octaverc"}, "octave-cli": {".octaverc"}}

var (
	rFiles      = []string{".Rprofile", ".Renviron"}
	nodeFiles   = []string{"package.json", "node_modules", ".npmrc", ".yarnrc", ".yarnrc.yml", "pnpm-workspace.yaml", "bunfig.toml", "tsconfig.json", "nodemon.json"}
	pythonFiles = []string{"pyproject.toml", "uv.toml", ".venv", ".python-version"}
)

// interpreters are the programs whose first argument without a dash is a script.
var interpreters = map[string]bool{
	"sh": true, "bash": true, "dash": true, "ash": true, "zsh": true, "ksh": true, "fish": true, "pwsh": true, "powershell": true, "cmd": true,
	"python": true, "pypy": true, "py": true, "node": true, "nodejs": true, "bun": true, "deno": true, "tsx": true, "ts-node": true, "ruby": true, "perl": true, "php": true, "lua": true, "luajit": true,
	"java": true, "rscript": true, "julia": true, "uv": true, "awk": true, "gawk": true, "sed": true, "tclsh": true, "guile": true, "racket": true, "elixir": true, "groovy": true, "kotlin": true, "go": true, "nodemon": true, "swift": true,
}

// codeExts are the extensions of files that interpreters and loaders run.
var codeExts = set(".py .pyc .pyd .pth .js .mjs .cjs .ts .mts .cts .jsx .tsx .node .sh .bash .zsh .fish .ps1 .bat .cmd .rb .pl .pm .php .lua .jar .java .class .so .dylib .dll .exe .r .jl .awk .sed .tcl .exs .ex .groovy .kts .go .rs .swift .scm .rkt .mk .wasm .rprofile .octaverc")

// tries are the extensions that interpreters add to a name.
var tries = []string{"", ".js", ".mjs", ".cjs", ".ts", ".py", "/index.js", "/index.mjs", "/index.ts", "/__main__.py", "/__init__.py"}

func set(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

// packagers are the programs that load a directory that they get before any script:
// python3 DIR, node ., uvx --from DIR.
var packagers = set("python pypy py node nodejs bun bunx deno tsx uv uvx pipx npx npm pnpm pnpx yarn go cargo php java make gmake just poetry pdm hatch ruby mix")

// wrappers start the program in their arguments.
var wrappers = set("env nice nohup setsid stdbuf timeout time sudo doas xargs command exec ionice chrt taskset unshare firejail bwrap systemd-run caffeinate cmd powershell pwsh sh bash dash ash zsh ksh fish start winpty busybox")

// subcommands are the words before the script of such a program.
var subcommands = set("run exec x tool dlx start test script task /c /C")

// known reports whether a program runs files of the directory.
func known(name string) bool { return interpreters[name] || runners[name] != nil }

// runner records what a program reads that runs files of the directory.
func (f *finder) runner(name string) {
	for _, file := range startups[name] {
		f.named(file)
	}
	for _, file := range runners[name] {
		if f.kind(file) != missing {
			f.widen(Any)
			continue
		}
		f.absent[file] = true
	}
}

// looksLikeCode reports whether a name has the extension of code.
func looksLikeCode(name string) bool { return codeExts[strings.ToLower(path.Ext(name))] }

// isCode reports whether a name is that of an existing file that looks like code: it has
// the extension of code, or may be executed.
func (f *finder) isCode(name string) bool {
	return f.kind(name) == regular && (looksLikeCode(name) || f.executable(name))
}

// IsCode reports whether a script may load a file of this name, which a worker changes.
func IsCode(name string) bool {
	return looksLikeCode(name) || path.Ext(name) == "" || slices.Contains(markers, path.Base(name))
}
