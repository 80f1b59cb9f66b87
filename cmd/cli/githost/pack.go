package githost

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"

	"golem/core/workspace"
)

// Limits of a pack, the file in which git sends and stores objects.
const (
	maxPack        = 64 << 20 // bytes of a downloaded pack
	maxPackObjects = 200_000
	maxPackTotal   = 2 * workspace.MaxLibrary // limit of checkPack for a downloaded pack, in bytes
)

// checkPack unpacks each object of a pack once, without keeping it, to find sizes that
// are too large before any object is built in memory. By compression, and by deltas
// that repeat their base, a small pack may expand to terabytes. total is the limit in
// bytes for all objects together.
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
				total -= h.Length
			}
		}
		if total -= size; size > workspace.MaxLibraryFile || total < 0 {
			return gitLimit("its files are too large: one has more than %d bytes, or all together have more than golem reads", workspace.MaxLibraryFile)
		}
	}
	return nil
}

// beginning is a writer that keeps the first 32 bytes.
type beginning struct{ data []byte }

// Write keeps the bytes that still fit. It never fails.
func (b *beginning) Write(p []byte) (int, error) {
	b.data = append(b.data, p[:min(len(p), 32-len(b.data))]...)
	return len(p), nil
}

// deltaSize returns the size of the object that a delta produces. It is the second
// number at the delta's beginning, seven bits a byte, the lowest first.
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
