package batch

import (
	"io"
	"io/fs"
)

// mostKept is how many files are kept open at the same time.
const mostKept = 8

// closeKept closes the files that are kept open. The caller holds mu.
func closeKept(l *Local) {
	for _, f := range l.kept {
		_ = f.Close() // it was only read
	}
	clear(l.kept)
}

// read returns a part of a file. While files are kept open (find), it opens each once: in a
// browser to open a file takes long. An open file can show old content, or none if the file
// changed; then it is opened again.
func (l *Local) read(name string, at span) ([]byte, error) {
	if f, kept := l.kept[name]; kept {
		if out, err := readPart(f, at); err == nil {
			return out, nil
		}
		closeKept(l)
	}
	f, err := l.store.Files.Open(name)
	if err != nil {
		return nil, err
	}
	_, again := f.(io.ReaderAt)
	if l.kept == nil || !again {
		defer f.Close()
		return readPart(f, at)
	}
	if len(l.kept) >= mostKept {
		closeKept(l)
	}
	l.kept[name] = f
	return readPart(f, at)
}

// readPart returns a part of an open file.
func readPart(f fs.File, at span) ([]byte, error) {
	out := make([]byte, at.size)
	if r, ok := f.(io.ReaderAt); ok {
		n, err := r.ReadAt(out, at.at)
		if n == len(out) {
			err = nil
		}
		return out, err
	}
	var err error
	if s, ok := f.(io.Seeker); ok {
		_, err = s.Seek(at.at, io.SeekStart)
	} else {
		_, err = io.CopyN(io.Discard, f, at.at)
	}
	if err == nil {
		_, err = io.ReadFull(f, out)
	}
	return out, err
}
