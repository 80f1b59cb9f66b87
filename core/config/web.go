package config

import "golem/core/yamltree"

// Web is the person's configuration of the toolset web. It is only in the person's
// config: a project cannot choose where searches go, or allow a private address.
type Web struct {
	PrivateHosts []string
	// Provider of web_search; "": none. URL and KeyEnv replace its address and the
	// variable that has its key.
	Provider, URL, KeyEnv string
}

// searchProviders are those that core/toolset/web has rows for.
var searchProviders = []string{"brave", "searxng", "tavily"}

func webShape() *yamltree.Shape {
	search := yamltree.KeysOf(map[string]*yamltree.Shape{
		"provider": key("The search provider.", yamltree.OneOf(searchProviders...)), "url": key("The address of the search provider. searxng needs one.", yamltree.Text(urlProblem)), "key_env": key("The variable with the API key, if it is not BRAVE_API_KEY or TAVILY_API_KEY.", yamltree.Text(yamltree.NameProblem)),
	})
	search.Musts = []string{"provider"}
	return yamltree.KeysOf(map[string]*yamltree.Shape{"private_hosts": key("Addresses of this machine or of a private network that workers may fetch from.", yamltree.ListOf(yamltree.Text(hostProblem))), "search": key("Who answers web_search.", search)})
}

// webOptions returns the keys of toolsets.web.
func webOptions() map[string]*yamltree.Shape {
	search := yamltree.KeysOf(map[string]*yamltree.Shape{"results": key("How many results a search gives; 8 without it.", yamltree.Count(1, 20))})
	return map[string]*yamltree.Shape{
		"hosts": key("All hosts that pages may be fetched from: a name, *.example.com, with or without a port. Without it every public host.", yamltree.ListOf(yamltree.Text(hostProblem))),
		"search": key("web_search; false leaves it out. Without it, it is there where you configured a provider.", &yamltree.Shape{Any: true, Of: search, Or: []string{`{"const": false}`}, Rewrite: func(c *yamltree.Conformer, n *yamltree.Node, path string) *yamltree.Node {
			if n.Kind == yamltree.Scalar && n.Tag == yamltree.TagBool && !n.Flag() {
				return n
			}
			return c.Conform(n, search, path)
		}}),
	}
}

// Web returns what the config says about the toolset web.
func (c *Person) Web() Web {
	search := c.Get("web", "search")
	return Web{
		PrivateHosts: c.Get("web", "private_hosts").Texts(),
		Provider:     search.Get("provider").String(), URL: search.Get("url").String(), KeyEnv: search.Get("key_env").String(),
	}
}
