#!/usr/bin/env bash
# The checks of `make test`, `make check` and `make quick`. Each step is timed, and a summary comes
# at the end. The tests in browsers run at the same time as most others, because they wait for
# other processes much of the time and leave processors idle.
#
#   .ci/check.sh test     format, vet, sizes, tests without the longest, which .ci/long.txt and .ci/long-native.txt name
#   .ci/check.sh check    everything: also vet and tests for js/wasm, staticcheck, other systems, the race detector
#   .ci/check.sh packages the packages from npm alone
#   .ci/check.sh cross    golem for each system, within its budget; check builds the largest, windows/amd64
#   .ci/check.sh quick    format, vet, arrows, tests; without the race detector, Chromium and what .ci/slow.txt names
set -eu -o pipefail
cd "$(dirname "$0")/.."

mode=${1:-check}
export GOFLAGS=${GOFLAGS:-}
# A process with the race detector sleeps for a second at its end, and the tests of the
# command line start many processes.
export GORACE="${GORACE:-atexit_sleep_ms=10}"
# Property tests use the same random cases each time; make fuzz uses others.
export RAPID_SEED="${RAPID_SEED:-1}"
. .ci/flags.sh
by_directory
mkdir -p build
wasm_budget=$((4800 * 1000))   # bytes, of golem.wasm as the page loads it, and of build/core.wasm (gzip -9)
binary_budget=$((38 * 1000 * 1000))   # bytes, of the largest binary, which includes the page
summary=build/summary.txt
: >"$summary"

# Flags with which packages are compiled for tests that go test alone compiles: without inlining and
# without DWARF the compiler needs a third less time.
fast='-l -dwarf=false'

# step NAME COMMAND…: runs it, stops the check if it fails.
step() {
  local name=$1 start=$SECONDS status=0
  shift
  echo "== $name"
  # Not in a condition: there bash would ignore errexit inside the step.
  set +e
  (set -e; "$@") 3>&-
  status=$?
  set -e
  if [ "$status" -ne 0 ]; then
    echo "FAILED: $name" >>"$summary"
    if [ -n "$beside" ]; then echo "FAILED: $name" && echo "FAILED: $name" >&3; else cat "$summary"; fi
    exit 1
  fi
  name=$(printf '  ok  %3ds  %s' $((SECONDS - start)) "$name")
  echo "$name" >>"$summary"
  if [ -n "$beside" ]; then echo "$name" >&3; fi
}

beside=   # "yes" in the lists of steps that together runs

# together LIST…: runs lists of steps, each a function, at the same time. It prints the
# result of each step at once, and the output of the lists at the end, one after the other.
# If a list fails, the others still go on to their ends; then the check fails.
together() {
  local list i failed=0
  local -a lists=("$@") pids=()
  echo "== beside each other: $*"
  set -m # a process group for each list, so that an interrupt reaches its commands
  for list in "${lists[@]}"; do
    (beside=yes; "$list") 3>&1 >"build/$list.log" 2>&1 </dev/null &
    pids+=($!)
  done
  set +m
  trap 'for i in "${pids[@]}"; do kill -- "-$i" 2>/dev/null || true; done; exit 130' INT TERM
  for i in "${!pids[@]}"; do
    wait "${pids[$i]}" || failed=1
    cat "build/${lists[$i]}.log"
  done
  trap - INT TERM
  if [ "$failed" -ne 0 ]; then
    cat "$summary"
    exit 1
  fi
}

formatted() {
  local bad f
  # A large file, such as a built program that was added by mistake, stays in the history.
  bad=$(git ls-files -s | awk '{print $2}' | git cat-file --batch-check='%(objectsize) %(objectname)' | awk '$1 > 4000000')
  if [ -n "$bad" ]; then
    echo "a file of more than 4 MB is in the index (git ls-files -s names it):"
    echo "$bad"
    return 1
  fi
  local -a files=()
  while IFS= read -r f; do
    if [ -f "$f" ]; then files+=("$f"); fi
  done < <(git ls-files -co --exclude-standard -- '*.go')
  bad=$(gofmt -l "${files[@]}")
  if [ -n "$bad" ]; then
    echo "not formatted (gofmt -w):"
    echo "$bad"
    return 1
  fi
}

js() { env GOOS=js GOARCH=wasm GOFLAGS="$GOFLAGS '-gcflags=$fast'" "$@"; }

# as_released VERB ARGUMENTS…: runs go VERB so that packages are compiled as for a release. All
# steps for this machine but the race detector's use it, so that each package is compiled once.
as_released() {
  local verb=$1
  shift
  CGO_ENABLED=0 go "$verb" "${directory_flags[@]}" "$@"
}

