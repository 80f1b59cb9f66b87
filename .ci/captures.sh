#!/usr/bin/env bash
# Captures the terminal's dialogs and views for people to look at. .ci/captures.sh [GOLEM]
# writes build/shots/terminal/NAME-COLUMNSxLINES-BACKGROUND.txt, and .ansi with the
# colours, in three sizes, dark and light; SIZES="40x20" BACKS="dark" selects some. It
# needs tmux, and is not part of make test.
set -eu -o pipefail
cd "$(dirname "$0")/.."
golem=$(realpath "${1:-bin/golem}")
out=$PWD/build/shots/terminal
home=$(mktemp -d)
socket=golem-captures-$$
unset GOLEM_PROJECT GOLEM_MODEL GOLEM_APPROVAL NO_COLOR TMUX
tm() { tmux -L "$socket" -f /dev/null "$@"; }
sizes=${SIZES:-80x24 110x30 40x20}
backs=${BACKS:-dark light}
trap 'tm kill-server 2>/dev/null || true; rm -rf "$home"' EXIT
rm -rf "$out"
mkdir -p "$out"

project() {
  rm -rf "$home/demo"
  mkdir -p "$home/demo/workers" "$home/demo/notes"
  cd "$home/demo"
  printf 'one\ntwo\nthree\n' >notes/a.md
  cat >main.worker <<'W'
---
toolsets: {filesystem: {}}
allow_workers: [reader]
sandbox:
  paths:
    notes: {root: ./notes, mode: rw}
    drafts: {root: ./drafts, mode: staged}
---
Help with the notes.
W
  printf -- '---\ndescription: reads a note\n---\nRead.\n' >workers/reader.worker
  printf 'model: script:script.yaml\nproviders:\n  acme: {api: chat, base_url: https://llm.example.com/v1, models: {big: {context: 8000}}}\n' >project.yaml
  cat >script.yaml <<'S'
script: 1
workers:
  main:
    - when: {text: slow}
      calls: [{tool: reader, args: {input: hang about the first note}}, {tool: reader, args: {input: the second note}}]
    - when: {text: edit}
      calls: [{tool: edit_file, args: {path: /notes/a.md, old: two, new: "zwei: a line that is long enough to be folded on a terminal of forty columns"}}]
    - when: {text: stage}
      calls: [{tool: write_file, args: {path: /drafts/plan.md, content: "# Plan\n\nfirst\nsecond\n"}}]
    - when: {tool: write_file}
      say: The plan is staged.
    - when: {match: '(?s).*'}
      say: "# Notes\n\nThree **notes**, see `a.md` and [more](https://example.com):\n\n- one\n- two\n\n| name | lines |\n|---|---|\n| a.md | 3 |\n\n```go\nfunc main() { println(\"日本語 👩‍👩‍👧\") }\n```\n"
  reader:
    - when: {text: hang}
      hang: true
    - say: read
S
}
screen() { tm capture-pane -p; }
sees() { # waits until the screen shows a text
  for _ in $(seq 300); do
    if screen | grep -qF -- "$1"; then return; fi
    sleep 0.1
  done
  echo "captures: no \"$1\" on the screen:" >&2
  screen >&2
  exit 1
}
lacks() { # waits until the screen does not show a text
  for _ in $(seq 300); do
    if ! screen | grep -qF -- "$1"; then return; fi
    sleep 0.1
  done
  echo "captures: still \"$1\" on the screen:" >&2
  screen >&2
  exit 1
}
shot() {
  screen >"$out/$1-$size-$back.txt"
  tm capture-pane -p -e >"$out/$1-$size-$back.ansi"
}
type() { tm send-keys -l -- "$1"; tm send-keys Enter; }

trusts() { # captures the question about a worker that reaches beyond its sandbox
  mkdir -p "$home/demo/wide"
  cat >"$home/demo/wide/main.worker" <<'W'
---
model: script:script.yaml
model_settings: {extra: {logit_bias: {}}}
toolsets:
  shell: {network: true, read: [/srv/data], env: [DEPLOY_TOKEN]}
  mcp:
    notes: {command: npx, args: [--yes, "@example/notes-server", --root, /srv/notes/of-the-whole-company, --read-only, --log-level, debug]}
---
Help.
W
  printf 'script: 1\nworkers: {main: [{say: hi}]}\n' >"$home/demo/wide/script.yaml"
  type "GOLEM_HOME=$home/home $golem chat wide"
  sees "[y]"; shot trust-chat
  tm send-keys NPage; shot trust-scrolled
  tm send-keys n; sees "is not used"; sees "ready>"
  tm send-keys C-l; type "GOLEM_HOME=$home/home $golem trust wide"
  sees "[y]"; shot trust-command
  tm send-keys n; sees "not trusted"; tm send-keys C-l
}

