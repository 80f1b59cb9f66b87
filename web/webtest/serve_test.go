package webtest

import (
	"net"
	"testing"
)

// TestSitesHaveOriginsOfTheirOwn tests that a site never gets an address that an earlier site had,
// although the system reuses free ports. With it the site would get the other's storage.
func TestSitesHaveOriginsOfTheirOwn(t *testing.T) {
	first := freshOrigin(t, listener(t, "127.0.0.1:0"))
	addr := first.Addr().String()
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second := freshOrigin(t, listener(t, addr))
	defer second.Close()
	if second.Addr().String() == addr {
		t.Errorf("%s is the origin of two sites", addr)
	}
}

func listener(t *testing.T, addr string) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	return l
}
