//go:build linux && !amd64 && !arm64

package shell

// auditArch is how seccomp names the machine; 0: there is no filter for it.
const auditArch = 0
