package project

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
		"provider": yamltree.OneOf(searchProviders...), "url": yamltree.Text(urlProblem), "key_env": yamltree.Text(yamltree.NameProblem),
	})
	search.Musts = []string{"provider"}
	return yamltree.KeysOf(map[string]*yamltree.Shape{"private_hosts": yamltree.ListOf(yamltree.Text(hostProblem)), "search": search})
}

// webOptions returns the keys of toolsets.web.
func webOptions() map[string]*yamltree.Shape {
	search := yamltree.KeysOf(map[string]*yamltree.Shape{"results": yamltree.Count(1, 20)})
	return map[string]*yamltree.Shape{
		"hosts": yamltree.ListOf(yamltree.Text(hostProblem)),
		"search": {Any: true, Rewrite: func(c *yamltree.Conformer, n *yamltree.Node, path string) *yamltree.Node {
			if n.Kind == yamltree.Scalar && n.Tag == yamltree.TagBool && !n.Flag() {
				return n
			}
			return c.Conform(n, search, path)
		}},
	}
}

// Web returns what the config says about the toolset web.
func (c *Config) Web() Web {
	search := c.get("web", "search")
	return Web{
		PrivateHosts: c.get("web", "private_hosts").Texts(),
		Provider:     search.Get("provider").String(), URL: search.Get("url").String(), KeyEnv: search.Get("key_env").String(),
	}
}