# elsewhere SYSTEM/PROCESSOR PACKAGES…: prints those of the packages that have other files there
# than on this machine. "vet" and "staticcheck" check all others, whose files are the same.
elsewhere() {
  local form='{{.ImportPath}} {{.GoFiles}} {{.TestGoFiles}} {{.XTestGoFiles}}' target=$1
  shift
  comm -13 <(go list -f "$form" "$@" | sort) <(GOOS=${target%/*} GOARCH=${target#*/} go list -f "$form" "$@" | sort) | cut -d' ' -f1
}

js_packages() { elsewhere js/wasm ./core/... ./bench/jscore ./sandbox/opfs ./cmd/wasm; }

vet_js() { js go vet $(js_packages); }

# The tools are built for this machine first: `GOOS=js go tool` would build them for js.
build_tools() { as_released build -modfile=tools.mod -o build/ honnef.co/go/tools/cmd/staticcheck ./.ci/types; }

# golem is built for 64 bits only, but its packages compile for 32 as well. make cross builds
# golem for each system; compiling every dependency takes minutes.
types_elsewhere() {
  local target
  local -a all=(./core/... ./cmd/cli/... ./sandbox/osfs)
  ./build/types linux/386 "${all[@]}"
  for target in linux/arm64 darwin/arm64 windows/amd64; do
    ./build/types "$target" $(elsewhere "$target" "${all[@]}")
  done
}

# It looks at the export data of all packages, which go list compiles.
staticcheck() { CGO_ENABLED=0 GOFLAGS="$GOFLAGS$(printf " '%s'" "${directory_flags[@]}")" ./build/staticcheck ./...; }

staticcheck_js() { js ./build/staticcheck $(js_packages); }

# The environment has only what Node needs, because wasm_exec_node.js copies it into the
# module's memory, where it has little room. The stack is that of Go's go_js_wasm_exec. Node's
# optimizing compiler is off: it takes longer than it saves, most in short tests.
# core/approval/sh is left out: only the native shell toolset links it, and its tests of
# deeply nested commands use up Node's stack (a segmentation fault). The tests that
# .ci/nojs.txt names are left out too.
test_js() {
  local -a gotest=(js go test)
  tests -vet=off -timeout $limit -skip "$(patterns .ci/nojs.txt)" -exec "env -i PATH=$PATH HOME=$HOME RAPID_SEED=$RAPID_SEED node --stack-size=8192 --liftoff-only $(go env GOROOT)/lib/wasm/wasm_exec_node.js" -- $(go list ./core/... | grep -v '/core/approval/sh$')
}

# The packages whose tests drive Chromium and Firefox. They run without the race detector:
# most of their code runs in the browser, where it finds nothing.
chromium='^golem/(web|web/webtest|sandbox/opfs|cmd/wasm)$'

# The limit for a test that hangs. No test measures time, so it is long enough for a busy machine.
limit=80m

# tests FLAGS… -- PACKAGES…: runs the command gotest, which is go test. Up to three tests that
# fail are run once more, because they wait for browsers and other processes on a machine that
# may do other things; the summary names those that pass then, and their first output stays in
# the log. A data race, a panic and a program that does not compile fail at once.
gotest=(as_released test)
tests() {
  local out again package names status=0
  local -a flags=()
  while [ "$1" != -- ]; do
    flags+=("$1")
    shift
  done
  shift
  out=$(mktemp)
  "${gotest[@]}" "${flags[@]}" "$@" 2>&1 | tee "$out" || status=$?
  again=$(awk '/^--- FAIL: /{names = names "|^" $3 "$"} /^FAIL\t/{print $2, substr(names, 2); names = ""}' "$out")
  if [ "$status" -ne 0 ] && [ "$(grep -c '^--- FAIL: ' "$out")" -le 3 ] && ! grep -qE 'WARNING: DATA RACE|^panic: |^fatal error: ' "$out" && ! grep -qvE ' .' <<<"$again"; then
    status=0
    while read -r package names; do
      echo "== once more: $names"
      "${gotest[@]}" "${flags[@]}" -count=1 -run "$names" "$package" || return 1
      echo "  failed once, passed then: $names of $package" >>"$summary"
    done <<<"$again"
  fi
  return "$status"
}

# patterns FILE: prints one pattern for the tests that a table of .ci names. It matches whole
# names, so that TestReplay does not match TestReplayOrder.
patterns() { sed -n 's/^\([^# /][^ /]*\)\(\/[^ ]*\)\{0,1\} .*/^\1$\2/p' "$1" | paste -sd '|'; }

