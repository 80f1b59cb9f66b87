# golem. `make run` runs an example, `make test` runs all checks.
.DEFAULT_GOAL := build
.PHONY: build queue web site jsengine fixtures spec tools plugins prices run test check quick attack long cross release pictures webkit bench cover fuzz setup clean

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
COMMIT := $(shell git rev-parse --short=12 HEAD 2>/dev/null)
COMMITTED := $(shell git log -1 --format=%cI 2>/dev/null)
FUZZTIME ?= 20s
RUNS ?= 5

build:
	@mkdir -p bin
	.ci/build.sh bin/golem -ldflags '-s -w -X main.version=$(VERSION) -X main.commit=$(COMMIT) -X main.date=$(COMMITTED)'

# The server for batches on many machines (docs/batches.md).
queue:
	@mkdir -p bin
	.ci/build.sh -queue bin/golem-queue -ldflags '-s -w'

# Builds the page as static files in web/dist; after that make build includes it for golem web.
web:
	@.ci/setup.sh web
	@cd web && npm ci --include=dev --silent
	GOLEM_VERSION='$(VERSION)' go run ./web/build small

# Makes the documentation as static pages in build/site.
site:
	go run ./docs/site/write

# Looks for the programs that make test needs, and installs missing ones.
setup:
	@.ci/setup.sh check

# Runs a whole example project, offline; EXAMPLE=calculator selects another one.
EXAMPLE ?= pitch-deck
run:
	@.ci/setup.sh build
	@$(MAKE) --no-print-directory build
	@.ci/demo.sh $(EXAMPLE)

test: setup
	@.ci/check.sh test

# All that make test does, with the race detector and Node for every package, and a cross-build.
check: setup
	@.ci/check.sh check

quick:
	@.ci/check.sh quick

# Attacks golem with many more tries than make test has: the tests in files with the build tag
# attack, whose names begin with TestAttack. Takes about 20 minutes.
attack: web
	@.ci/setup.sh long
	go test -vet=off -count=1 -timeout 60m -tags attack -run '^TestAttack' $$(git grep -lE '^//go:build attack$$' -- '*_test.go' | xargs -n1 dirname | sort -u | sed 's#^#./#')

# The tests that take too long for make test: files with the build tag long, names that begin
# with TestLong.
long: web
	@.ci/setup.sh long
	@.ci/check.sh packages
	go test -vet=off -count=1 -timeout 90m -tags long -run '^TestLong' $$(git grep -lE '^//go:build long$$' -- '*_test.go' | xargs -n1 dirname | sort -u | sed 's#^#./#')

# Builds golem for Linux, macOS and Windows, each for amd64 and arm64, in build/.
cross: web
	@.ci/check.sh cross

# Makes a release in build/release: make release VERSION=v1.2.3 [KEY=FILE]. CONTRIBUTING.md has
# the steps.
KEY ?=
release: web
	go run ./release -version '$(VERSION)' -key '$(KEY)'

# Makes the pictures of the README again, after what they show has changed.
pictures: web
	GOLEM_UPDATE=1 go test -count=1 -run '^TestPictureOf' ./cmd/cli ./web

# Tests the page in a third browser, WebKitGTK, where its files are in memory. Not part of make test.
webkit: web
	@.ci/setup.sh webkit
	go test -count=1 -tags webkit -run 'TestWebKit$$' ./web
	@tail -n 1 build/parity-webkit.txt

bench: build
	@mkdir -p build
	go build -o build/mock ./bench/mock
	go build -o build/measure ./bench/measure
	./build/measure -golem bin/golem -mock build/mock -runs $(RUNS)
	go run ./bench/tools

cover:
	@mkdir -p build
	go test -coverpkg=./core/...,./cmd/...,./sandbox/... -coverprofile=build/cover.out ./...
	go tool cover -func=build/cover.out | tail -n 1
	go tool cover -html=build/cover.out -o build/cover.html
	@echo "line by line: build/cover.html"

# Runs every fuzz target for FUZZTIME each, and the property tests with new random cases.
fuzz:
	@.ci/fuzz.sh $(FUZZTIME)

# For developers: builds the modules of the example projects from examples/tools.
tools: build
	examples/tools/build.sh

# For developers: builds the plug-ins that use public Extism PDKs, from npm and from the Go proxy.
plugins:
	cd examples/tools/vowels && npm ci && npm run build
	cd examples/tools/shout && GOOS=wasip1 GOARCH=wasm go build -trimpath -buildvcs=false -ldflags='-s -w' -buildmode=c-shared -o shout.wasm .

# For developers: builds the hostile modules from their sources; needs wat2wasm (wabt), clang, lld and wasi-libc.
fixtures:
	@missing=; command -v wat2wasm >/dev/null || missing="$$missing wat2wasm (wabt)"; \
	command -v clang >/dev/null || missing="$$missing clang"; command -v wasm-ld >/dev/null || missing="$$missing wasm-ld (lld)"; \
	echo 'int main(void){return 0;}' | clang --target=wasm32-wasi -x c -fsyntax-only -include stdio.h - 2>/dev/null || missing="$$missing wasi-libc"; \
	test -z "$$missing" || { echo "make fixtures: missing:$$missing; apt-get install wabt clang lld wasi-libc libclang-rt-dev-wasm32"; exit 1; }
	cd core/wasmtool/enginetest/testdata && for f in *.wat; do wat2wasm --enable-tail-call $$f -o $${f%.wat}.wasm || exit 1; done
	cd core/wasmtool/testdata/foreign && for f in *.wat; do wat2wasm --enable-all $$f -o $${f%.wat}.wasm || exit 1; done
	cd core/wasmtool/enginetest/testdata && clang --target=wasm32-wasi -O2 -s -Wall -o words.wasm words.c
	cd core/wasmtool/enginetest/testdata && clang --target=wasm32 -nostdlib -O2 -Wall -Wl,--no-entry -Wl,--strip-all -Wl,-z,stack-size=16384 -o sum.wasm sum.c
	cd core/wasmtool/enginetest/testdata && clang --target=wasm32 -nostdlib -Oz -Wall -Wl,--no-entry -Wl,--strip-all -Wl,-z,stack-size=16384 -o wasi.wasm wasi.c
	GOLEM_UPDATE=1 go test -count=1 -run TestUpdate ./core/wasmtool/enginetest/

# For developers: runs the tests of the WebAssembly specification, with the guard and
# without. They are in wazero's source in Go's module cache. Takes about a minute.
spec:
	go test -count=1 -tags spec -run Spec ./core/wasmtool/guard

# For developers: builds the JavaScript engine of tools, core/jstool/embedded, from QuickJS-NG
# (Go module proxy) and @babel/parser (npm). The same versions give the same bytes.
jsengine:
	@.ci/setup.sh jsengine
	go run ./.ci/jsengine

# For developers: writes the table of prices from charm.land/catwalk.
prices:
	go run ./.ci/prices

clean:
	rm -rf bin build
