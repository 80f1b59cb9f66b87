package webtest

import (
	"bufio"
	"crypto/tls"
	"net"
	"net/http/httptest"
	"sync"
)

// outside returns the address to which all host names but this machine's resolve: that of
// a server for b.Outside, or "~NOTFOUND" if there is none.
func (b *Browser) outside() string {
	if b.Outside == nil {
		return "~NOTFOUND"
	}
	server := httptest.NewUnstartedServer(b.Outside)
	server.StartTLS() // for its certificate
	secured := server.TLS
	server.Close()
	server = httptest.NewUnstartedServer(b.Outside)
	server.Listener = both{server.Listener, secured}
	server.Start()
	b.end = append(b.end, server.Close)
	return server.Listener.Addr().String()
}

// both is a listener that accepts TLS and plain connections at one address.
type both struct {
	net.Listener
	config *tls.Config
}

func (l both) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &either{Conn: c, config: l.config}, nil
}

// either is a connection that is TLS or plain, as its first byte shows.
type either struct {
	net.Conn
	config *tls.Config
	once   sync.Once
	in     net.Conn
}

func (c *either) Read(b []byte) (int, error) {
	c.once.Do(c.begin)
	return c.in.Read(b)
}

func (c *either) Write(b []byte) (int, error) {
	c.once.Do(c.begin)
	return c.in.Write(b)
}

func (c *either) begin() {
	peeked := &buffered{c.Conn, bufio.NewReader(c.Conn)}
	c.in = peeked
	if first, err := peeked.Peek(1); err == nil && first[0] == 0x16 { // a TLS handshake
		c.in = tls.Server(peeked, c.config)
	}
}

type buffered struct {
	net.Conn
	*bufio.Reader
}

func (c *buffered) Read(b []byte) (int, error) { return c.Reader.Read(b) }
