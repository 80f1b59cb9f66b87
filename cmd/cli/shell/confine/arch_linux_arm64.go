package confine

import "golang.org/x/sys/unix"

// auditArch is seccomp's number for this CPU architecture; 0 means that there is no
// filter for it.
const auditArch = unix.AUDIT_ARCH_AARCH64

// foreign is 0: no other ABI uses the same number of architecture.
const foreign = 0

// older are the system calls that only older processors have.
var older []purpose

var olderRefused []call
