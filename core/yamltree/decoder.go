package yamltree

import (
	"bytes"
	"io"
	"runtime"

	"gopkg.in/yaml.v3"
)

// newDecoder is yaml.NewDecoder for text that may be nested very deeply. yaml.v3 calls
// itself for each level, up to 10,000 of them. Under js/wasm that ends the program, since
// a browser's stack is small: 4,000 brackets in a file were enough.
func newDecoder(data []byte) *yaml.Decoder {
	return yaml.NewDecoder(yielding{bytes.NewReader(data)})
}

// yielding gives way to other goroutines at each read. Under js/wasm the program then
// goes on with an empty stack of the browser: its own stack is in its memory. yaml.v3
// reads 512 bytes at a time.
type yielding struct{ io.Reader }

func (y yielding) Read(p []byte) (int, error) {
	runtime.Gosched()
	return y.Reader.Read(p)
}
