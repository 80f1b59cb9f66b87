package approval

import (
	"slices"
	"strings"

	"golem/core/tool"
)

// whyAsked returns for a person why they are asked: what the call does, and then the setting
// that asks, unless it is the default of the risk.
func whyAsked(spec tool.Spec, risk tool.Risk, paths []tool.PathUse, rule string) string {
	text := effect(spec, risk, paths)
	if len(paths) > 0 && !slices.ContainsFunc(paths, func(p tool.PathUse) bool { return !p.Staged }) {
		text += "; staged: the real file stays until you push"
	}
	if rule == "" || strings.HasPrefix(rule, riskRule) {
		return text
	}
	return text + "; " + rule
}

// riskRule is the beginning of the label of a setting that is the default of the risk.
const riskRule = "risk "

// effect returns what a call does, in words that follow "Why asked: ".
func effect(spec tool.Spec, risk tool.Risk, paths []tool.PathUse) string {
	files := len(paths) > 0
	switch {
	case spec.Kind == tool.Worker:
		return "it starts a worker"
	case risk == tool.Read && files:
		return "it reads a file"
	case risk == tool.Read:
		return "it reads or computes"
	case risk == tool.Write && files:
		return "it changes a file"
	case risk == tool.Write:
		return "it can change files or data"
	case risk == tool.Network:
		return "it uses the network"
	case risk == tool.Destructive && files:
		return "it deletes a file"
	case risk == tool.Destructive:
		return "it can delete or destroy data"
	case risk == tool.Command:
		return "it runs a command outside the sandbox"
	}
	return "what it can do is unknown"
}

// unchanged reports whether a call writes the content that its one file already has.
func unchanged(view tool.Preview) bool {
	return view.Before != "" && view.Diff == "" && len(view.Paths) == 1 && view.Paths[0].Op == "write"
}
