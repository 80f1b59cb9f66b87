package disk

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// StaleTemp is the age from which on a temporary file counts as left by a process that
// was killed.
const StaleTemp = time.Hour

// Replace writes data to a new file beside name, calls done with it before closing it,
// and renames it to name. After an error the old file is unchanged. Where the system can,
// the new file has no name until it is complete, so that it is gone if golem is killed
// while it writes.
func Replace(name, pattern string, data []byte, done func(*os.File) error) error {
	tmp, give, err := nameless(filepath.Dir(name))
	if err != nil {
		if tmp, err = os.CreateTemp(filepath.Dir(name), pattern); err != nil {
			return err
		}
		give = func(string) error { return nil }
	}
	_, err = tmp.Write(data)
	if err == nil {
		err = done(tmp)
	}
	temporary := tmp.Name()
	if strings.HasSuffix(temporary, namelessFile) {
		temporary = filepath.Join(filepath.Dir(name), strings.Replace(pattern, "*", rand.Text(), 1))
	}
	if err == nil {
		err = give(temporary)
	}
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(temporary, name)
	}
	if err != nil {
		if rerr := os.Remove(temporary); !errors.Is(rerr, fs.ErrNotExist) {
			err = errors.Join(err, rerr)
		}
	}
	return err
}

// namelessFile is the end of the name that an *os.File without a name in its directory
// has.
const namelessFile = " (no name yet)"

// WriteNew writes a new file. It fails if the file exists. After another error there
// is no file.
func WriteNew(name string, data []byte, mode os.FileMode) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, os.Remove(name))
	}
	return nil
}

// Beside writes data to a new file beside name, with the permissions of that file
// (0644 if it does not exist), and returns its name. The caller renames it to replace
// name.
func Beside(name string, data []byte) (string, error) {
	mode := os.FileMode(0o644)
	if info, err := os.Stat(name); err == nil {
		if !info.Mode().IsRegular() {
			return "", ErrNotRegular
		}
		mode = info.Mode().Perm()
	}
	tmp := fmt.Sprintf("%s.%s.tmp", name, rand.Text()[:8])
	if err := WriteNew(tmp, data, 0o666); err != nil {
		return "", err
	}
	if err := os.Chmod(tmp, mode); err != nil {
		return "", errors.Join(err, os.Remove(tmp))
	}
	return tmp, nil
}
