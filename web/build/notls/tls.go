// Package tls stands in for crypto/tls in the page: the browser's fetch does TLS. It has
// only the names that net/http refers to, and none of its functions is ever called. web/build
// lays it over the standard library's package, whose curves, tables and certificates would
// add 0.3 MB to the download.
package tls

import (
	"context"
	"errors"
	"net"
)

var errNone = errors.New("crypto/tls is not linked into the page: the browser's fetch does TLS")

// The versions and cipher suites of TLS that net/http refers to.
const (
	VersionTLS12                            = 0x0303
	VersionTLS13                            = 0x0304
	TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256   = 0xc02f
	TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256 = 0xc02b
)

// Certificate is a type that net/http refers to; it is never filled.
type Certificate struct{ Certificate [][]byte }

// ClientHelloInfo is a type that net/http refers to; it is never filled.
type ClientHelloInfo struct{}

// Config has the fields that net/http reads or writes.
type Config struct {
	Certificates             []Certificate
	GetCertificate           func(*ClientHelloInfo) (*Certificate, error)
	GetConfigForClient       func(*ClientHelloInfo) (*Config, error)
	NextProtos               []string
	ServerName               string
	InsecureSkipVerify       bool
	CipherSuites             []uint16
	PreferServerCipherSuites bool
	MinVersion               uint16
}

// Clone returns a shallow copy.
func (c *Config) Clone() *Config {
	copied := *c
	return &copied
}

// ConnectionState has the fields that net/http reads; it is never filled, because no
// connection is made.
type ConnectionState struct {
	Version                    uint16
	HandshakeComplete          bool
	CipherSuite                uint16
	NegotiatedProtocol         string
	NegotiatedProtocolIsMutual bool
	ServerName                 string
}

// RecordHeaderError is an error that net/http looks for; it never happens.
type RecordHeaderError struct {
	RecordHeader [5]byte
	Conn         net.Conn
}

// Error returns the message that crypto/tls is not linked into the page.
func (e RecordHeaderError) Error() string { return errNone.Error() }

// Conn is a connection whose handshake always fails.
type Conn struct{ net.Conn }

// ConnectionState returns an empty state.
func (c *Conn) ConnectionState() ConnectionState { return ConnectionState{} }

// Handshake always fails.
func (c *Conn) Handshake() error { return errNone }

// HandshakeContext always fails.
func (c *Conn) HandshakeContext(context.Context) error { return errNone }

// VerifyHostname always fails: no host was verified.
func (c *Conn) VerifyHostname(string) error { return errNone }

// Client returns a connection whose handshake always fails.
func Client(conn net.Conn, config *Config) *Conn { return &Conn{conn} }

// NewListener returns a listener whose Accept always fails.
func NewListener(inner net.Listener, config *Config) net.Listener { return refusing{inner} }

type refusing struct{ net.Listener }

func (refusing) Accept() (net.Conn, error) { return nil, errNone }

// Dial always fails.
func Dial(network, addr string, config *Config) (*Conn, error) { return nil, errNone }

// LoadX509KeyPair always fails.
func LoadX509KeyPair(certFile, keyFile string) (Certificate, error) { return Certificate{}, errNone }
