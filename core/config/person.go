package config

import (
	"path"
	"strings"

	"golem/core/approval"
	"golem/core/fault"
	"golem/core/yamltree"
)

// Person is a person's own configuration, $GOLEM_HOME/config.yaml (SPEC §3). Its
// model, delegation, retry and approval mode are used where the manifest has none. No
// project can raise its limits, attempts and calls side by side, or weaken its approval settings ask and blocked. The
// zero value and nil have no settings. A Config does not change.
type Person struct {
	n    *yamltree.Node
	here *yamltree.Node  // its settings for the open project
	kept []approval.Rule // for that project, from another file or key

	instead bool // kept replaces the rules of here that pre-approve
}

// configShape are the keys of the person's config.
var configShape = newConfigShape()

func newConfigShape() *yamltree.Shape {
	project := yamltree.KeysOf(map[string]*yamltree.Shape{"approval": key("Whether calls ask, in this project. It cannot allow what is ask or blocked here.", projectApprovalShape()), "trust": key("true: trust all that the project says; false: nothing, and never ask; a digest: exactly the list that golem check prints.", trustShape()), "tools": key("What the modules of this project may use at most.", ceilingsShape())})
	projects := yamltree.MapOf(project)
	projects.Key = func(name string) string {
		if !path.IsAbs(name) && !strings.HasPrefix(name, "~/") && !Drive(name) {
			return "is not an absolute path: write the project's whole directory, or begin it with ~/"
		}
		return ""
	}
	return yamltree.KeysOf(map[string]*yamltree.Shape{
		"model": key("The model where nothing else names one, provider:name. A list is asked in order, the next where one is overloaded or gone.", modelsShape()), "model_settings": key("Settings of the model for all projects. Those of a project or a worker come before them.", modelSettingsShape()), "providers": key("Your own model providers, as in a manifest.", providersShape()),
		"approval": key("Whether calls ask, in all projects. No project can allow what is ask or blocked here.", projectApprovalShape()), "limits": key("What a run may use at most, whatever the files of a project say.", limitsShape()), "delegation": key("How workers may call each other where a project says nothing. No project can exceed parallel (32 if you do not set it).", delegationShape()), "retry": key("How failed requests are repeated where a project says nothing. No project can exceed attempts (5 if you do not set it).", retryShape()),
		"projects": key("Settings for single projects. The name of each is the real directory of the project, absolute or below ~/, and in the page /NAME.", projects), "web": key("What the toolset web may use, for all projects.", webShape()), "tools": key("What the modules of all projects may use at most.", ceilingsShape()), "notify": key("How a terminal calls you when a run of more than 10 seconds asks or ends. The page has a switch in Settings.", yamltree.OneOf(Notices...)),
		"titles": key("How a conversation gets its title: the first line of the first message, or the model makes one after the first answer. It makes none for scripts, recordings and where nobody is there.", yamltree.OneOf(titles...)),
	})
}

// Notices are the values of notify: how a terminal signals that a long run asks or
// ends. The first one is the default.
var Notices = []string{"off", "bell", "desktop"}

// titles are the values of titles. The first one is the default.
var titles = []string{"first-line", "model"}

// ModelTitles reports whether models make the titles of conversations.
func (c *Person) ModelTitles() bool {
	n := c.Get("titles")
	return n != nil && n.Text == "model"
}

// Notify returns the value of notify, one of Notices.
func (c *Person) Notify() string {
	if n := c.Get("notify"); n != nil {
		return n.Text
	}
	return Notices[0]
}

// trustShape returns the shape of trust: true (trust all that the project's files say),
// false (trust nothing, and never ask) or the digest that golem check prints.
func trustShape() *yamltree.Shape {
	return inJSON(`{"type": ["boolean", "string"]}`, yamltree.ScalarOf("true, false or a digest", func(n *yamltree.Node) (string, string) {
		if n.Tag == yamltree.TagBool || n.Tag == yamltree.TagText && strings.HasPrefix(n.Text, "sha256:") {
			return "", ""
		}
		return "expected true, false or a digest", "golem check prints the digest: sha256:…"
	}))
}

// ReadPerson reads a person's configuration. name is the file's name in faults. root is
// the open project, to find its entry under projects: an absolute path with slashes, or
// in the page "/" and the project's name. home replaces ~ in these entries. The Config
// is nil if there is an error.
func ReadPerson(name string, data []byte, root, home string) (*Person, error) {
	tree, faults := yamltree.Parse(name, data)
	if len(faults) > 0 {
		return nil, faults
	}
	if tree == nil {
		return &Person{}, nil
	}
	c := &yamltree.Conformer{}
	out := &Person{n: c.Conform(tree, configShape, "")}
	refuseTwice(c, out.n.Get("projects"), home)
	if err := c.Faults.Err(); err != nil {
		return nil, c.Faults
	}
	out.here = out.n.Get("projects").Get(keyOf(out.n.Get("projects"), root, home))
	return out, nil
}

