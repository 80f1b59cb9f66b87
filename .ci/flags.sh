# Sourced by build.sh and check.sh: sets the array release_flags, with which golem is compiled.
# What is compiled with the same flags, and with CGO_ENABLED=0, is compiled once.
#
# Without inlining the binary is 1.8 MB smaller. Inlining stays on where it matters for
# speed: in wazero's compiler, in nats-server, in the guard, which reads modules of megabytes, in
# the packages that encode each model request and trace event, and in the standard library,
# except packages that make messages, serve connections, call the system, or are seldom
# called. Without DWARF, which the linker leaves out anyway (-s -w), packages compile faster.
release_flags=(-trimpath '-gcflags=all=-l -dwarf=false')
for p in std github.com/tetratelabs/wazero/... github.com/nats-io/nats-server/... golem/core/wasmtool/guard golem/core/model golem/core/tool golem/core/trace; do
  release_flags+=("-gcflags=$p=-dwarf=false")
done
for p in archive/... context crypto/... errors flag fmt io/... os/... path/... time debug/... encoding/asn1 encoding/gob encoding/xml html/... log/... math/big mime/... net/... regexp/... text/... internal/poll internal/syscall/... internal/bisect internal/godebug syscall encoding/csv encoding/pem database/sql/... image/... runtime/debug; do
  release_flags+=("-gcflags=$p=-l -dwarf=false")
done

# by_directory sets the array directory_flags, which compiles each package as release_flags does,
# so that both share what is compiled. For every test of every package go compiles each pattern
# of release_flags to a regular expression again, which took 9.5 s of processor time for all
# tests; directories take 1.7 s. A release does not use it: a program records its flags, and
# these name directories of this machine.
by_directory() {
  local flag pattern value up dir
  local std=$(go env GOROOT)/src
  up=$(sed 's#/[^/][^/]*#/..#g; s#^/##' <<<"$PWD")
  directory_flags=()
  for flag in "${release_flags[@]}"; do
    value=${flag#-gcflags=}
    pattern=${value%%=*}
    value=${value#*=}
    if [[ $pattern == golem/* ]]; then
      directory_flags+=("-gcflags=./${flag#-gcflags=golem/}")
    elif [ -d "$std/${pattern%/...}" ]; then
      while IFS= read -r dir; do
        directory_flags+=("-gcflags=$up$dir=$value")
      done < <(find "$std/${pattern%/...}" $([[ $pattern == */... ]] || echo -maxdepth 0) -name testdata -prune -o -type d -print)
    else
      directory_flags+=("$flag")
    fi
  done
}
