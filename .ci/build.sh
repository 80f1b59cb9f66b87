#!/usr/bin/env bash
# Builds golem as OUTPUT, for the system that GOOS and GOARCH name:
#
#   .ci/build.sh OUTPUT [FLAG...]
#   .ci/build.sh -tests OUTPUT [FLAG...]   the tests of the command line, from the same packages
#
# Without inlining the binary is 1.8 MB smaller. Inlining stays on where it matters for
# speed: in wazero's compiler, in the guard, which reads modules of megabytes, in the
# packages that encode each model request and trace event, and in the standard library,
# except packages that make messages, serve connections, call the system, or are seldom
# called.
set -eu
cd "$(dirname "$0")/.."
what=(build)
if [ "$1" = -tests ]; then
  what=(test -c -vet=off)
  shift
fi
output=$1
shift
flags=(-gcflags=all=-l)
for p in std github.com/tetratelabs/wazero/... golem/core/wasmtool/guard golem/core/model golem/core/tool golem/core/trace; do
  flags+=("-gcflags=$p=")
done
for p in archive/... context crypto/... errors flag fmt io/... os/... path/... time debug/... encoding/asn1 encoding/gob encoding/xml html/... log/... math/big mime/... net/... regexp/... text/... vendor/... internal/poll internal/syscall/... internal/bisect internal/godebug syscall encoding/csv encoding/pem database/sql/... image/... runtime/debug; do
  flags+=("-gcflags=$p=-l")
done
CGO_ENABLED=0 exec go "${what[@]}" -trimpath "${flags[@]}" "$@" -o "$output" ./cmd/cli
