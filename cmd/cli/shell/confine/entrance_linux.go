package confine

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// statusFD is the entrance's end of statusPair.
const statusFD = 3

// enter makes the walls around this thread, and replaces the process by the command. Call
// it on the main thread, with nothing else in the process. It returns only if it failed, or
// if nothing is to be run.
func enter() int {
	keepDescriptors()
	var o Order
	data, err := io.ReadAll(os.Stdin)
	if err == nil {
		err = json.Unmarshal(data, &o)
	}
	if err == nil {
		err = o.enter()
	}
	if err != nil {
		_, _ = unix.Write(statusFD, []byte(err.Error()))
		return ExitNoStart
	}
	return 0
}

func (o *Order) enter() error {
	work, err := inMemory(o.Work)
	if err != nil {
		return fmt.Errorf("memory for the command: %w", err)
	}
	if o.Walls != nil {
		if err := o.Walls.make(o.Dir); err != nil {
			return err
		}
	}
	if o.Probe {
		return nil
	}
	if err := unix.Dup3(work, 0, 0); err != nil {
		return err
	}
	return fmt.Errorf("golem cannot start itself: %w", syscall.Exec(selfLink, []string{Name, string(Command)}, Environment(o.Env)))
}

// inMemory returns a descriptor from which data can be read.
func inMemory(data []byte) (int, error) {
	fd, err := unix.MemfdCreate("command", unix.MFD_CLOEXEC)
	if err != nil {
		return -1, err
	}
	for len(data) > 0 {
		n, err := unix.Write(fd, data)
		if err != nil {
			return -1, err
		}
		data = data[n:]
	}
	_, err = unix.Seek(fd, 0, io.SeekStart)
	return fd, err
}

// make makes the walls around the calling thread. This cannot be undone. Mounts come
// first: after a domain with rights on files the kernel refuses every mount.
func (w *Walls) make(dir string) error {
	if err := w.mounts(); err != nil {
		return fmt.Errorf("mounts: %w", err)
	}
	// The directory is still that below the new mounts.
	if err := os.Chdir(dir); err != nil {
		return fmt.Errorf("the directory of the command: %s", plain(err))
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no_new_privs: %w", err)
	}
	if err := dropPowers(); err != nil {
		return fmt.Errorf("capabilities: %w", err)
	}
	if err := w.landlock(); err != nil {
		return fmt.Errorf("landlock: %w", err)
	}
	listener, err := w.filter()
	if err != nil {
		return fmt.Errorf("seccomp: %w", err)
	}
	if listener < 0 {
		return nil
	}
	defer unix.Close(listener)
	if err := unix.Sendmsg(statusFD, []byte{0}, unix.UnixRights(listener), nil, 0); err != nil {
		return fmt.Errorf("the watch over signals: %w", err)
	}
	return nil
}

// filePowers are the capabilities that commands keep if golem runs as root. Most of
// them are about files, which Landlock limits in any case.
var filePowers = []uintptr{
	unix.CAP_CHOWN, unix.CAP_DAC_OVERRIDE, unix.CAP_DAC_READ_SEARCH, unix.CAP_FOWNER, unix.CAP_FSETID, unix.CAP_KILL,
	unix.CAP_SETGID, unix.CAP_SETUID, unix.CAP_NET_BIND_SERVICE,
}

// dropPowers removes the other capabilities, which matters if golem runs as root: with
// CAP_PERFMON, for example, a command could read the memory and the environment of
// golem in spite of Landlock. They are gone after the next exec.
func dropPowers() error {
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil && !errors.Is(err, unix.EINVAL) {
		return err
	}
	for c := uintptr(0); c <= unix.CAP_LAST_CAP; c++ {
		if has, err := unix.PrctlRetInt(unix.PR_CAPBSET_READ, c, 0, 0, 0); err != nil || has == 0 || slices.Contains(filePowers, c) {
			continue // the kernel does not know it, or it is gone
		}
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); err != nil && os.Geteuid() == 0 {
			return err
		}
	}
	return nil
}
