package confine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// reportFD is the descriptor on which the supervisor tells golem why the walls could not
// be made.
const reportFD = 3

// starting is locked while the command's process starts. Whoever ends the processes locks
// it first and never unlocks it: a process must not be stopped between vfork and exec,
// because it shares its memory with the supervisor until then.
var starting sync.Mutex

// supervise runs the command that golem orders on standard input, ends everything that it
// has started, and returns the exit code for the process. Call it on the main thread.
func supervise() int {
	keepDescriptors()
	adopt()
	golem := os.Getppid()
	var o Order
	dec := json.NewDecoder(os.Stdin)
	if err := dec.Decode(&o); err != nil {
		return ExitNoStart
	}
	if o.Probe {
		_, _ = os.Stdout.Write(encoded(o.try()))
		return 0
	}
	ctx, cancel := context.WithCancel(context.Background())
	c := &command{}
	end := sync.OnceFunc(func() {
		cancel()
		starting.Lock()
		endAll(true, c.pid)
		os.Exit(ExitNoStart)
	})
	go func() {
		var nothing any
		_ = dec.Decode(&nothing) // returns when golem closes its end of the pipe or has exited
		end()
	}()
	go awaitEnd(golem, end)
	code, why := c.run(&o)
	if ctx.Err() != nil {
		select {} // end ends the process
	}
	starting.Lock()
	endAll(false, 0)
	if why != "" {
		_, _ = unix.Write(reportFD, []byte(why))
	}
	return code
}

// keepDescriptors keeps every descriptor but the standard ones from the programs that this
// process starts, also those that golem itself has inherited.
func keepDescriptors() { _ = unix.CloseRange(3, 1<<31-1, unix.CLOSE_RANGE_CLOEXEC) }

// awaitEnd calls end when the process golem has ended. The pipe of the order does not
// always tell: another process may hold its other end.
func awaitEnd(golem int, end func()) {
	fd, err := unix.PidfdOpen(golem, 0)
	if err != nil || os.Getppid() != golem {
		if os.Getppid() != golem {
			end()
		}
		return
	}
	for {
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		if _, err := unix.Poll(fds, -1); err != unix.EINTR {
			break
		}
	}
	end()
}

// try tries the combinations of namespaces and returns the first in which all walls can
// be made.
func (o *Order) try() Lent {
	var first string
	for _, s := range combinations() {
		attempt := *o
		walls := *o.Walls
		walls.Spaces = s
		attempt.Walls = &walls
		_, why := (&command{}).run(&attempt)
		if why == "" {
			return Lent{Spaces: s}
		}
		first = why // of the last one, which needs the least
	}
	return Lent{Fails: first}
}

// command is the process of a command, below the supervisor.
type command struct{ pid int }

// run starts the entrance and waits until the command has ended. why says why the walls
// could not be made; then nothing was run.
func (c *command) run(o *Order) (code int, why string) {
	ours, theirs, err := statusPair()
	if err != nil {
		return ExitNoStart, "a pair of sockets: " + err.Error()
	}
	cmd := &exec.Cmd{
		Path: selfLink, Args: []string{Name, string(Entrance)}, Dir: o.Dir, Env: Environment(o.Env), Stdout: os.Stdout, Stderr: os.Stderr,
		ExtraFiles: []*os.File{theirs}, SysProcAttr: &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL},
	}
	if o.Walls != nil {
		o.Walls.Spaces.applyTo(cmd.SysProcAttr)
	}
	in, err := cmd.StdinPipe()
	if err == nil {
		err = c.start(cmd)
	}
	_ = theirs.Close()
	if err != nil {
		_ = unix.Close(ours)
		return ExitNoStart, "namespaces: " + plain(err)
	}
	if _, err := in.Write(encoded(o)); err == nil {
		_ = in.Close()
	}
	why = c.status(ours)
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) // other processes of the user do not look into it
	return exitCode(cmd.Wait()), why
}

func (c *command) start(cmd *exec.Cmd) error {
	starting.Lock()
	defer starting.Unlock()
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0) // otherwise the ids of a namespace cannot be mapped
	if err := cmd.Start(); err != nil {
		return err
	}
	c.pid = cmd.Process.Pid
	return nil
}

// applyTo asks for the namespaces. A user keeps its own id in a user namespace, and gets the
// capabilities that the walls need until they are made. Root keeps all its ids.
func (s Spaces) applyTo(attr *syscall.SysProcAttr) {
	for flag, wanted := range map[uintptr]bool{unix.CLONE_NEWUSER: s.User, unix.CLONE_NEWPID: s.Procs, unix.CLONE_NEWNS: s.Mounts, unix.CLONE_NEWIPC: s.IPC} {
		if wanted {
			attr.Cloneflags |= flag
		}
	}
	if !s.User {
		return
	}
	if os.Geteuid() == 0 {
		attr.UidMappings, attr.GidMappings, attr.GidMappingsEnableSetgroups = idMap("uid_map"), idMap("gid_map"), true
		return
	}
	attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
	attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
	attr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SETPCAP}
}

// idMap returns a map of all ids of this process's own user namespace to themselves.
func idMap(name string) []syscall.SysProcIDMap {
	data, _ := os.ReadFile("/proc/self/" + name) // without it, the kernel refuses the namespace
	var out []syscall.SysProcIDMap
	for line := range strings.Lines(string(data)) {
		f := strings.Fields(line)
		if len(f) != 3 {
			continue
		}
		id, err := strconv.Atoi(f[0])
		size, bad := strconv.Atoi(f[2])
		if err == nil && bad == nil {
			out = append(out, syscall.SysProcIDMap{ContainerID: id, HostID: id, Size: size})
		}
	}
	return out
}

// exitCode returns the exit code of the command as shells define it: 128 plus the signal's
// number if a signal ended it.
func exitCode(err error) int {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return 0
	}
	if w, ok := exit.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return exit.ExitCode()
}

// plain returns an error without the file name, for messages that name the file already.
func plain(err error) string {
	var p *os.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return fmt.Sprint(err)
}