# The packages that compare documents with code, and build what they show one after the other.
# They run without the race detector. (Tests have -vet=off: the step "vet" checks all packages.)
sequential='/docs(/messages)?$'

# wazero's compiler works on one goroutine per function and shares nothing between them. With
# the race detector in it, it needs more time than all that the tests look at.
compiler=github.com/tetratelabs/wazero/internal/engine/wazevo
race_flags=('-gcflags=all=-l -dwarf=false')
for p in backend frontend ssa; do
  race_flags+=("-gcflags=$compiler/$p/...=-race=false -dwarf=false")
done

# racing prints the packages whose tests run with the race detector.
racing() { go list ./... | grep -vE "$chromium|$sequential"; }

test_race() {
  local -a gotest=(go test -race "${race_flags[@]}")
  tests -vet=off -timeout $limit -skip "$(patterns .ci/norace.txt)" -- $(racing)
}

# All other packages, and the tests of .ci/norace.txt in those of racing.
test_norace() {
  local names
  tests -vet=off -timeout $limit -- $(go list ./... | grep -E "$sequential")
  names=$(patterns .ci/norace.txt | sed 's#/[^|]*##g; s#[$^]##g')
  tests -vet=off -timeout $limit -run "$(patterns .ci/norace.txt)" -- $(git grep -lE "^func ($names)\(" -- '*_test.go' | xargs -n1 dirname | sed 's#^#golem/#' | sort -u)
}

# All packages for make test, which runs no test with the race detector.
test_native() {
  tests -vet=off -timeout $limit -skip "$(patterns .ci/long-native.txt)" -- $(go list ./... | grep -vE "$chromium")
}

test_chromium() {
  local -a without=()
  if [ "$mode" = test ]; then without=(-skip "$(patterns .ci/long.txt)"); fi
  tests -vet=off -timeout $limit ${without[@]+"${without[@]}"} -- $(go list ./... | grep -E "$chromium")
}

# All tests but those in browsers and those that .ci/slow.txt names.
test_quick() {
  as_released test -vet=off -timeout $limit -skip "$(patterns .ci/slow.txt)" $(go list ./... | grep -vE "$chromium")
}

# binary SYSTEM/PROCESSOR: prints the file that cross builds for it.
binary() {
  case $1 in
  windows/*) echo "build/golem-${1%/*}-${1#*/}.exe" ;;
  *) echo "build/golem-${1%/*}-${1#*/}" ;;
  esac
}

# cross SYSTEM/PROCESSOR…: builds golem for each of them. Tests run only on Linux.
cross() {
  local target
  for target; do
    GOOS=${target%/*} GOARCH=${target#*/} .ci/build.sh "$(binary "$target")" -ldflags '-s -w'
    echo "$target $(wc -c <"$(binary "$target")") bytes"
  done
}

within() { # NAME SIZE BUDGET
  echo "$1: $2 bytes, $((($2 * 100 + $3 / 2) / $3)) % of its budget of $3"
  if [ "$2" -gt "$3" ]; then
    echo "$1 is over its budget"
    return 1
  fi
}

# binary_size SYSTEM/PROCESSOR…: compares the binaries that cross built with their budget.
binary_size() {
  local target
  for target; do
    within "$(binary "$target")" "$(wc -c <"$(binary "$target")")" "$binary_budget"
  done
}

# huge_pages lets Linux give programs pages of 2 MB until the check ends, if CI runs it as root: in
# virtual machines, where each page is dear, compiling takes a third less time. Elsewhere it
# changes nothing of the machine.
huge_pages() {
  huge=/sys/kernel/mm/transparent_hugepage/enabled
  if [ "${CI:-}" = true ] && [ -w "$huge" ]; then
    usual=$(sed 's/.*\[\(.*\)\].*/\1/' "$huge")
    if echo always >"$huge"; then
      trap 'echo "$usual" >"$huge"' EXIT
      echo "transparent huge pages: always; at the end $usual again"
    fi
  fi
}

# packages DIR…: installs the npm packages of each directory, if its lock file has changed,
# those of several directories at the same time.
packages() {
  local dir pid pids=()
  for dir; do
    if ! cmp -s "$dir/package-lock.json" "$dir/node_modules/.package-lock.from"; then
      (cd "$dir" && npm ci --include=dev --silent --no-fund --no-audit && cp package-lock.json node_modules/.package-lock.from) &
      pids+=($!)
    fi
  done
  for pid in ${pids[@]+"${pids[@]}"}; do
    wait "$pid" || return 1
  done
}

# The npm packages of the page, and those that tests use.
npm_packages() { packages web web/examples/vite examples/mcp-servers cmd/cli/testdata/conformance cmd/cli/testdata/openai; }

