// Package config reads what the files of a person and of a project say: worker files, project
// files, descriptions of libraries, lock files and config.yaml, as values with the place of
// each setting. It opens no file, and does not know what a name means (SPEC §2, §3).
package config

// Manifest is the part of the project file that is about the project itself
// (S1-19..26). Settings that are defaults for its workers are merged into each Worker.
// The zero value stands for a project without a project file.
type Manifest struct {
	File         string // "project.yaml", "" if there is none
	Name         string
	Version      string
	Description  string
	Entry        string
	Dependencies []string
	Exports      []string
	WorkersRoots []string // default ["workers"]
	Include      []string
	Exclude      []string
	PromptsRoot  string // default "prompts"
	ApprovalMode string // as resolved to approval.Mode's spelling, "" if unset
	Providers    map[string]Provider
	ToolRoots    []string // directories of tool modules beside tools/; default ["toolsets"]
	ToolEngine   string   // auto (default), wazero or browser
	// ToolsListed: tools of modules are offered only to workers that have
	// toolsets.custom (tools.offer: listed), not to all.
	ToolsListed bool
	// Targets are the places that staged changes can be pushed to, by name.
	Targets map[string]Target
}

// Target is a directory, or a branch of a git repository, which may be sent to Remote.
type Target struct{ Dir, Git, Branch, Remote string }

// Provider is a row of the table of model providers, which a manifest or a person's
// configuration adds or changes.
type Provider struct {
	BaseURL   string            `json:"base_url"`
	APIKeyEnv string            `json:"api_key_env,omitempty"`
	Headers   map[string]string `json:"headers,omitempty"`
	// What the provider accepts, as in golem's built-in table of providers.
	Image bool              `json:"image,omitempty"`
	PDF   bool              `json:"pdf,omitempty"`
	JSON  string            `json:"json,omitempty"` // schema, object or none
	API   string            `json:"api,omitempty"`  // chat, responses or anthropic
	Query map[string]string `json:"query,omitempty"`

	Quirks ProviderQuirks `json:"quirks,omitzero"`
	// Models are context sizes and prices by a model's name; "*": all others.
	Models map[string]ModelFacts `json:"models,omitempty"`
}

// ProviderQuirks are the points in which a provider differs from the protocol; see
// model.Quirks.
type ProviderQuirks struct {
	NoUsage   bool              `json:"no_usage,omitempty"`
	NoStream  bool              `json:"no_stream,omitempty"`
	JSONAlone bool              `json:"json_alone,omitempty"`
	KeyHeader string            `json:"key_header,omitempty"`
	Carry     []string          `json:"carry,omitempty"`
	Settings  map[string]string `json:"settings,omitempty"`

	NoUserAfterTool bool              `json:"no_user_after_tool,omitempty"`
	Fill            map[string]string `json:"fill,omitempty"`
}
