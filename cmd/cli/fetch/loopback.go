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

// ListenAnywhere listens as Listen does, and also on an address that other machines reach;
// anywhere reports whether they do.
func ListenAnywhere(flag, addr string) (l net.Listener, anywhere bool, err error) {
	host, _, err := net.SplitHostPort(addr)
	ip, bad := netip.ParseAddr(host)
	if err != nil || host != "localhost" && bad != nil {
		return nil, false, console.Usage("the address in %s %s is not an IP address with a port", flag, addr).Hinting("for example 127.0.0.1:8421, or 127.0.0.1:0 for a free port")
	}
	if host == "localhost" || ip.IsLoopback() {
		l, err = Listen(flag, addr, "")
		return l, false, err
	}
	if l, err = net.Listen("tcp", addr); err != nil {
		return nil, false, fault.New(fault.Busy, "cannot listen on %s: %w", addr, err).Hinting("choose another port or address with %s", flag)
	}
	return l, true, nil
}
