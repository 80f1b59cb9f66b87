package approval

import (
	"slices"
	"strings"

	"golem/core/tool"
)

// why says in plain words why a person is asked: what the call does, then the
// setting that asks, if it is one of a file, a person or the tool.
func why(spec tool.Spec, risk tool.Risk, paths []tool.PathUse, rule string) string {
	text := effect(spec, risk, paths)
	if len(paths) > 0 && !slices.ContainsFunc(paths, func(p tool.PathUse) bool { return !p.Staged }) {
		text += "; staged: the real file stays until you push"
	}
	if rule == "" || strings.HasPrefix(rule, riskRule) {
		return text
	}
	return text + "; " + rule
}

// riskRule begins the label of a setting that is the risk's default.
const riskRule = "risk "

// effect is what a call does, as the rest of a sentence that begins with Why.
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

// unchanged says whether a call writes what its one file holds already.
func unchanged(view tool.Preview) bool {
	return view.Before != "" && view.Diff == "" && len(view.Paths) == 1 && view.Paths[0].Op == "write"
}
