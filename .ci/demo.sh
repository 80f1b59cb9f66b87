#!/usr/bin/env bash
# make run EXAMPLE=NAME: runs a whole example offline, in a copy, so that the checkout does
# not change. It shows the run, its tree with calls and approvals, and the written files.
set -eu -o pipefail
cd "$(dirname "$0")/.."

example=${1:-pitch-deck}
project=$example
case $example in
pitch-deck) words=("Evaluate all decks. Which company should we meet first?") ;;
publish) project=pitch-deck words=(--entry publish --input "{}") ;;
calculator) words=("What is 17.5 times 3?") ;;
file-organizer) words=("Tidy the inbox") ;;
data-report) words=(--input '{"report":"/output/sales.md"}') ;;
slugify) project=slugify/with-tool words=("Aurora Heat, PawPilot (beta)") ;;
note-taker) words=("Note shelf: buy oak boards") ;;
code-analyzer) words=("Review the code") ;;
orchestrator) words=("Put the sources in order") ;;
recursive-summarizer) words=(--input '{"path":"/docs"}') ;;
*)
  echo "make run EXAMPLE=NAME: pitch-deck, publish (the same, code as the entry), calculator, file-organizer, data-report, slugify, note-taker, code-analyzer, orchestrator, recursive-summarizer" >&2
  exit 2
  ;;
esac
golem=$PWD/bin/golem
trace=build/demo/trace.jsonl
dir=build/demo/$project

rm -rf "$dir"
mkdir -p "$dir"
cp -R "examples/$project/." "$dir"
# golem's home is beside the copy too, and settings of this shell do not apply.
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
shown=$(printf " '%s'" "${words[@]}")
say "golem run $dir$shown --model script:$dir/script.yaml --approve-all"
"$golem" run "$dir" "${words[@]}" --model "script:$dir/script.yaml" --approve-all --trace "$trace" </dev/null
say "golem trace show $trace"
"$golem" trace show "$trace"
say "files that the run wrote"
written=$({ diff <(echo "$before") <(list) || true; } | sed -n 's/^> [0-9]* [0-9]* //p')
if [ -z "$written" ]; then
  case $example in calculator | slugify | recursive-summarizer) echo "none"; exit 0 ;; esac
  echo "none: that is a defect"
  exit 1
fi
echo "$written" | while IFS= read -r f; do
  say "$dir/${f#./}"
  cat "$dir/$f"
done
