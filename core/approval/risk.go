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

// ownRisk returns the risk of a tool without a call. Calling a worker has no risk of its
// own, because every call that the worker makes passes the gate.
func ownRisk(spec tool.Spec) tool.Risk {
	if spec.Kind == tool.Worker && spec.Risk == "" {
		return tool.Read
	}
	return spec.Risk
}

// callRisk returns the risk of one call. A preview can raise the tool's risk, never
// lower it.
func callRisk(spec tool.Spec, p tool.Preview) tool.Risk {
	own := ownRisk(spec)
	if p.Risk != "" && rank(p.Risk) > rank(own) {
		return p.Risk
	}
	return own
}

// escapes reports whether a call can have effects outside the sandbox: run a command,
// reach the network, or have an unknown risk (SPEC §3). A project's own preApproved, a
// manifest's approve_all and approval.taint all use it. For a module only its grants
// matter and not the risk that it declares, except the risks network and command.
func escapes(r tool.Risk, spec tool.Spec) bool {
	switch {
	case r == tool.Network, r == tool.Command, spec.Network, len(spec.Hosts) > 0:
		return true
	case spec.Kind == tool.Wasm, r == tool.Read:
		return false
	case r == tool.Write, r == tool.Destructive:
		return spec.Outside
	}
	return true
}

// widens reports whether "any arguments" can be remembered for calls of this
// risk: never for destructive or command (SECURITY 8).
func widens(r tool.Risk) bool {
	return rank(r) < rank(tool.Destructive)
}

// requestType returns the type of a request, which decides how a front end shows the
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
