#!/bin/sh
# Builds the fixtures of core/coretest. Needs clang and lld; the built files
# are committed, so that tests need neither.
set -eu
cd "$(dirname "$0")"
for source in *.c; do
	clang --target=wasm32 -Os -nostdlib -ffreestanding -fno-builtin -Wall -Wno-parentheses -Wno-infinite-recursion -Wno-unused-function -Wno-unused-variable \
		-Wl,--no-entry -Wl,--strip-all -Wl,-z,stack-size=8192 -o "${source%.c}.wasm" "$source"
done
