# Sourced by build.sh and check.sh: sets the array release_flags, with which golem is compiled.
# What is compiled with the same flags, and with CGO_ENABLED=0, is compiled once.
#
# Without inlining the binary is 1.8 MB smaller. Inlining stays on where it matters for
# speed: in wazero's compiler, in nats-server, in the guard, which reads modules of megabytes, in
# the packages that encode each model request and trace event, and in the standard library,
# except packages that make messages, serve connections, call the system, or are seldom
# called.
release_flags=(-trimpath -gcflags=all=-l)
for p in std github.com/tetratelabs/wazero/... github.com/nats-io/nats-server/... golem/core/wasmtool/guard golem/core/model golem/core/tool golem/core/trace; do
  release_flags+=("-gcflags=$p=")
done
for p in archive/... context crypto/... errors flag fmt io/... os/... path/... time debug/... encoding/asn1 encoding/gob encoding/xml html/... log/... math/big mime/... net/... regexp/... text/... vendor/... internal/poll internal/syscall/... internal/bisect internal/godebug syscall encoding/csv encoding/pem database/sql/... image/... runtime/debug; do
  release_flags+=("-gcflags=$p=-l")
done
