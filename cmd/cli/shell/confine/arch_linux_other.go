//go:build linux && !amd64 && !arm64

package confine

// auditArch is seccomp's number for this CPU architecture; 0 means that there is no
// filter for it.
const auditArch = 0
