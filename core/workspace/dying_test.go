package workspace_test

import (
	"errors"
	"io/fs"

	"github.com/spf13/afero"
)

var errKilled = errors.New("killed")

// dying is a tree in which, after some calls, all calls that change something fail, as
// if the process was killed at that point.
type dying struct {
	afero.Fs
	left int
}

func (d *dying) step() error {
	if d.left--; d.left < 0 {
		return errKilled
	}
	return nil
}

func (d *dying) Mkdir(name string, perm fs.FileMode) error {
	if err := d.step(); err != nil {
		return err
	}
	return d.Fs.Mkdir(name, perm)
}

func (d *dying) Remove(name string) error {
	if err := d.step(); err != nil {
		return err
	}
	return d.Fs.Remove(name)
}

func (d *dying) RemoveAll(name string) error {
	if err := d.step(); err != nil {
		return err
	}
	return d.Fs.RemoveAll(name)
}

func (d *dying) Rename(from, to string) error {
	if err := d.step(); err != nil {
		return err
	}
	return d.Fs.Rename(from, to)
}

// OpenFile returns a file of which a write may be incomplete.
func (d *dying) OpenFile(name string, flag int, perm fs.FileMode) (afero.File, error) {
	if err := d.step(); err != nil {
		return nil, err
	}
	f, err := d.Fs.OpenFile(name, flag, perm)
	return half{f, d}, err
}

type half struct {
	afero.File
	d *dying
}

func (h half) Write(b []byte) (int, error) {
	if err := h.d.step(); err != nil {
		n, _ := h.File.Write(b[:len(b)/2])
		return n, err
	}
	return h.File.Write(b)
}
