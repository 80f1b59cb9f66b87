//go:build wasip1

package sdk

import "unsafe"

// The host functions of golem that a Go program uses besides WASI. As Extism defines
// for extism:host/env, texts are passed in blocks of the host's memory, by handle.

//go:wasmimport extism:host/env alloc
func hostAlloc(size uint64) uint64

//go:wasmimport extism:host/env length
func hostLength(at uint64) uint64

//go:wasmimport extism:host/env load_u8
func hostLoad(at uint64) uint32

//go:wasmimport extism:host/env load_u64
func hostLoad8(at uint64) uint64

//go:wasmimport extism:host/env store_u8
func hostStore(at uint64, value uint32)

//go:wasmimport extism:host/env store_u64
func hostStore8(at uint64, value uint64)

//go:wasmimport extism:host/env free
func hostFree(at uint64)

//go:wasmimport extism:host/env config_get
func hostConfig(key uint64) uint64

//go:wasmimport extism:host/env log_info
func hostLog(at uint64)

//go:wasmimport extism:host/user golem_call
func hostCall(name, args uint64) uint64

func give(b []byte) uint64 {
	at := hostAlloc(uint64(len(b)))
	i := 0
	for ; i+8 <= len(b); i += 8 {
		hostStore8(at+uint64(i), *(*uint64)(unsafe.Pointer(&b[i])))
	}
	for ; i < len(b); i++ {
		hostStore(at+uint64(i), uint32(b[i]))
	}
	return at
}

func take(at uint64) []byte {
	if at == 0 {
		return nil
	}
	b := make([]byte, hostLength(at))
	i := 0
	for ; i+8 <= len(b); i += 8 {
		*(*uint64)(unsafe.Pointer(&b[i])) = hostLoad8(at + uint64(i))
	}
	for ; i < len(b); i++ {
		b[i] = byte(hostLoad(at + uint64(i)))
	}
	hostFree(at)
	return b
}

func callBack(name string, args []byte) ([]byte, error) {
	who, what := give([]byte(name)), give(args)
	answer := take(hostCall(who, what))
	hostFree(who)
	hostFree(what)
	return answer, nil
}

func config(key string) (string, bool) {
	at := hostConfig(give([]byte(key)))
	return string(take(at)), at != 0
}

func log(text string) { hostLog(give([]byte(text))) }
