// Package fetch makes requests over HTTP for golem itself and for the modules of tools,
// each with its own limits.
package fetch

import (
	"net"
	"net/http"
	"time"
)

// NewClient returns the client with which the core reaches providers. It follows no
// redirect, because a key goes with each request (the page follows none either). It
// uses the proxies of the environment, and has timeouts for connecting; the model
// timeout bounds the answer.
func NewClient() *http.Client {
	dialer := &net.Dialer{Timeout: 15 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Client{
		Transport: &http.Transport{
			Proxy:               http.ProxyFromEnvironment,
			DialContext:         dialer.DialContext,
			TLSHandshakeTimeout: 15 * time.Second,
			IdleConnTimeout:     90 * time.Second,
			MaxIdleConnsPerHost: 16,
			ForceAttemptHTTP2:   true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
