#!/usr/bin/env bash
# Looks for the programs that building and testing golem need, and installs missing ones.
#
#   .ci/setup.sh build    Go and git, for make build and make run
#   .ci/setup.sh web      also Node with npm, libdeflate and zstd, for the page
#   .ci/setup.sh check    also a C compiler for the race detector, and Chromium and Firefox for the page's tests
#   .ci/setup.sh long     also what make long and make attack compare golem with, and build
#   .ci/setup.sh jsengine what make jsengine builds the JavaScript engine with
#   .ci/setup.sh webkit   the same as web, and WebKitGTK with a screen to draw on, for make webkit
#
# It installs packages with apt-get and prints their names. Without root, it only prints the
# command that installs them. It never installs Go.
set -eu

missing=()
reasons=()

# need PACKAGES REASON PROBE…: PACKAGES are missing if PROBE fails.
need() {
  local packages=$1 reason=$2
  shift 2
  if ! "$@" >/dev/null 2>&1; then
    missing+=("$packages")
    reasons+=("  $packages: $reason")
  fi
}

compiles_c() {
  local dir status=0
  dir=$(mktemp -d)
  printf '#include <stdlib.h>\nint main(void) { return 0; }\n' >"$dir/probe.c"
  gcc -o "$dir/probe" "$dir/probe.c" || status=1
  rm -rf "$dir"
  return "$status"
}

if ! command -v go >/dev/null; then
  echo "setup: Go is missing; install the version that go.mod names, or newer: https://go.dev/dl/" >&2
  exit 1
fi
need git "the version in golem version, and the check for a clean checkout" git --version
finds_firefox() { command -v firefox-esr || command -v firefox; }
finds_webkit() {
  local at
  command -v WebKitWebDriver || return 1
  for at in /usr/lib/*/webkit2gtk-4.*/MiniBrowser /usr/lib*/webkit2gtk-4.*/MiniBrowser /usr/libexec/webkit2gtk-4.*/MiniBrowser; do
    if [ -x "$at" ]; then return 0; fi
  done
  return 1
}
# Not every distribution has a package of it; without it the tests use Chromium itself.
finds_shell() {
  [ -x /usr/lib/chromium/chromium-headless-shell ] || command -v chromium-headless-shell || command -v chrome-headless-shell || ! apt-cache show chromium-headless-shell
}
finds_chromium() { command -v chromium || command -v chromium-browser || command -v google-chrome; }

case ${1:-check} in
web | webkit | check | long | jsengine)
  need nodejs "the js/wasm tests and the page's packages" node --version
  need npm "the page's packages" npm --version
  need libdeflate-tools "a page that is 4 % smaller to download" command -v libdeflate-gzip
  need zstd "a binary that is 1.2 MB smaller, because it has the page in it" command -v zstd
  ;;
esac
jinja() { python3 -c 'import jinja2'; }
if [ "${1:-check}" = long ]; then
  need "python3 python3-jinja2" "make long compares templates with Jinja2" jinja
  need qemu-user "make long runs tests and the release for arm64" command -v qemu-aarch64
  need "wine wine64" "make long runs the release for Windows" command -v wine
  need gcc-mingw-w64-x86-64-win32 "a library that Wine lacks" command -v x86_64-w64-mingw32-gcc
  need minisign "make long verifies the signatures of a release" command -v minisign
fi
compiles_wasm() {
  local dir status=0
  dir=$(mktemp -d)
  printf '#include <stdlib.h>\nint main(void) { return 0; }\n' >"$dir/probe.c"
  clang --target=wasm32-wasi --sysroot=/usr -I/usr/include/wasm32-wasi -o "$dir/probe.wasm" "$dir/probe.c" || status=1
  rm -rf "$dir"
  return "$status"
}
if [ "${1:-check}" = long ] || [ "${1:-check}" = jsengine ]; then
  need "clang lld wasi-libc libclang-rt-dev-wasm32" "builds the JavaScript engine, which make long compares with the one in golem" compiles_wasm
fi
if [ "${1:-check}" = check ] || [ "${1:-check}" = long ]; then
  need "gcc libc6-dev" "the race detector of go test" compiles_c
  need man-db "the test of the manual pages" command -v man
  need firefox-esr "the page's tests, in a second browser" finds_firefox
  need chromium "the page's tests" finds_chromium
  need chromium-headless-shell "a quarter less processor time for the page's tests" finds_shell
fi
if [ "${1:-check}" = webkit ]; then
  need webkit2gtk-driver "make webkit" finds_webkit
  need xvfb "the screen that WebKit draws on" command -v Xvfb
fi

if [ "${#missing[@]}" -eq 0 ]; then
  echo "setup: nothing to install"
  exit 0
fi
echo "setup: missing:"
printf '%s\n' "${reasons[@]}"
# Split into one word for each package.
read -r -a packages <<<"${missing[*]}"
if ! command -v apt-get >/dev/null; then
  echo "setup: no apt-get here; install these in this system's own way: ${packages[*]}" >&2
  exit 1
fi
if [ "$(id -u)" -ne 0 ]; then
  echo "setup: not root; run: sudo apt-get install --no-install-recommends ${packages[*]}" >&2
  exit 1
fi
echo "setup: installing ${packages[*]}"
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq </dev/null
apt-get install -y -qq --no-install-recommends "${packages[@]}" </dev/null
