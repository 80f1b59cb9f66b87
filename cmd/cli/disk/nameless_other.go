//go:build !linux

package disk

import (
	"errors"
	"os"
)

// nameless fails: this system has no files without a name.
func nameless(string) (file *os.File, give func(name string) error, err error) {
	return nil, nil, errors.ErrUnsupported
}