# Builds the page, and checks the sizes of its programs and scripts.
web_page() {
  as_released run ./web/build small >build/web.log
  cat build/web.log
  within "golem.wasm, gzip" "$(wc -c <web/dist/golem.wasm.gz)" "$wasm_budget"
  within "repository.wasm, gzip" "$(cat web/dist/repository-*.wasm.gz | wc -c)" 1850000
  within "page script before the editor, gzip" "$(sed -n 's/^page script before the editor: \([0-9]*\).*/\1/p' build/web.log)" 66000
  if grep -aq 'net/http\.(\*Transport)\.[rR]oundTrip' build/golem.wasm; then
    echo "golem.wasm links net/http's transport"
    return 1
  fi
  # The browser does TLS. If web/build had to link crypto/tls, it says so on stderr.
  if grep -aq 'crypto/x509\.' build/golem.wasm; then
    echo "golem.wasm links crypto/tls: a stand-in in web/build/no* lacks what this version of Go needs"
    return 1
  fi
}

core_wasm() {
  as_released run ./web/build core
  within "build/core.wasm, gzip" "$(gzip -9 -c build/core.wasm | wc -c)" "$wasm_budget"
  # A page uses the browser's fetch and never Go's own HTTP transport.
  if grep -aq 'net/http\.(\*Transport)\.[rR]oundTrip' build/core.wasm; then
    echo "build/core.wasm links net/http's transport"
    return 1
  fi
  local said
  said=$(env -i PATH="$PATH" HOME="$HOME" "$(go env GOROOT)/lib/wasm/go_js_wasm_exec" build/core.wasm)
  echo "in Node it says: $said"
  [ "$said" = "core runs under js/wasm" ]
}

# Runs `make run` for the largest example and those with modules. The output is shown only if one fails.
demo() {
  local example
  make --no-print-directory -s build
  for example in pitch-deck publish calculator file-organizer data-report slugify; do
    if ! .ci/demo.sh "$example" >build/demo.log 2>&1; then
      echo "$example:"
      tail -n 40 build/demo.log
      return 1
    fi
  done
}

# Prints the state of the checkout, as git sees it: a check must not change it.
checkout() { git status --porcelain --untracked-files=all; git diff HEAD | cksum; }

unchanged() {
  local now
  now=$(checkout)
  if [ "$now" != "$before" ]; then
    echo "the check changed the checkout:"
    diff <(echo "$before") <(echo "$now") || true
    return 1
  fi
}

vetting() { step "vet" as_released vet ./...; }

installing() { step "packages from npm" npm_packages; }

# The tests in browsers, which leave processors idle, and for make check what takes as long as the
# other list has left then.
browsers() {
  step "tests in Chromium and Firefox" test_chromium
  if [ "$mode" = check ]; then
    step "tests of core, js/wasm in Node" test_js
    step "tests without the race detector" test_norace
  fi
}

# All other steps after the page was built, which package web embeds.
others() {
  step "core.wasm: size, and a run in Node" core_wasm
  step "make run" demo
  step "binary size" within bin/golem "$(wc -c <bin/golem)" "$binary_budget"
  if [ "$mode" = check ]; then
    analyses
    step "tests with the race detector" test_race
  else
    step "tests outside browsers" test_native
  fi
}

# What make check does beside tests. The cross-build is the largest binary; make cross builds all.
analyses() {
  step "vet, js/wasm" vet_js
  step "build staticcheck and .ci/types" build_tools
  step "types, linux/386, linux/arm64, darwin/arm64 and windows/amd64" types_elsewhere
  step "staticcheck" staticcheck
  step "staticcheck, js/wasm" staticcheck_js
  step "cross-build" cross windows/amd64
  step "binary size, windows/amd64" binary_size windows/amd64
}

if [ "$mode" = packages ]; then
  npm_packages
  exit
fi
if [ "$mode" = cross ]; then
  step "cross-builds" cross {linux,darwin,windows}/{amd64,arm64}
  step "binary size" binary_size {linux,darwin,windows}/{amd64,arm64}
  exit
fi
before=$(checkout)
huge_pages
step "format" formatted
case $mode in
quick)
  vetting
  step "tests, without Chromium and .ci/slow.txt" test_quick
  ;;
test | check)
  together vetting installing
  step "the page: bundle, sizes" web_page
  together browsers others
  ;;
*)
  echo "usage: .ci/check.sh test|check|quick|packages|cross" >&2
  exit 2
  ;;
esac
step "checkout unchanged" unchanged
echo "== summary of make $mode"
cat "$summary"
echo "  all passed in ${SECONDS}s"
