package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// embeddedDir has what package web embeds: a page for a clone without the built one, and
// the built page.
const embeddedDir = "web/embedded"

// embed writes the archive from which golem web serves the page: all files of web/dist, in a
// fixed order, but the documentation and the JavaScript engine, which golem has already. The archive as a whole is
// compressed with pack, so nothing in it is: programs are decompressed under their names.
func embed(pack packer) error {
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	site := os.DirFS(dist)
	err := fs.WalkDir(site, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(name, "javascript-") || strings.HasPrefix(name, documentationDir) {
			return err
		}
		data, err := fs.ReadFile(site, name)
		if err == nil && path.Ext(name) == ".gz" {
			data, err = unpacked(data)
		}
		if err != nil {
			return err
		}
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err == nil {
			_, err = w.Write(data)
		}
		return err
	})
	if err := errors.Join(err, z.Close()); err != nil {
		return err
	}
	if err := cleanEmbedded(); err != nil {
		return err
	}
	packed, err := pack(archive.Bytes())
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(embeddedDir, "page.zip.zst"), packed, 0o644)
}

// packer compresses with Zstandard. The window must hold the whole archive, whose programs
// have much in common, and be at most the 64 MiB that package web reads.
type packer func(archive []byte) ([]byte, error)

func pack(archive []byte) ([]byte, error) {
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithWindowSize(64<<20), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	return z.EncodeAll(archive, nil), nil
}

// packSmall compresses with the program zstd, where it is installed.
func packSmall(archive []byte) ([]byte, error) {
	if _, err := exec.LookPath("zstd"); err != nil {
		return pack(archive)
	}
	return filtered(archive, "zstd", "-19", "--long=26", "--single-thread", "-q", "-c")
}

// cleanEmbedded removes what earlier builds embedded.
func cleanEmbedded() error {
	old, err := os.ReadDir(embeddedDir)
	for _, e := range old {
		if e.Name() != "unbuilt.html" {
			err = errors.Join(err, os.Remove(filepath.Join(embeddedDir, e.Name())))
		}
	}
	return err
}

// unpacked decompresses data.
func unpacked(data []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}
