#!/usr/bin/env bash
# Runs every fuzz target of the module, one after the other, each for the given time (default
# 20s), and then the property tests five times, with new random cases. Inputs that fail are
# written into the package's testdata.
set -eu -o pipefail
cd "$(dirname "$0")/.."
time=${1:-20s}
git grep -oE '^func Fuzz[A-Za-z0-9_]+' -- '*_test.go' | sort | while IFS=: read -r file func; do
  dir=./$(dirname "$file")
  target=${func#func }
  echo "== $dir $target"
  go test "$dir" -run '^$' -fuzz "^$target\$" -fuzztime "$time" </dev/null
done
git grep -lE 'rapid\.Check|sandboxtest\.Bounds' -- '*_test.go' ':!web' ':!cmd/wasm' ':!sandbox/opfs' | while read -r file; do
  tests=$(awk '/^func Test/ { name = $2; sub(/\(.*/, "", name) } /rapid\.Check|sandboxtest\.Bounds/ { print name }' "$file" | sort -u | paste -sd '|')
  dir=./$(dirname "$file")
  echo "== $dir $tests"
  RAPID_SEED=0 go test "$dir" -run "^($tests)\$" -count 5 </dev/null
done
