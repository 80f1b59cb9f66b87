#!/usr/bin/env bash
# Builds golem as OUTPUT, for the system that GOOS and GOARCH name, with the flags of flags.sh:
#
#   .ci/build.sh OUTPUT [FLAG...]
#   .ci/build.sh -queue OUTPUT [FLAG...]   golem-queue
#   .ci/build.sh -tests OUTPUT [FLAG...]   the tests of the command line, from the same packages
set -eu
cd "$(dirname "$0")/.."
. .ci/flags.sh
what=(build) package=./cmd/cli
case $1 in
-queue) package=./cmd/golem-queue ;;
-tests) what=(test -c -vet=off) ;;
esac
case $1 in -*) shift ;; esac
output=$1
shift
CGO_ENABLED=0 exec go "${what[@]}" "${release_flags[@]}" "$@" -o "$output" "$package"
