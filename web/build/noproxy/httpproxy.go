// Package httpproxy stands in for golang.org/x/net/http/httpproxy in the page:
// the browser chooses its proxy, and a page has no environment that names one.
// web/build lays it over the copy in the standard library, which net/http asks
// before it opens a connection.
package httpproxy

import "net/url"

// Config has no fields: no proxy is configured.
type Config struct{}

// FromEnvironment returns the configuration of a page, which has none.
func FromEnvironment() *Config { return &Config{} }

// ProxyFunc returns a function that answers nil for each address: no proxy.
func (*Config) ProxyFunc() func(*url.URL) (*url.URL, error) {
	return func(*url.URL) (*url.URL, error) { return nil, nil }
}
