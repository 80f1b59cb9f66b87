#!/usr/bin/env bash
# make run: a whole example, offline, in a copy, so that the checkout stays as
# it is. Shows the run, its tree with calls and approvals, and what it wrote.
set -eu -o pipefail
cd "$(dirname "$0")/.."

example=pitch-deck
input="Evaluate all decks. Which company should we meet first?"
golem=$PWD/bin/golem
trace=build/demo/trace.jsonl
dir=build/demo/$example

rm -rf "$dir"
mkdir -p "$dir"
cp -R "examples/$example/." "$dir"
# golem's own directory stays in the copy too, and no project of this shell applies.
export GOLEM_HOME=$PWD/build/demo/home
unset GOLEM_PROJECT GOLEM_MODEL GOLEM_APPROVAL
list() { (cd "$dir" && find . -type f ! -path './.golem/*' -exec cksum {} + | sort -k 3); }
before=$(list)

say() { printf '\n\033[1m== %s\033[0m\n' "$*"; }
if [ ! -t 1 ] || [ -n "${NO_COLOR:-}" ]; then say() { printf '\n== %s\n' "$*"; }; fi

say "golem workers $dir"
"$golem" workers "$dir"
say "golem check $dir"
"$golem" check "$dir"
say "golem run $dir \"$input\" --model script:$dir/script.yaml --approve-all"
"$golem" run "$dir" "$input" --model "script:$dir/script.yaml" --approve-all --trace "$trace" </dev/null
say "golem trace show $trace"
"$golem" trace show "$trace"
say "files that the run wrote"
written=$({ diff <(echo "$before") <(list) || true; } | sed -n 's/^> [0-9]* [0-9]* //p')
if [ -z "$written" ]; then
  echo "none: that is a defect"
  exit 1
fi
echo "$written" | while IFS= read -r f; do
  say "$dir/${f#./}"
  cat "$dir/$f"
done
