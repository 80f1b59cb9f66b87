package confine

import (
	"os"

	"golang.org/x/sys/unix"
)

// statusPair returns the two ends of the connection on which the entrance tells the
// supervisor how it went. Both close on exec: when nothing was said, the command runs
// within its walls.
func statusPair() (ours int, theirs *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, nil, err
	}
	return fds[0], os.NewFile(uintptr(fds[1]), "status"), nil
}

// status waits until the entrance has made the walls, or has failed; then it returns why.
// If the entrance sends the descriptor on which the kernel asks about signals, status
// begins to answer.
func (c *command) status(ours int) (why string) {
	defer unix.Close(ours)
	data, oob := make([]byte, 4096), make([]byte, unix.CmsgSpace(4))
	for {
		n, oobn, _, _, err := unix.Recvmsg(ours, data, oob, unix.MSG_CMSG_CLOEXEC)
		if err == unix.EINTR {
			continue
		}
		if err != nil || n <= 0 {
			return why
		}
		if fd := descriptor(oob[:oobn]); fd >= 0 {
			go c.judge(fd)
			continue
		}
		why += string(data[:n])
	}
}

// descriptor returns the descriptor in a control message; -1 if it has none.
func descriptor(oob []byte) int {
	messages, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return -1
	}
	for i := range messages {
		if fds, err := unix.ParseUnixRights(&messages[i]); err == nil && len(fds) == 1 {
			return fds[0]
		}
	}
	return -1
}
