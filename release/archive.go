package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// archive builds the programs for a system, and writes their archive and bill of materials.
func (o options) archive(system, work string, page []component, same []entry) error {
	made, err := o.programs(system, work)
	if err != nil {
		return err
	}
	parts, err := o.parts(system, made, page)
	if err != nil {
		return err
	}
	notices, err := parts.notices()
	if err != nil {
		return err
	}
	bill, err := o.bill(system, parts)
	if err != nil {
		return err
	}
	licence, err := os.ReadFile("LICENSE")
	if err != nil {
		return err
	}
	files := []entry{
		{name: "LICENSE", data: licence}, {name: "NOTICES.txt", data: notices}, {name: "sbom.cdx.json", data: bill},
		{name: "README.md", data: []byte(o.readme(system))},
	}
	for _, p := range made {
		data, err := os.ReadFile(p.path)
		if err != nil {
			return err
		}
		files = append(files, entry{name: filepath.Base(p.path), data: data, run: true})
	}
	windows := strings.HasPrefix(system, "windows/")
	for _, f := range same {
		if !windows || !strings.HasPrefix(f.name, "man/") {
			files = append(files, f)
		}
	}
	name := o.name(system)
	if err := o.write(name+".cdx.json", bill); err != nil {
		return err
	}
	var packed []byte
	if windows {
		name += ".zip"
		packed, err = zipped(o.name(system), files, o.date)
	} else {
		name += ".tar.gz"
		packed, err = tarred(o.name(system), files, o.date)
	}
	if err != nil {
		return err
	}
	return o.write(name, packed)
}

// name returns the name of the archive for a system without its ending.
func (o options) name(system string) string {
	return "golem-" + o.version + "-" + strings.ReplaceAll(system, "/", "-")
}

func (o options) write(name string, data []byte) error {
	return os.WriteFile(filepath.Join(o.out, name), data, 0o644)
}

// inOrder returns the files of an archive below its directory, sorted by name.
func inOrder(dir string, files []entry) []entry {
	var out []entry
	for _, f := range files {
		f.name = dir + "/" + f.name
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b entry) int { return cmp.Compare(a.name, b.name) })
	return out
}

func (f entry) mode() os.FileMode {
	if f.run {
		return 0o755
	}
	return 0o644
}

// tarred returns a compressed archive with the same bytes for the same files and date: no
// owner, no time but date, and one order.
func tarred(dir string, files []entry, date time.Time) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(z)
	for _, f := range inOrder(dir, files) {
		err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: f.name, Size: int64(len(f.data)), Mode: int64(f.mode()), ModTime: date, Format: tar.FormatUSTAR})
		if err == nil {
			_, err = w.Write(f.data)
		}
		if err != nil {
			return nil, err
		}
	}
	err = errors.Join(w.Close(), z.Close())
	return b.Bytes(), err
}

// zipped is tarred for Windows.
func zipped(dir string, files []entry, date time.Time) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range inOrder(dir, files) {
		header := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: date}
		header.SetMode(f.mode())
		w, err := z.CreateHeader(header)
		if err == nil {
			_, err = w.Write(f.data)
		}
		if err != nil {
			return nil, err
		}
	}
	err := z.Close()
	return b.Bytes(), err
}
