package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"net"
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/rogpeppe/go-internal/testscript"

	"golem/cmd/cli/toolcmd"
)

// publicAddress and publicCertificate are the variables with the address and the
// certificate of the server that stands for the public internet.
const (
	publicAddress     = "GOLEM_TEST_PUBLIC_ADDRESS"
	publicCertificate = "GOLEM_TEST_PUBLIC_CERTIFICATE"
)

// cmdServePublic serves a directory's files as https://example.com until the script ends:
// serve-public DIR.
func cmdServePublic(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: serve-public DIR")
	}
	server := httptest.NewTLSServer(http.FileServer(http.Dir(ts.MkAbs(args[0]))))
	ts.Defer(server.Close)
	ts.Setenv(publicAddress, server.Listener.Addr().String())
	ts.Setenv(publicCertificate, base64.StdEncoding.EncodeToString(server.Certificate().Raw))
}

// usePublicServer redirects the downloads of modules from example.com to the server of
// serve-public. Other hosts are not changed.
func usePublicServer() {
	address := os.Getenv(publicAddress)
	if address == "" {
		return
	}
	raw, err := base64.StdEncoding.DecodeString(os.Getenv(publicCertificate))
	if err != nil {
		panic(err)
	}
	certificate, err := x509.ParseCertificate(raw)
	if err != nil {
		panic(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(certificate)
	toolcmd.NewTransport = func(d *toolcmd.Download) *http.Transport {
		t := toolcmd.DownloadTransport(d)
		t.TLSClientConfig = &tls.Config{RootCAs: roots}
		t.DialContext = func(ctx context.Context, network, to string) (net.Conn, error) {
			if to == "example.com:443" {
				var dialer net.Dialer
				return dialer.DialContext(ctx, network, address)
			}
			return d.Dial(ctx, network, to)
		}
		return t
	}
}
