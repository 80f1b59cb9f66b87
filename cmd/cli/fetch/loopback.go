package fetch

import (
	"net"
	"net/netip"

	"golem/core/fault"

	"golem/cmd/cli/console"
)

// Loopback reports whether a host name or address means this machine.
func Loopback(name string) bool {
	ip, err := netip.ParseAddr(name)
	return name == "localhost" || err == nil && ip.IsLoopback()
}

// Listen listens on the address of a flag, which must be a loopback address.
func Listen(flag, addr, hint string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(addr)
	if ip, bad := netip.ParseAddr(host); err != nil || host != "localhost" && (bad != nil || !ip.IsLoopback()) {
		return nil, console.Usage("%s %s is not a loopback address with a port", flag, addr).Hinting("%s", hint)
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fault.New(fault.Busy, "cannot listen on %s: %w", addr, err).Hinting("choose another port with %s, or 0 for a free one", flag)
	}
	return l, nil
}
