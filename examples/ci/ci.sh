#!/bin/sh
# Checks a golem project, and reviews changes with its first worker.
#
#   ci.sh check                    golem check and golem test; the exit code says whether all is well
#   ci.sh review BASE COMMENT.md   reviews what changed since BASE, and writes a comment
#
# GOLEM_CI_PROJECT is the project of golem; the current directory if it is not set. The
# repository that is reviewed is the one of the current directory.
set -eu
project=${GOLEM_CI_PROJECT:-.}
most_diff=200000   # bytes of the diff that the worker reads
most_comment=60000 # bytes of a comment; GitHub takes 65536

fail() {
  echo "ci.sh: $1" >&2
  exit 2
}

check() {
  golem check "$project"
  golem test "$project"
}

review() {
  base=$(git rev-parse --verify --quiet --end-of-options "$1^{commit}") || fail "$1 is not a commit: fetch it first, for example with git fetch origin main"
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
  # No program that the repository's settings name is started.
  git diff --no-ext-diff --no-textconv --no-color "$base...HEAD" >"$scratch/diff"
  if [ ! -s "$scratch/diff" ]; then
    echo "ci.sh: nothing changed since $1" >&2
    return
  fi
  head -c "$most_diff" "$scratch/diff" >"$scratch/input"
  if [ "$(wc -c <"$scratch/diff")" -gt "$most_diff" ]; then
    printf '\n(the diff is longer; this is its beginning)\n' >>"$scratch/input"
  fi
  golem run "$project" "@$scratch/input" --deny-all --headless --quiet >"$scratch/answer"
  # Whoever wrote the diff may have told the model what to answer. An invisible character (U+2060)
  # behind @, < and ! keeps its answer from mentioning people, from HTML and from images.
  joiner=$(printf '\342\201\240')
  {
    echo '### Review by golem'
    echo
    sed "s/[@<!]/&$joiner/g" "$scratch/answer" |
      awk -v most="$most_comment" '{ n += length($0) + 1 } n > most { print "(shortened)"; exit } { print }'
  } >"$2"
}

case "${1-}" in
check) [ $# -eq 1 ] || fail 'check takes no words' && check ;;
review) [ $# -eq 3 ] || fail 'review needs BASE and COMMENT.md' && review "$2" "$3" ;;
*) fail 'give check, or review BASE COMMENT.md' ;;
esac
