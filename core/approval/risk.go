package approval

import "golem/core/tool"

// rank orders risks; what is unknown ranks with command.
func rank(r tool.Risk) int {
	switch r {
	case tool.Read:
		return 0
	case tool.Write:
		return 1
	case tool.Network:
		return 2
	case tool.Destructive:
		return 3
	}
	return 4
}

// ownRisk is the risk of a tool before any call. Delegating does nothing by
// itself: what the child does meets the gate again.
func ownRisk(spec tool.Spec) tool.Risk {
	if spec.Kind == tool.Worker && spec.Risk == "" {
		return tool.Read
	}
	return spec.Risk
}

// callRisk is the risk of one call: a preview can raise it, never lower it.
func callRisk(spec tool.Spec, p tool.Preview) tool.Risk {
	own := ownRisk(spec)
	if p.Risk != "" && rank(p.Risk) > rank(own) {
		return p.Risk
	}
	return own
}

// leavesSandbox is true for calls whose effect a sandbox does not hold:
// network and command, and whatever is unknown (SPEC §3).
func leavesSandbox(r tool.Risk) bool {
	switch r {
	case tool.Read, tool.Write, tool.Destructive:
		return false
	}
	return true
}

// escapes says whether a call can do more than its sandbox holds: run a
// command, or reach the network. A module can reach what it was granted and
// no more, whatever risk it is of.
func escapes(r tool.Risk, spec tool.Spec) bool {
	switch {
	case r == tool.Network, r == tool.Command, len(spec.Hosts) > 0:
		return true
	case spec.Kind == tool.Wasm:
		return spec.Network
	}
	return leavesSandbox(r)
}

// widens says whether "any arguments" may be remembered for calls of this
// risk: never for destructive or command (SECURITY 8).
func widens(r tool.Risk) bool {
	return rank(r) < rank(tool.Destructive)
}

// requestType is how a front end shows the call (S4-28).
func requestType(r tool.Risk, paths []tool.PathUse) string {
	switch {
	case r == tool.Command:
		return "command"
	case r == tool.Write && len(paths) > 0:
		return "file_write"
	}
	return "tool_call"
}
