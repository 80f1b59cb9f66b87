package toolcmd

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"strings"
	"syscall"
	"time"

	"golem/core/config"
	"golem/core/fault"
	"golem/core/ui"
	"golem/core/wasmtool"
	"golem/core/wasmtool/guard"

	"golem/cmd/cli/console"
	"golem/cmd/cli/fetch"
	"golem/cmd/cli/toolhost"
)

// maxFetchTime is the time limit for fetching a module, for all requests together.
const maxFetchTime = 5 * time.Minute

// fetched is a module that was fetched, with its real origin.
type fetched struct {
	data    []byte
	from    string // the origin, for people: the last address, or the registry's digest
	sidecar []byte // the description beside a file; nil: there is none
}

// Download is an HTTP client for the host of an address and for redirects from it. A
// host that a person named may be any host, over https, or this machine over http.
// Every other host, including one that a project names, must be a public one, over
// https: an address in a project must not lead into a private network. The proxies of
// the environment are not used, because behind a proxy the address that is reached
// cannot be checked.
type Download struct {
	named    string // host[:port] of the address
	byPerson bool   // a person named it, not a project
	client   *http.Client
}

func newDownload(named *url.URL, byPerson bool) *Download {
	d := &Download{named: named.Host, byPerson: byPerson}
	d.client = &http.Client{CheckRedirect: d.redirect, Transport: NewTransport(d)}
	return d
}

// NewTransport is DownloadTransport. Tests replace it, so that a local host answers for
// a public one.
var NewTransport = DownloadTransport

// DownloadTransport returns the transport that refuses what a download may not reach.
func DownloadTransport(d *Download) *http.Transport {
	return &http.Transport{
		DialContext: d.Dial, TLSHandshakeTimeout: fetch.ModuleDialTimeout, ResponseHeaderTimeout: fetch.ModuleHeaderWait,
		MaxResponseHeaderBytes: fetch.ModuleHeaderBytes, ForceAttemptHTTP2: true,
	}
}

func (d *Download) close() { d.client.CloseIdleConnections() }

// check returns an error for an address that must not be requested.
func (d *Download) check(u *url.URL) error {
	switch {
	case u.Host == "" || u.User != nil:
		return fault.New(fault.Network, "the address has no host, or a name or password in it").Hinting("for example https://example.org/tool.wasm")
	case u.Scheme == "https", u.Scheme == "http" && d.byPerson && u.Host == d.named && fetch.Loopback(u.Hostname()):
		return nil
	}
	return fault.New(fault.Network, "%s: golem fetches modules over https only", u.Host).Hinting("http is for this machine's own addresses")
}

func (d *Download) redirect(r *http.Request, via []*http.Request) error {
	if len(via) > fetch.ModuleRedirects {
		return fault.New(fault.Network, "%s redirected more than %d times", via[0].URL.Host, fetch.ModuleRedirects)
	}
	r.Header.Del("Referer")
	if r.URL.Host != via[0].URL.Host {
		r.Header.Del("Authorization")
	}
	return d.check(r.URL)
}

// Dial connects to an address. It checks the address at the moment of connecting, so
// that a second answer of a name server cannot lead to another address.
func (d *Download) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	dialer := net.Dialer{Timeout: fetch.ModuleDialTimeout}
	if !d.byPerson || host != d.named && net.JoinHostPort(host, port) != d.named && "["+host+"]" != d.named {
		dialer.Control = func(_, connected string, _ syscall.RawConn) error {
			at, err := netip.ParseAddrPort(connected)
			if err != nil || !wasmtool.Public(at.Addr()) {
				return fault.New(fault.Network, "%s is a private or local address", host).Hinting("if you want what is there, name that address yourself: golem tool add ADDRESS")
			}
			return nil
		}
	}
	return dialer.DialContext(ctx, network, address)
}

// get sends one GET request and returns the response, whatever its status, and its
// body. A body of more than limit bytes is an error. The response's own Body is closed.
func (d *Download) get(ctx context.Context, address string, header http.Header, limit int) (*http.Response, []byte, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, nil, fault.New(fault.Network, "%s is not an address", ui.OneLine(address))
	}
	if err := d.check(u); err != nil {
		return nil, nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, nil, fault.New(fault.Network, "%s is not an address", ui.OneLine(address))
	}
	request.Header = header.Clone()
	if request.Header == nil {
		request.Header = http.Header{}
	}
	request.Header.Set("User-Agent", "golem")
	response, err := d.client.Do(request)
	if err != nil {
		return nil, nil, fetch.FailedRequest(ctx, u, err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, int64(limit)+1))
	switch {
	case err != nil:
		return nil, nil, fetch.FailedRequest(ctx, u, err)
	case len(body) > limit:
		return nil, nil, fault.New(fault.Network, "the answer of %s has more than %d bytes", u.Host, limit)
	}
	return response, body, nil
}

