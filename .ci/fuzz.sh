#!/usr/bin/env bash
# Runs every fuzz target of the module, one after the other, for the time
# given (default 20s each). A crasher is written under the package's testdata.
set -eu -o pipefail
cd "$(dirname "$0")/.."
time=${1:-20s}
git grep -oE '^func Fuzz[A-Za-z0-9_]+' -- '*_test.go' | sort | while IFS=: read -r file func; do
  dir=./$(dirname "$file")
  target=${func#func }
  echo "== $dir $target"
  go test "$dir" -run '^$' -fuzz "^$target\$" -fuzztime "$time" </dev/null
done
