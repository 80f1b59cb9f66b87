package wasmtool

import (
	"cmp"
	"strings"

	"golem/core/fault"
)

// ownHeaders are headers that a module cannot set, because they belong to the
// connection or to a proxy.
var ownHeaders = map[string]bool{
	"host": true, "connection": true, "content-length": true, "transfer-encoding": true, "te": true, "trailer": true,
	"upgrade": true, "keep-alive": true, "expect": true, "http2-settings": true, "via": true,
}

var methods = map[string]bool{"GET": true, "HEAD": true, "POST": true, "PUT": true, "PATCH": true, "DELETE": true, "OPTIONS": true}

// Request checks a request and completes it: the URL must be allowed, the
// method known (GET if none), and the headers such as a module can set. Send
// the request that it returns, not the given one.
func (p Policy) Request(r HTTPRequest) (HTTPRequest, error) {
	u, err := p.URL(r.URL)
	if err != nil {
		return r, err
	}
	r.URL = u.String()
	method := strings.ToUpper(r.Method)
	if method == "" {
		method = "GET"
	}
	if !methods[method] {
		return r, fault.New(fault.Network, "the module sent a request with the method %q", Escape([]byte(r.Method), 40)).
			Hinting("use GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS")
	}
	r.Method = method
	if most := cmp.Or(p.MostSent, MaxRequest); int64(len(r.Body)) > most {
		return r, fault.New(fault.Network, "the module's request has more than %d bytes", most).Hinting("%s", raise("request"))
	}
	if len(r.Body) > 0 && (method == "GET" || method == "HEAD") {
		return r, fault.New(fault.Network, "the module sent %d bytes with %s, a method without a body", len(r.Body), method)
	}
	return r, checkHeaders(r.Header)
}

func checkHeaders(header map[string]string) error {
	if len(header) > 100 {
		return fault.New(fault.Network, "the module's request has %d headers; at most 100 are allowed", len(header))
	}
	size := 0
	seen := make(map[string]bool, len(header))
	for k, v := range header {
		low := strings.ToLower(k)
		size += len(k) + len(v)
		switch {
		case !token(k), !fieldValue(v):
			return fault.New(fault.Network, "the module's request has a header that is not valid: %q", Escape([]byte(k), 60))
		case ownHeaders[low], strings.HasPrefix(low, "proxy-"), strings.HasPrefix(low, "sec-"):
			return fault.New(fault.Network, "the module's request has the header %s, which modules cannot set", Escape([]byte(k), 60))
		case seen[low]:
			return fault.New(fault.Network, "the module's request has the header %s twice", Escape([]byte(k), 60))
		}
		seen[low] = true
	}
	if size > maxHeaders {
		return fault.New(fault.Network, "the module's request has headers of %d bytes; at most %d are allowed", size, maxHeaders)
	}
	return nil
}

// token reports whether s is a header name (RFC 9110, 5.6.2).
func token(s string) bool {
	for _, c := range s {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && !strings.ContainsRune("!#$%&'*+-.^_`|~", c) {
			return false
		}
	}
	return s != ""
}

// fieldValue reports whether s can be the value of a header (RFC 9110, 5.5).
func fieldValue(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}
