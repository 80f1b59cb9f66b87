package project

import "golem/core/config"

// Secrets returns the values of the person that w's configuration gives to tool
// modules. They count only if a person trusts them.
func (w *Worker) Secrets() []config.Secret {
	var out []config.Secret
	for _, f := range w.modules() {
		out = append(out, config.SecretsIn(f.Value.Get("config"), "toolsets.custom.modules."+f.Name+".config", f.Name)...)
	}
	return out
}
