package config

import (
	"net/url"
	"strings"

	"golem/core/yamltree"
)

// RemoteProblem returns what is wrong with the address of a repository to which a branch is
// sent; "" if nothing is. Only HTTPS and SSH reach it, and no key may be in it, because the
// file with the address is shared.
func RemoteProblem(address string) string {
	u, err := url.Parse(address)
	switch {
	case err != nil || yamltree.Invisible(address) || strings.ContainsAny(address, " \\"):
		return "cannot be read as an address"
	case u.Scheme != "https" && u.Scheme != "ssh":
		return "begins neither with https:// nor with ssh://"
	case u.Hostname() == "" || strings.HasPrefix(u.Hostname(), "-") || strings.Trim(u.Path, "/") == "":
		return "has no host or no path"
	case u.RawQuery != "" || u.Fragment != "":
		return "has a ? or # in it"
	case u.User != nil && strings.HasPrefix(u.User.Username(), "-"):
		return "has a user that begins with -"
	}
	if _, has := u.User.Password(); has {
		return "has a key in it"
	}
	return ""
}
