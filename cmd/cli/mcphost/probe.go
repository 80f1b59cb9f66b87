package mcphost

import (
	"context"
	"net/http"
	"strings"

	"golem/core/mcp"
)

// challenge sends requests without a token, until the server's answer says how to sign in.
// Some servers let everybody begin a session and ask for a sign-in only when the tools are
// listed. If none of the answers asks, the last one is returned, with a status below 300.
func (l Login) challenge(ctx context.Context, client *http.Client) (*http.Request, *http.Response, error) {
	session := http.Header{}
	req, res, err := l.probe(ctx, client, mcp.MethodInitialize, `{"protocolVersion":"`+mcp.Latest+`","capabilities":{},"clientInfo":{"name":"golem","version":"1"}}`, session)
	if err != nil || res.StatusCode == http.StatusUnauthorized {
		return req, res, err
	}
	params := "{}"
	switch {
	case res.StatusCode < 300:
		session.Set(mcp.SessionHeader, res.Header.Get(mcp.SessionHeader))
		session.Set(mcp.RevisionHeader, mcp.Latest)
		if _, _, err := l.probe(ctx, client, mcp.NotificationInitialized, "", session); err != nil {
			return nil, nil, err
		}
	case res.StatusCode == http.StatusBadRequest, res.StatusCode == http.StatusNotFound, res.StatusCode == http.StatusMethodNotAllowed: // no handshake
		session.Set(mcp.RevisionHeader, mcp.Stateless)
		session.Set(mcp.MethodHeader, mcp.MethodListTools)
		params = `{"_meta":{"` + mcp.MetaRevision + `":"` + mcp.Stateless + `","` + mcp.MetaClient + `":{"name":"golem","version":"1"},"` + mcp.MetaCapabilities + `":{}}}`
	default:
		return req, res, nil
	}
	listReq, list, err := l.probe(ctx, client, mcp.MethodListTools, params, session)
	if err != nil || list.StatusCode == http.StatusUnauthorized || res.StatusCode >= 300 {
		return listReq, list, err
	}
	return req, res, nil
}

// probe sends one message without a token. A message without parameters is a notification.
// The body of the answer is closed.
func (l Login) probe(ctx context.Context, client *http.Client, method, params string, headers http.Header) (*http.Request, *http.Response, error) {
	body := `{"jsonrpc":"2.0","method":"` + method + `"}`
	if params != "" {
		body = `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, l.Server, strings.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	for name, values := range headers {
		if values[0] != "" {
			req.Header[name] = values
		}
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	res, err := client.Do(req)
	if err != nil {
		return nil, nil, err
	}
	res.Body.Close()
	res.Body = http.NoBody
	return req, res, nil
}
