package githost

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/sideband"
	"github.com/go-git/go-git/v5/plumbing/storer"
	"github.com/go-git/go-git/v5/plumbing/transport"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"
	"github.com/go-git/go-git/v5/storage/memory"

	"golem/core/fault"
	"golem/core/ui"

	"golem/cmd/cli/fetch"
)

// gitClient is the HTTP client with which a repository is downloaded.
type gitClient = *http.Client

// gitHTTPClient returns a client that follows redirects only within one host, so that
// golem installs from the host that the person named.
func gitHTTPClient() gitClient {
	c := fetch.NewClient()
	c.CheckRedirect = func(r *http.Request, via []*http.Request) error {
		if r.URL.Host != via[0].URL.Host || r.URL.Scheme != via[0].URL.Scheme {
			return fault.New(fault.Network, "%s redirects to another host, %s", via[0].URL.Host, fault.Brief(ui.OneLine(r.URL.Host))).
				Hinting("if you trust that host, use its address")
		}
		if len(via) > 5 {
			return fault.New(fault.Network, "%s redirects too often", via[0].URL.Host)
		}
		return nil
	}
	return c
}

// download downloads one commit without its history, and keeps its objects in memory.
func (a gitAddress) download(ctx context.Context, client gitClient) (storer.EncodedObjectStorer, plumbing.Hash, error) {
	bounded := *client
	bounded.Transport = boundedTransport{client.Transport}
	ep, err := transport.NewEndpoint(a.remote.String())
	if err != nil {
		return nil, plumbing.ZeroHash, a.unreachable(err)
	}
	session, adv, err := a.listed(ctx, githttp.NewClientWithOptions(&bounded, nil), ep)
	if err != nil {
		return nil, plumbing.ZeroHash, a.unreachable(err)
	}
	at, err := a.advertised(adv)
	if err != nil {
		return nil, plumbing.ZeroHash, err
	}
	pack, err := a.receive(ctx, session, adv, at)
	if err != nil {
		return nil, plumbing.ZeroHash, a.unreachable(err)
	}
	if err := checkPack(ctx, bytes.NewReader(pack), maxPackTotal); err != nil {
		return nil, plumbing.ZeroHash, err
	}
	store := memory.NewStorage()
	parser, err := packfile.NewParserWithStorage(packfile.NewScanner(bytes.NewReader(pack)), store)
	if err == nil {
		_, err = parser.Parse()
	}
	return store, at, err
}

// listed returns the server's list of tags and branches. If the server wants a login, it asks
// again with that of the person.
func (a gitAddress) listed(ctx context.Context, client transport.Transport, ep *transport.Endpoint) (transport.UploadPackSession, *packp.AdvRefs, error) {
	session, err := client.NewUploadPackSession(ep, nil)
	if err != nil {
		return nil, nil, err
	}
	adv, err := session.AdvertisedReferencesContext(ctx)
	if !wantsLogin(err) || a.login == nil {
		return session, adv, err
	}
	user, key, failed := a.login.credential(ctx, a.remote)
	if failed != nil || key == "" {
		return nil, nil, errors.Join(failed, err)
	}
	if session, err = client.NewUploadPackSession(ep, &githttp.BasicAuth{Username: user, Password: key}); err != nil {
		return nil, nil, err
	}
	adv, err = session.AdvertisedReferencesContext(ctx)
	return session, adv, err
}

// wantsLogin reports whether a server refused a request because of its login. A repository that
// a login must not see is often "not found".
func wantsLogin(err error) bool {
	return errors.Is(err, transport.ErrAuthenticationRequired) || errors.Is(err, transport.ErrAuthorizationFailed) || errors.Is(err, transport.ErrRepositoryNotFound)
}

// advertised returns the object that the address names in the server's list: a tag
// before a branch, and the default branch if neither is named.
func (a gitAddress) advertised(adv *packp.AdvRefs) (plumbing.Hash, error) {
	if a.ref == "" {
		if adv.Head == nil {
			return plumbing.ZeroHash, a.noSuchRef(nil)
		}
		return *adv.Head, nil
	}
	for _, name := range a.refNames() {
		if at, ok := adv.References[name.String()]; ok {
			return at, nil
		}
	}
	return plumbing.ZeroHash, a.noSuchRef(slices.Sorted(maps.Keys(adv.References)))
}

func (a gitAddress) refNames() []plumbing.ReferenceName {
	return []plumbing.ReferenceName{plumbing.NewTagReferenceName(a.ref), plumbing.NewBranchReferenceName(a.ref)}
}

// receive downloads the pack with one commit and its files.
func (a gitAddress) receive(ctx context.Context, session transport.UploadPackSession, adv *packp.AdvRefs, at plumbing.Hash) ([]byte, error) {
	req := packp.NewUploadPackRequestFromCapabilities(adv.Capabilities)
	req.Wants = []plumbing.Hash{at}
	if adv.Capabilities.Supports(capability.Shallow) {
		if err := req.Capabilities.Set(capability.Shallow); err != nil {
			return nil, err
		}
		req.Depth = packp.DepthCommits(1)
	}
	res, err := session.UploadPack(ctx, req)
	if err != nil {
		return nil, err
	}
	defer res.Close()
	var in io.Reader = res
	switch {
	case req.Capabilities.Supports(capability.Sideband64k):
		in = sideband.NewDemuxer(sideband.Sideband64k, res)
	case req.Capabilities.Supports(capability.Sideband):
		in = sideband.NewDemuxer(sideband.Sideband, res)
	}
	return io.ReadAll(in)
}

// unreachable returns the fault for a repository that could not be downloaded.
func (a gitAddress) unreachable(err error) error {
	var f *fault.Fault
	if errors.As(err, &f) {
		return f
	}
	var wrapped *plumbing.UnexpectedError
	if errors.As(err, &wrapped) && errors.As(wrapped.Err, &f) {
		return f
	}
	var ue *url.Error
	if errors.As(err, &ue) || wrapped != nil && errors.As(wrapped.Err, &ue) {
		err = ue.Err
	}
	switch host := a.remote.Host; {
	case wantsLogin(err) && a.login != nil:
		return fault.New(fault.NotFound, "%s has no such repository that can be read with the login that you have for it, or without one", host).
			Hinting("check the address; for a private repository keep a key with golem secret set git.%s, or with a credential helper of your own git configuration", a.remote.Hostname())
	case wantsLogin(err):
		return fault.New(fault.NotFound, "%s has no such repository that can be read without a login", host).
			Hinting("check the address; clone a repository that needs a login with git and install the directory")
	case errors.Is(err, transport.ErrEmptyRemoteRepository):
		return a.noSuchRef(nil)
	default:
		return fault.New(fault.Network, "the repository could not be downloaded from %s: %s", host, fault.Brief(ui.OneLine(err.Error())))
	}
}

// boundedTransport is a transport that breaks off answers longer than maxPack bytes.
type boundedTransport struct{ http.RoundTripper }

// RoundTrip sends a request and bounds the body of its answer.
func (b boundedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		res.Body = &boundedBody{ReadCloser: res.Body, left: maxPack}
	}
	return res, err
}

type boundedBody struct {
	io.ReadCloser
	left int64
}

// Read reads the body. It fails once there are more bytes than the limit.
func (b *boundedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, gitFault("it has more than %d bytes", int64(maxPack))
	}
	return n, err
}
