package main

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"

	"golem/core/workspace"
)

// Bounds of a pack, the file in which git sends and keeps objects.
const (
	maxPack        = 64 << 20 // bytes of one that is downloaded
	maxPackObjects = 200_000
	maxPackTotal   = 2 * workspace.MaxLibrary // bytes of all objects of a downloaded one
)

// checkPack unpacks every object of a pack once and keeps nothing: sizes that are
// too large are found before any object is built in memory. A small pack may
// stand for terabytes, by compression and by differences that repeat their base.
func checkPack(ctx context.Context, pack io.Reader, total int64) error {
	s := packfile.NewScanner(pack)
	_, n, err := s.Header()
	if err != nil {
		return err
	}
	if n > maxPackObjects {
		return gitFault("it has more than %d objects", maxPackObjects)
	}
	for range n {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		h, err := s.NextObjectHeader()
		if err != nil {
			return err
		}
		size := h.Length
		if size <= workspace.MaxLibraryFile {
			begin := &beginning{}
			if _, _, err := s.NextObject(begin); err != nil {
				return err
			}
			if h.Type == plumbing.OFSDeltaObject || h.Type == plumbing.REFDeltaObject {
				if size, err = begin.deltaSize(); err != nil {
					return err
				}
			}
			total -= h.Length
		}
		if total -= size; size > workspace.MaxLibraryFile || total < 0 {
			return gitFault("its files are too large: one has more than %d bytes, or all together have more than golem reads", workspace.MaxLibraryFile)
		}
	}
	return nil
}

// beginning keeps the first bytes that are written to it.
type beginning struct{ data []byte }

// Write keeps what has room.
func (b *beginning) Write(p []byte) (int, error) {
	b.data = append(b.data, p[:min(len(p), 32-len(b.data))]...)
	return len(p), nil
}

// deltaSize is the size of the object that a difference makes: the second number
// at its beginning, seven bits a byte, the lowest first.
func (b *beginning) deltaSize() (int64, error) {
	in := bytes.NewReader(b.data)
	var size uint64
	for range 2 {
		size = 0
		for shift := 0; ; shift += 7 {
			c, err := in.ReadByte()
			if err != nil || shift > 56 {
				return 0, errors.New("a difference between two objects is malformed")
			}
			if size |= uint64(c&0x7f) << shift; c&0x80 == 0 {
				break
			}
		}
	}
	return int64(size), nil
}
