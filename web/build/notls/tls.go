// Package tls stands in for crypto/tls in the page: a browser's fetch does
// TLS, and net/http needs of it only what it names. Nothing here is ever
// called. web/build lays it over the standard library's package; the curves,
// tables and certificates that package brings would be 0.3 MB to load.
package tls

import (
	"context"
	"errors"
	"net"
)

var errNone = errors.New("crypto/tls is not linked into the page: the browser's fetch does TLS")

// The numbers that net/http names, as TLS has them.
const (
	VersionTLS12                            = 0x0303
	VersionTLS13                            = 0x0304
	TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256   = 0xc02f
	TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256 = 0xc02b
)

// Certificate is never filled.
type Certificate struct{ Certificate [][]byte }

// ClientHelloInfo is never filled.
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

// Clone copies.
func (c *Config) Clone() *Config {
	copied := *c
	return &copied
}

// ConnectionState is never filled: no connection is made here.
type ConnectionState struct {
	Version                    uint16
	HandshakeComplete          bool
	CipherSuite                uint16
	NegotiatedProtocol         string
	NegotiatedProtocolIsMutual bool
	ServerName                 string
}

// RecordHeaderError never happens.
type RecordHeaderError struct {
	RecordHeader [5]byte
	Conn         net.Conn
}

// Error says why there is no TLS.
func (e RecordHeaderError) Error() string { return errNone.Error() }

// Conn refuses to be a TLS connection.
type Conn struct{ net.Conn }

// ConnectionState is empty.
func (c *Conn) ConnectionState() ConnectionState { return ConnectionState{} }

// Handshake fails.
func (c *Conn) Handshake() error { return errNone }

// HandshakeContext fails.
func (c *Conn) HandshakeContext(context.Context) error { return errNone }

// VerifyHostname fails: no host was verified.
func (c *Conn) VerifyHostname(string) error { return errNone }

// Client is a connection whose handshake fails.
func Client(conn net.Conn, config *Config) *Conn { return &Conn{conn} }

// NewListener gives a listener that accepts nothing.
func NewListener(inner net.Listener, config *Config) net.Listener { return refusing{inner} }

type refusing struct{ net.Listener }

func (refusing) Accept() (net.Conn, error) { return nil, errNone }

// Dial fails.
func Dial(network, addr string, config *Config) (*Conn, error) { return nil, errNone }

// LoadX509KeyPair fails.
func LoadX509KeyPair(certFile, keyFile string) (Certificate, error) { return Certificate{}, errNone }