lines() { # captures commands that print
  tm send-keys C-l; type "clear; $golem workers --tree ."; sees "reader"; shot workers-tree
  type "clear; $golem trace list"; sees "ready>"; shot trace-list
  type "clear; GOLEM_HOME=$home/home $golem trace diff \$(ls .golem/runs/*.jsonl | head -2)"; sees "ready>"; sleep 1; shot trace-diff
  type "clear; GOLEM_HOME=$home/home $golem trace show \$(ls .golem/runs/*.jsonl | head -1)"; sees "q leave"; shot trace-show
  tm send-keys t; sees "t tree"; shot trace-times
  tm send-keys Enter; sees "Esc back"; shot trace-turns
  tm send-keys q; sees "ready>"
}

views() {
  trusts
  type "GOLEM_HOME=$home/home $golem"
  sees "/help"; shot chat-empty
  tm send-keys -l "/"; sees "/model"; shot complete-command
  tm send-keys C-u; tm send-keys -l "look at @notes/"; sees "a.md"; shot complete-file
  tm send-keys C-u; type "/help"; sees "/exit"; shot help
  type "/model"; sees "script:"; shot model
  type "/tools"; sees "write_file"; shot tools
  type "/cost"; sleep 1; shot cost
  type "/new"; sleep 1; shot new
  type "what is there"; sees "a.md"; shot chat-answer
  tm send-keys C-r; sees "search"; tm send-keys -l "what"; sees "search: what"; shot history; tm send-keys Escape; lacks "search: what"; tm send-keys C-u
  type "edit"; sees "[y]"; shot chat-approval
  tm send-keys r; sees "[y] save it"; shot chat-rule
  tm send-keys n; sees "[y]"; tm send-keys y; sees "Three"
  type "stage"; sees "[y]"; tm send-keys y; sees "[!] 1 staged"; shot chat-staged
  type "/clearance"; sees "[p] push"; shot panel-staged
  tm send-keys p; sees "Really"; shot panel-push
  tm send-keys n; sees "nothing was decided"; tm send-keys Escape; sees "is staged."
  type "/undo"; sees "[u] undo"; shot panel-undo
  tm send-keys q; sees "a.md"
  type "/trace"; sees "q "; shot trace
  tm send-keys q; sees "a.md"
  type "/tool write_file"; sees "Call write_file"; tm send-keys Tab; sees "is needed"; shot form
  tm send-keys C-c; sees "was not called"
  type "/tool edit_file"; sees "Call edit_file"; tm send-keys Tab; tm send-keys -l "zwei"; shot form-fields
  tm send-keys C-c; sees "[!]"
  type "/resume"; sleep 1; shot resume
  type "slow"; sees "the second note"; shot chat-tree
  tm send-keys C-c; sees "stopped"
  type "/exit"; sees "resume"; shot chat-end
  tm send-keys C-l; type "GOLEM_HOME=$home/home $golem . stage"; sees "[y]"; shot run-approval
  tm send-keys n; sees "done in"; shot run-end
  tm send-keys C-l; type "GOLEM_HOME=$home/home $golem . slow"; sees "the second note"; shot run-tree
  tm send-keys C-c; sees "stopped in"
  lines
}

for back in $backs; do
  for size in $sizes; do
    project
    tm new-session -d -x "${size%x*}" -y "${size#*x}" -c "$home/demo" "env PS1='ready> ' TERM=tmux-256color bash --norc"
    if [ "$back" = light ]; then tm set -g window-style 'fg=black,bg=white'; else tm set -g window-style 'fg=white,bg=black'; fi
    sees 'ready>'
    views
    tm kill-server
    sleep 0.2
  done
done
echo "captures: $(find "$out" -name '*.txt' | wc -l) screens in build/shots/terminal"
