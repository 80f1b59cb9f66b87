package toolcmd

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strings"
	"sync"

	"golem/core/fault"
	"golem/core/ui"
	"golem/core/wasmtool/guard"

	"golem/cmd/cli/console"
	"golem/cmd/cli/fetch"
)

// registry is a client that pulls from one repository of a container registry without a
// login. It uses the OCI distribution protocol, with a token that the registry gives to
// everyone.
type registry struct {
	*Download
	base       string // https://HOST/v2/REPOSITORY
	repository string
	bearer     string
}

// Limits of a registry's answers other than the module, in bytes.
const (
	maxManifest = 1 << 20
	maxToken    = 64 << 10
)

var (
	ociAddress = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^oci://([A-Za-z0-9.-]+(?::\d{1,5})?|\[[0-9a-fA-F:]+\](?::\d{1,5})?)/([a-z0-9]+(?:[._/-]+[a-z0-9]+)*)(?::([A-Za-z0-9_][A-Za-z0-9._-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?$`)
	})
	ociDigest = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)
	challenge = regexp.MustCompile(`([a-z]+)="([^"]*)"`)
)

// manifestTypes are the media types of the manifests that golem reads.
const manifestTypes = "application/vnd.oci.image.manifest.v1+json, application/vnd.oci.image.index.v1+json, application/vnd.docker.distribution.manifest.v2+json, application/vnd.docker.distribution.manifest.list.v2+json"

// descriptor is a reference to a part of an image, by its digest.
type descriptor struct {
	MediaType string `json:"mediaType"`
	Digest    string `json:"digest"`
	Size      int64  `json:"size"`
	Platform  struct {
		Architecture string `json:"architecture"`
	} `json:"platform"`
}

type manifest struct {
	Layers    []descriptor `json:"layers"`
	Manifests []descriptor `json:"manifests"`
}

func notOCI(source string) error {
	return console.Usage("%s is not an address of a registry", ui.OneLine(source)).Hinting("for example oci://ghcr.io/owner/tool:1.0")
}

// fetchOCI pulls the module of oci://HOST/REPOSITORY[:TAG][@DIGEST].
func fetchOCI(ctx context.Context, source string, byPerson bool) (fetched, error) {
	m := ociAddress().FindStringSubmatch(source)
	if m == nil {
		return fetched{}, notOCI(source)
	}
	host, repository, ref := m[1], m[2], m[3]
	if m[4] != "" {
		ref = m[4]
	} else if ref == "" {
		ref = "latest"
	}
	if host == "docker.io" {
		host = "registry-1.docker.io"
	}
	u := &url.URL{Scheme: "https", Host: host}
	if fetch.Loopback(u.Hostname()) {
		u.Scheme = "http"
	}
	r := &registry{Download: newDownload(u, byPerson), base: u.String() + "/v2/" + repository, repository: repository}
	defer r.close()
	layer, digest, err := r.layer(ctx, ref, 0)
	if err != nil {
		return fetched{}, err
	}
	data, err := r.blob(ctx, layer)
	if err != nil {
		return fetched{}, err
	}
	if strings.Contains(layer.MediaType, "tar") {
		if data, err = unpacked(data, strings.HasSuffix(layer.MediaType, "gzip")); err != nil {
			return fetched{}, err
		}
	}
	return fetched{data: data, from: source + ", manifest " + digest}, isModule(host, layer.MediaType, data)
}

// layer finds the one layer of an image that is a module. It also returns the digest of
// the manifest.
func (r *registry) layer(ctx context.Context, ref string, depth int) (descriptor, string, error) {
	body, err := r.read(ctx, "/manifests/"+ref, manifestTypes, maxManifest)
	if err != nil {
		return descriptor{}, "", err
	}
	digest := digestOf(body)
	if ociDigest.MatchString(ref) && digest != ref {
		return descriptor{}, "", mismatch(r.named, ref, digest)
	}
	var m manifest
	if err := json.Unmarshal(body, &m); err != nil {
		return descriptor{}, "", fault.New(fault.Network, "the manifest that %s sent is not JSON of a manifest", r.named)
	}
	if len(m.Manifests) > 0 {
		one, ok := theOne(m.Manifests, func(d descriptor) bool { return strings.Contains(d.Platform.Architecture, "wasm") })
		if !ok || depth > 0 || !ociDigest.MatchString(one.Digest) {
			return descriptor{}, "", fault.New(fault.ToolModule, "%s has an image for several platforms, and not one of them is wasm", r.named).Hinting("name the manifest: oci://HOST/REPOSITORY@sha256:…")
		}
		return r.layer(ctx, one.Digest, depth+1)
	}
	one, ok := theOne(m.Layers, func(d descriptor) bool { return strings.Contains(d.MediaType, "wasm") })
	if !ok || !ociDigest.MatchString(one.Digest) {
		return descriptor{}, "", fault.New(fault.ToolModule, "the image has %s, and not exactly one is a WebAssembly module", fault.Count(len(m.Layers), "layer")).
			Hinting("golem pulls images with one layer, of type application/wasm or a tar archive with one .wasm file")
	}
	return one, digest, nil
}

