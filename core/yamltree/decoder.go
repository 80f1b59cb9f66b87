package yamltree

import (
	"bytes"
	"io"
	"runtime"

	"gopkg.in/yaml.v3"
)

// newDecoder returns a yaml.Decoder for text that may be nested very deeply. yaml.v3
// calls itself for each level, up to 10,000 of them. Under js/wasm that would end the
// program, because a browser's stack is small: 4,000 brackets in a file were enough.
func newDecoder(data []byte) *yaml.Decoder {
	return yaml.NewDecoder(yielding{bytes.NewReader(data)})
}

// yielding is a reader that lets other goroutines run at each read. Under js/wasm the
// program then goes on with an empty browser stack, because the stacks of goroutines
// are in its own memory. yaml.v3 reads 512 bytes at a time.
type yielding struct{ io.Reader }

func (y yielding) Read(p []byte) (int, error) {
	runtime.Gosched()
	return y.Reader.Read(p)
}
