package confine

import (
	"fmt"
	"strings"

	"golang.org/x/sys/unix"
)

// mounts makes the command's own tree of files, if it has a mount namespace: everything is
// read-only but the places where it writes, and in these the protected files are read-only
// as well. Each step reaches a file by descriptor, so that a link cannot lead elsewhere.
func (w *Walls) mounts() error {
	if !w.Spaces.Mounts {
		return nil
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("making them private: %w", err)
	}
	writable, err := w.writable()
	if err != nil {
		return err
	}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}); err != nil {
		return fmt.Errorf("making them read-only: %w", err)
	}
	for _, t := range writable {
		if err := t.attach(); err != nil {
			return err
		}
	}
	for _, p := range w.Protected {
		t, err := cloned(Place{Path: p.Path, Exact: true})
		if err != nil {
			return err
		}
		if t.fd >= 0 && !p.Write {
			if err := unix.MountSetattr(t.fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}); err != nil {
				return fmt.Errorf("%s: %w", p.Path, err)
			}
		}
		if err := t.attach(); err != nil {
			return err
		}
	}
	for _, dir := range w.Hidden {
		if err := hide(dir); err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
	}
	if !w.Spaces.Procs {
		return nil
	}
	if err := unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("/proc: %w", err)
	}
	return nil
}

// writable returns copies of the mounts of the places where the command writes, as they
// are before everything becomes read-only. Devices stay as they are.
func (w *Walls) writable() ([]tree, error) {
	var out []tree
	for _, p := range w.Places {
		if !p.Write || strings.HasPrefix(p.Path, "/dev/") {
			continue
		}
		t, err := cloned(p)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

// tree is a copy of the mount of a place, with what is mounted below.
type tree struct {
	place Place
	fd    int // -1: the place does not exist
}

func cloned(p Place) (tree, error) {
	at, err := p.open()
	if err != nil || at < 0 {
		return tree{p, -1}, err
	}
	defer unix.Close(at)
	fd, err := unix.OpenTree(at, "", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_EMPTY_PATH|unix.AT_RECURSIVE)
	if err != nil {
		return tree{p, -1}, fmt.Errorf("%s: %w", p.Path, err)
	}
	return tree{p, fd}, nil
}

// attach mounts the tree on its own place.
func (t tree) attach() error {
	if t.fd < 0 {
		return nil
	}
	defer unix.Close(t.fd)
	at, err := t.place.open()
	if err == nil && at < 0 {
		err = unix.ENOENT // it was there before
	}
	if err != nil {
		return fmt.Errorf("%s: %w", t.place.Path, err)
	}
	defer unix.Close(at)
	if err := unix.MoveMount(t.fd, "", at, "", unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH); err != nil {
		return fmt.Errorf("%s: %w", t.place.Path, err)
	}
	return nil
}

// hide mounts an empty, read-only directory on a directory, if it exists.
func hide(dir string) error {
	at, err := Place{Path: dir, Exact: true}.open()
	if err != nil || at < 0 {
		return err
	}
	defer unix.Close(at)
	kind, err := unix.Fsopen("tmpfs", unix.FSOPEN_CLOEXEC)
	if err != nil {
		return err
	}
	defer unix.Close(kind)
	if err := unix.FsconfigSetString(kind, "size", "4096"); err != nil {
		return err
	}
	if err := unix.FsconfigCreate(kind); err != nil {
		return err
	}
	fd, err := unix.Fsmount(kind, unix.FSMOUNT_CLOEXEC, unix.MOUNT_ATTR_RDONLY|unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV|unix.MOUNT_ATTR_NOEXEC)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return unix.MoveMount(fd, "", at, "", unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH)
}
