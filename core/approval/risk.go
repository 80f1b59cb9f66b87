package approval

import "golem/core/tool"

// rank orders risks; an unknown risk has the rank of command.
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

// ownRisk is the risk of a tool before any call is known. Calling a worker has
// no risk of its own, because every call that the worker makes passes the gate
// again.
func ownRisk(spec tool.Spec) tool.Risk {
	if spec.Kind == tool.Worker && spec.Risk == "" {
		return tool.Read
	}
	return spec.Risk
}

// callRisk is the risk of one call. A preview can raise the tool's risk, never
// lower it.
func callRisk(spec tool.Spec, p tool.Preview) tool.Risk {
	own := ownRisk(spec)
	if p.Risk != "" && rank(p.Risk) > rank(own) {
		return p.Risk
	}
	return own
}

// leavesSandbox reports whether calls of this risk have effects outside the
// sandbox: network, command and unknown risks (SPEC §3).
func leavesSandbox(r tool.Risk) bool {
	switch r {
	case tool.Read, tool.Write, tool.Destructive:
		return false
	}
	return true
}

// leaves reports whether calls of a tool have effects outside the sandbox at this risk.
func leaves(r tool.Risk, spec tool.Spec) bool {
	return leavesSandbox(r) || spec.Outside && r != tool.Read
}

// escapes reports whether a call can run a command or reach the network. A
// module can only reach what it was granted, whatever its risk.
func escapes(r tool.Risk, spec tool.Spec) bool {
	switch {
	case r == tool.Network, r == tool.Command, len(spec.Hosts) > 0:
		return true
	case spec.Kind == tool.Wasm:
		return spec.Network
	}
	return leaves(r, spec)
}

// widens reports whether "any arguments" can be remembered for calls of this
// risk: never for destructive or command (SECURITY 8).
func widens(r tool.Risk) bool {
	return rank(r) < rank(tool.Destructive)
}

// requestType is the type of a request, which decides how a front end shows the
// call (S4-28).
func requestType(r tool.Risk, paths []tool.PathUse) string {
	switch {
	case r == tool.Command:
		return "command"
	case r == tool.Write && len(paths) > 0:
		return "file_write"
	}
	return "tool_call"
}
