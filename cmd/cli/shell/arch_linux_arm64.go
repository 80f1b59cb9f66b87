package shell

import "golang.org/x/sys/unix"

// auditArch is how seccomp names the machine; 0: there is no filter for it.
const auditArch = unix.AUDIT_ARCH_AARCH64
