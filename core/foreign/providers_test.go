package foreign

import (
	"testing"

	"golem/core/model"
)

// notImported are the providers whose models an imported agent does not get, with the reason.
var notImported = map[string]string{
	"azure": "its models have the names that each person gave them",
}

// TestProvidersAreImported tests that an imported agent can have a model of each provider.
func TestProvidersAreImported(t *testing.T) {
	rows := map[string]bool{}
	for _, p := range model.Rows() {
		rows[p.Name] = true
		if (providers[p.Name] == p.Name) == (notImported[p.Name] != "") {
			t.Errorf("%s: name it in providers in core/foreign/agent.go, or give a reason in notImported", p.Name)
		}
	}
	for other, name := range providers {
		if !rows[name] {
			t.Errorf("providers in core/foreign/agent.go calls %s %s, which core/model/rows.go does not have", other, name)
		}
	}
}
