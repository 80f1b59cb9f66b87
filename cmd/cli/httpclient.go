package main

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// maxRedirects bounds redirects within one host.
const maxRedirects = 3

// newHTTPClient is what the core reaches providers with: no redirect to
// another host (SPEC §10), proxies from the environment, and timeouts on what
// comes before an answer; the answer itself is bounded by the model timeout.
func newHTTPClient() *http.Client {
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
		CheckRedirect: sameHostOnly,
	}
}

// sameHostOnly follows a redirect only to the host and scheme that were asked.
func sameHostOnly(r *http.Request, via []*http.Request) error {
	first := via[0].URL
	if r.URL.Host != first.Host || r.URL.Scheme != first.Scheme {
		return fmt.Errorf("the provider redirects to another host (%s), which golem does not follow", r.URL.Host)
	}
	if len(via) > maxRedirects {
		return errors.New("the provider redirects too often")
	}
	return nil
}
