package shell

import "golang.org/x/sys/unix"

// auditArch is seccomp's number for this CPU architecture; 0 means that there is no
// filter for it.
const auditArch = unix.AUDIT_ARCH_AARCH64
