package wazeroengine

import (
	"bytes"
	"encoding/hex"
	"io"
	"reflect"
	"runtime"

	"github.com/tetratelabs/wazero"

	"golem/core/wasmtool"
)

// codeCache keeps wazero's compiled code in golem's cache of tools. Compiled code runs
// with all rights of the process, and wazero checks only a CRC of it, so that whoever can
// write a file of wazero's own directory can run any code (SPEC §3). Here the bytes
// that wazero gets are those that the cache has verified, in memory.
type codeCache struct{ kept wasmtool.Cache }

// maxCode is the size limit of one module's compiled code that is kept, in bytes.
const maxCode = 64 << 20

func codeName(key [32]byte) string {
	return "code1-" + runtime.GOARCH + "-" + runtime.GOOS + "-" + hex.EncodeToString(key[:])
}

// Get returns the code of a module; ok is false if there is none.
func (c codeCache) Get(key [32]byte) (content io.ReadCloser, ok bool, err error) {
	data, ok := c.kept.Get(codeName(key))
	if !ok {
		return nil, false, nil
	}
	return io.NopCloser(bytes.NewReader(data)), true, nil
}

// Add keeps the code of a module. An error is none of the module's: it costs only time.
func (c codeCache) Add(key [32]byte, content io.Reader) error {
	data, err := io.ReadAll(io.LimitReader(content, maxCode+1))
	if err == nil && len(data) <= maxCode {
		_ = c.kept.Put(codeName(key), data)
	}
	return nil
}

// Delete does nothing: wazero calls it for the code of another version of itself, and
// Add replaces that.
func (c codeCache) Delete([32]byte) error { return nil }

// cacheOver returns a cache of wazero that keeps its code in kept. ok is false if this wazero
// is not the one for which this code was written; then nothing may be kept. wazero offers
// only a directory that it trusts, although its cache has an interface for other places;
// so the field with that interface is set by reflection.
func cacheOver(kept wasmtool.Cache) (cache wazero.CompilationCache, ok bool) {
	cache = wazero.NewCompilationCache()
	v := reflect.ValueOf(cache)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return nil, false
	}
	field, own := v.Elem().FieldByName("fileCache"), reflect.ValueOf(codeCache{kept})
	if !field.IsValid() || field.Kind() != reflect.Interface || !own.Type().Implements(field.Type()) {
		return nil, false
	}
	reflect.NewAt(field.Type(), field.Addr().UnsafePointer()).Elem().Set(own)
	return cache, true
}