// theOne returns the only descriptor that fits, or if none fits and there is only one,
// that one.
func theOne(all []descriptor, fits func(descriptor) bool) (one descriptor, ok bool) {
	n := 0
	for _, d := range all {
		if fits(d) {
			one, n = d, n+1
		}
	}
	if n == 0 && len(all) == 1 {
		return all[0], true
	}
	return one, n == 1
}

// blob downloads the content of a layer and checks its digest.
func (r *registry) blob(ctx context.Context, d descriptor) ([]byte, error) {
	if d.Size > guard.MaxSize {
		return nil, fault.New(fault.ToolModule, "the module has %d bytes, more than %d", d.Size, guard.MaxSize)
	}
	data, err := r.read(ctx, "/blobs/"+d.Digest, "*/*", guard.MaxSize)
	if err != nil {
		return nil, err
	}
	if got := digestOf(data); got != d.Digest {
		return nil, mismatch(r.named, d.Digest, got)
	}
	return data, nil
}

// read sends one request, and sends it again with a token if the registry demands one.
func (r *registry) read(ctx context.Context, name, accept string, limit int) ([]byte, error) {
	for {
		header := http.Header{"Accept": {accept}}
		if r.bearer != "" {
			header.Set("Authorization", "Bearer "+r.bearer)
		}
		response, body, err := r.get(ctx, r.base+name, header, limit)
		switch {
		case err != nil:
			return nil, err
		case response.StatusCode == http.StatusOK:
			return body, nil
		case response.StatusCode != http.StatusUnauthorized || r.bearer != "":
			return nil, answered(r.named, response)
		}
		if err := r.login(ctx, response.Header.Get("WWW-Authenticate")); err != nil {
			return nil, err
		}
	}
}

// login gets the token that the registry gives to everyone. golem sets the scope
// itself: reading this repository.
func (r *registry) login(ctx context.Context, offer string) error {
	values := map[string]string{}
	scheme, rest, _ := strings.Cut(offer, " ")
	for _, m := range challenge.FindAllStringSubmatch(rest, -1) {
		values[m[1]] = m[2]
	}
	realm, err := url.Parse(values["realm"])
	if err != nil || !strings.EqualFold(scheme, "Bearer") || realm.Host == "" {
		return fault.New(fault.Network, "%s wants a login that golem does not have", r.named).Hinting("golem pulls what is public; else download the module and add the file")
	}
	query := realm.Query()
	query.Set("service", values["service"])
	query.Set("scope", "repository:"+r.repository+":pull")
	realm.RawQuery = query.Encode()
	response, body, err := r.get(ctx, realm.String(), nil, maxToken)
	if err != nil {
		return err
	}
	var answer struct {
		Token  string `json:"token"`
		Access string `json:"access_token"`
	}
	if response.StatusCode != http.StatusOK || json.Unmarshal(body, &answer) != nil || answer.Token+answer.Access == "" {
		return fault.New(fault.Network, "%s gives no token for %s to everyone", r.named, r.repository).Hinting("golem pulls what is public; else download the module and add the file")
	}
	if r.bearer = answer.Token; r.bearer == "" {
		r.bearer = answer.Access
	}
	if strings.ContainsFunc(r.bearer, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return fault.New(fault.Network, "%s gives a token that is not plain text", r.named)
	}
	return nil
}

func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

func mismatch(host, want, got string) error {
	return fault.New(fault.Lock, "%s sent something else than was asked for: %s, not %s", host, got, want).Hinting("nothing was written; try another registry")
}

// unpacked returns the only .wasm file of a tar archive. It writes nothing to the disk.
func unpacked(data []byte, zipped bool) ([]byte, error) {
	broken := fault.New(fault.ToolModule, "the layer is not a tar archive that can be read")
	var in io.Reader = bytes.NewReader(data)
	if zipped {
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, broken
		}
		in = z
	}
	archive := tar.NewReader(io.LimitReader(in, 2*guard.MaxSize))
	var out []byte
	for {
		file, err := archive.Next()
		switch {
		case errors.Is(err, io.EOF) && out != nil:
			return out, nil
		case errors.Is(err, io.EOF):
			return nil, fault.New(fault.ToolModule, "the image has no .wasm file")
		case err != nil:
			return nil, broken
		case file.Typeflag != tar.TypeReg || path.Ext(file.Name) != ".wasm":
			continue
		case out != nil:
			return nil, fault.New(fault.ToolModule, "the image has more than one .wasm file")
		}
		if out, err = io.ReadAll(io.LimitReader(archive, guard.MaxSize+1)); err != nil {
			return nil, broken
		}
		if len(out) > guard.MaxSize {
			return nil, fault.New(fault.ToolModule, "the module has more than %d bytes", guard.MaxSize)
		}
	}
}