// fetchModule reads the module of a SOURCE: an https address, an oci address of a
// registry, or a file. byPerson says that a person named it, and not a project.
func fetchModule(ctx context.Context, c *console.Console, source string, byPerson bool) (fetched, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, maxFetchTime, fault.New(fault.Timeout, "the module was not fetched within %s", maxFetchTime))
	defer cancel()
	if err := checkSource(source); err != nil {
		return fetched{}, err
	}
	switch scheme, _, address := strings.Cut(source, "://"); {
	case !address:
		data, err := toolhost.ReadModule(c, source)
		got := fetched{data: data, from: "the file " + source}
		if beside, wrong := c.ReadFile(strings.TrimSuffix(c.Path(source), ".wasm")+".tools.yaml", toolhost.MaxSidecar); err == nil && wrong == nil {
			got.sidecar = beside
		}
		return got, err
	case scheme == "oci":
		return fetchOCI(ctx, source, byPerson)
	}
	u, err := url.Parse(source)
	if err != nil {
		return fetched{}, err // not reached: checkSource has parsed it
	}
	d := newDownload(u, byPerson)
	defer d.close()
	response, body, err := d.get(ctx, source, http.Header{"Accept": {"application/wasm, application/octet-stream;q=0.9, */*;q=0.5"}}, guard.MaxSize)
	if err != nil {
		return fetched{}, err
	}
	if response.StatusCode != http.StatusOK {
		return fetched{}, answered(u.Host, response)
	}
	return fetched{data: body, from: response.Request.URL.Redacted()}, isModule(u.Host, response.Header.Get("Content-Type"), body)
}

// checkSource returns an error for an address from which no module can be fetched.
func checkSource(source string) error {
	scheme, _, address := strings.Cut(source, "://")
	switch {
	case !address:
		return nil
	case scheme == "oci" && !ociAddress().MatchString(source):
		return notOCI(source)
	case scheme == "oci":
		return nil
	case scheme != "https" && scheme != "http":
		return console.Usage("golem tool add cannot read %s addresses", ui.OneLine(scheme)).Hinting("use an https or oci address, or a file")
	}
	u, err := url.Parse(source)
	if err != nil {
		return console.Usage("%s is not an address", ui.OneLine(source)).Hinting("for example https://example.org/tool.wasm")
	}
	return (&Download{named: u.Host, byPerson: true}).check(u)
}

// checkProjectSource returns an error for a module address that a project must not
// choose: only https and oci are allowed, and no address that is certainly not public.
// Host names are checked when golem connects.
func checkProjectSource(source, name string) error {
	u, err := url.Parse(source)
	if err == nil && (u.Scheme == "https" || u.Scheme == "oci") && !fetch.Loopback(u.Hostname()) {
		if at, err := netip.ParseAddr(u.Hostname()); err != nil || wasmtool.Public(at) {
			return checkSource(source)
		}
	}
	return fault.New(fault.Lock, "%s has %s for %s, and golem tool update asks only public addresses, over https or oci", config.ToolLockFile, ui.OneLine(source), ui.OneLine(name)).
		Hinting("if you want what is there, name that address yourself: golem tool add ADDRESS --name %s", strings.TrimSuffix(path.Base(name), ".wasm"))
}

// answered returns the fault for an HTTP status that is not the expected one.
func answered(host string, r *http.Response) error {
	return fault.New(fault.Network, "%s answers %s", host, ui.OneLine(r.Status)).Hinting("check the address")
}

var errNoModule = errors.New("not a WebAssembly module")

// isModule returns an error if the data that a host sent is no module, but for example
// a page.
func isModule(host, kind string, data []byte) error {
	if strings.HasPrefix(string(data), "\x00asm") {
		return nil
	}
	if kind != "" {
		kind = " (" + ui.OneLine(kind) + ")"
	}
	return fault.New(fault.ToolModule, "what %s sent%s is %w", host, kind, errNoModule).Hinting("use the address of the .wasm file itself")
}
