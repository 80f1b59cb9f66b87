package main

import (
	"context"
	"errors"
	"io"

	"net/http"
	"net/netip"
	"net/url"
	"time"

	"golem/core/fault"
	"golem/core/workspace"
)

// maxPackTime is the time limit for downloading a packed project.
const maxPackTime = 5 * time.Minute

// fetchPack downloads a packed project over https; from this machine http is allowed,
// too. It follows redirects only within the same host.
func (h *host) fetchPack(address string) ([]byte, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil {
		return nil, usage("the address of the packed project cannot be used").Hinting("for example https://example.org/project.golem, without a name or password")
	}
	if u.Scheme != "https" && !loopback(u.Hostname()) {
		return nil, usage("%s: golem fetches packed projects over https only", u.Host).Hinting("http is for this machine's own addresses")
	}
	ctx, stop := h.interruptible(context.Background())
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, maxPackTime)
	defer cancel()
	waits, end := h.spinner()
	defer end()
	waits.Wait("fetching from " + u.Host)
	client := newHTTPClient()
	client.CheckRedirect = sameHost
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, usage("the address of the packed project cannot be used").Hinting("for example https://example.org/project.golem")
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, failedRequest(ctx, u, err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fault.New(fault.Network, "%s answers %s", u.Host, oneLine(response.Status)).Hinting("check the address")
	}
	data, err := io.ReadAll(io.LimitReader(response.Body, workspace.MaxPack+1))
	if err != nil {
		return nil, failedRequest(ctx, u, err)
	}
	return data, nil // ReadPack refuses data longer than the limit
}

// sameHost is a redirect check that allows only redirects to the same host.
func sameHost(r *http.Request, via []*http.Request) error {
	if first := via[0].URL; r.URL.Host != first.Host || r.URL.Scheme != first.Scheme {
		return fault.New(fault.Network, "%s redirects to another host, %s", first.Host, oneLine(r.URL.Host)).Hinting("if you trust that host, name the file there")
	}
	if len(via) > 5 {
		return errors.New("too many redirects")
	}
	return nil
}

// loopback reports whether a host name or address means this machine.
func loopback(name string) bool {
	ip, err := netip.ParseAddr(name)
	return name == "localhost" || err == nil && ip.IsLoopback()
}
