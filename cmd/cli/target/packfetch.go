package target

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"

	"golem/core/fault"
	"golem/core/ui"
	"golem/core/workspace"

	"golem/cmd/cli/console"
	"golem/cmd/cli/fetch"
)

// maxPackTime is the time limit for downloading a packed project.
const maxPackTime = 5 * time.Minute

// fetchPack downloads a packed project over https; from this machine http is allowed,
// too. It follows redirects only within the same host.
func fetchPack(c *console.Console, address string) ([]byte, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil {
		return nil, console.Usage("the address of the packed project cannot be used").Hinting("for example https://example.org/project.golem, without a name or password")
	}
	if u.Scheme != "https" && !fetch.Loopback(u.Hostname()) {
		return nil, console.Usage("%s: golem fetches packed projects over https only", u.Host).Hinting("http is for this machine's own addresses")
	}
	ctx, stop := c.Interruptible(context.Background())
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, maxPackTime)
	defer cancel()
	waits, end := c.Spinner()
	defer end()
	waits.Wait("fetching from " + u.Host)
	client := fetch.NewClient()
	client.CheckRedirect = sameHost
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, console.Usage("the address of the packed project cannot be used").Hinting("for example https://example.org/project.golem")
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, fetch.FailedRequest(ctx, u, err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fault.New(fault.Network, "%s answers %s", u.Host, ui.OneLine(response.Status)).Hinting("check the address")
	}
	data, err := io.ReadAll(io.LimitReader(response.Body, workspace.MaxPack+1))
	if err != nil {
		return nil, fetch.FailedRequest(ctx, u, err)
	}
	return data, nil // ReadPack refuses data longer than the limit
}

// sameHost is a redirect check that allows only redirects to the same host.
func sameHost(r *http.Request, via []*http.Request) error {
	if first := via[0].URL; r.URL.Host != first.Host || r.URL.Scheme != first.Scheme {
		return fault.New(fault.Network, "%s redirects to another host, %s", first.Host, ui.OneLine(r.URL.Host)).Hinting("if you trust that host, name the file there")
	}
	if len(via) > 5 {
		return errors.New("too many redirects")
	}
	return nil
}
