// Package httpproxy stands in for golang.org/x/net/http/httpproxy in the page: the browser
// chooses the proxy, and a page has no environment variables that name one. web/build lays
// it over the copy in the standard library, which net/http calls before it opens a
// connection.
package httpproxy

import "net/url"

// Config is a proxy configuration without a proxy.
type Config struct{}

// FromEnvironment returns a configuration without a proxy.
func FromEnvironment() *Config { return &Config{} }

// ProxyFunc returns a function that returns nil, which means no proxy, for each address.
func (*Config) ProxyFunc() func(*url.URL) (*url.URL, error) {
	return func(*url.URL) (*url.URL, error) { return nil, nil }
}