// refuseTwice adds a fault for each key under projects that means the same project as an
// earlier one.
func refuseTwice(c *yamltree.Conformer, projects *yamltree.Node, home string) {
	if projects == nil {
		return
	}
	keys := map[string]string{}
	for _, f := range projects.Fields {
		at := whole(f.Name, home)
		if other, twice := keys[at]; twice {
			c.Fail(f.Pos, "write one entry with the settings of both", "%s and %s are the same project", fault.Quoted(other), fault.Quoted(f.Name))
		}
		keys[at] = f.Name
	}
}

// keyOf returns the key under projects that means the root; "" if there is none.
func keyOf(projects *yamltree.Node, root, home string) (key string) {
	if projects == nil {
		return ""
	}
	for _, f := range projects.Fields {
		if whole(f.Name, home) == path.Clean(root) {
			key = f.Name
		}
	}
	return key
}

// whole returns a key under projects as an absolute path with slashes.
func whole(key, home string) string {
	if rest, ok := strings.CutPrefix(key, "~/"); ok {
		key = path.Join(home, rest)
	}
	return path.Clean(strings.ReplaceAll(key, "\\", "/"))
}

// WithRules returns a copy of the Config with more rules for the open project, after
// its own. If instead is true, its own rules that pre-approve are left out.
func (c *Person) WithRules(kept []approval.Rule, instead bool) *Person {
	out := *c
	out.kept, out.instead = kept, instead
	return &out
}

// Rules returns the approval rules that the person keeps for the open project.
func (c *Person) Rules() []approval.Rule {
	here, _ := c.Personal()
	return here.Rules
}

// Get returns the value at a path of keys; nil if it is not set, or for nil.
func (c *Person) Get(names ...string) *yamltree.Node {
	if c == nil {
		return nil
	}
	return c.n.Path(names...)
}

// Trust returns what projects: sets for the open project: trust in everything
// (all), in nothing (all false, digest ""), or in the list with a digest. set is
// false if it has no trust: key.
func (c *Person) Trust() (all bool, digest string, set bool) {
	if c == nil || c.here.Get("trust") == nil {
		return false, "", false
	}
	if n := c.here.Get("trust"); n.Tag == yamltree.TagText {
		return false, n.Text, true
	}
	return c.here.Get("trust").Flag(), "", true
}

// Providers returns the providers that the person adds or changes, by name.
func (c *Person) Providers() map[string]Provider {
	out := map[string]Provider{}
	if all := c.Get("providers"); all != nil {
		for _, f := range all.Fields {
			out[f.Name] = provider(f.Value)
		}
	}
	return out
}

// Here returns the value at a path of keys among the settings for the open project; nil if
// it is not set, or for nil.
func (c *Person) Here(names ...string) *yamltree.Node {
	if c == nil {
		return nil
	}
	return c.here.Path(names...)
}

// Personal returns the approval settings for this project and for all projects.
func (c *Person) Personal() (here, everywhere approval.Personal) {
	if c == nil {
		return here, everywhere
	}
	here, everywhere = personal(c.here.Get("approval")), personal(c.Get("approval"))
	own := here.Rules
	here.Rules = nil
	for _, r := range own {
		if !c.instead || r.Decide != approval.PreApproved {
			here.Rules = append(here.Rules, r)
		}
	}
	here.Rules = append(here.Rules, c.kept...)
	return here, everywhere
}

func personal(n *yamltree.Node) approval.Personal {
	p := approval.Personal{Origins: map[string]approval.Origin{}, Rules: ReadRules(n.Get("rules"), approval.Person)}
	origin := func(where yamltree.Pos, path string) approval.Origin {
		return approval.Origin{By: approval.Person, At: where.String(), File: where.File, Path: path}
	}
	if tools := n.Get("tools"); tools != nil {
		p.Tools = map[string]approval.Setting{}
		for _, f := range tools.Fields {
			p.Tools[f.Name] = SettingOf(f.Value)
			p.Origins["tool:"+f.Name] = origin(f.Value.Pos, "approval.tools."+f.Name)
		}
	}
	if d := n.Get("default"); d != nil {
		p.Default = SettingOf(d)
		p.Origins["default"] = origin(d.Pos, "approval.default")
	}
	return p
}

// ModelSettings returns the model settings of the person's config below the key
// model_settings, as a worker file has them.
func (c *Person) ModelSettings() *yamltree.Node {
	n := c.Get("model_settings")
	if n == nil {
		return nil
	}
	return &yamltree.Node{Pos: n.Pos, Kind: yamltree.Mapping, Fields: []yamltree.Field{{Name: "model_settings", Pos: n.Pos, Value: n}}}
}

// Ceiling returns the most, in bytes, that a project can give a module.
func (c *Person) Ceiling(l moduleLimit) int64 {
	n := c.Get("tools", l.Key)
	if here := c.Here("tools", l.Key); here != nil {
		n = here
	}
	if n == nil {
		return l.usual
	}
	bytes, _ := n.Size()
	return bytes
}
