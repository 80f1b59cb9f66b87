#!/usr/bin/env bash
# Builds the examples' tools from their C sources and packs their descriptions:
# make tools. It needs clang and wasm-ld (apt-get install clang lld) and golem.
set -eu -o pipefail
cd "$(dirname "$0")/../.."
golem=${GOLEM:-bin/golem}
mkdir -p build/tools
# The header that golem tool new --lang c writes.
cp cmd/cli/toolcmd/scaffold/c/golemtool.h.tmpl build/tools/golemtool.h

tool() { # SOURCE TARGET…
  local name=$1
  shift
  clang --target=wasm32 -O2 -Wall -Wno-unused-function -nostdlib -ffreestanding -fno-builtin -Wl,--no-entry -Wl,--strip-all \
    -include build/tools/golemtool.h -o "build/tools/$name.wasm" "examples/tools/$name/tool.c"
  for target in "$@"; do
    mkdir -p "$(dirname "$target")"
    "$golem" tool pack "build/tools/$name.wasm" --tools "examples/tools/$name/tools.yaml" -o "$target"
    echo "$target $(wc -c <"$target") bytes"
  done
}

# An export that is a tool: its description is in a file beside the module.
clang --target=wasm32 -O2 -Wall -nostdlib -ffreestanding -fno-builtin -Wl,--no-entry -Wl,--strip-all -o examples/tools/letters/letters.wasm examples/tools/letters/tool.c

# A program that was not written for golem: its description, with a command line, is in a file beside it.
clang --target=wasm32 -O2 -Wall -nostdlib -ffreestanding -fno-builtin -Wl,--no-entry -Wl,--strip-all -o examples/first-lines/tools/lines.wasm examples/tools/lines/lines.c

tool calculator examples/calculator/tools/calculator.wasm examples/levels/5-own-tools/tools/calculator.wasm
tool sanitize examples/file-organizer/tools/sanitize.wasm
tool slugify examples/slugify/with-tool/tools/slugify.wasm examples/levels/5-own-tools/workers/tagger/tools.wasm
tool statistics examples/data-report/tools/statistics.wasm
tool publish examples/pitch-deck/tools/publish.wasm
