package shell

import (
	"strings"

	"golem/core/tool"
)

// grants returns, for people, what commands can reach. Exact binds a remembered answer
// to the real places as well: two workers may mount different directories under one
// name.
func (s *shell) grants() []tool.Grant {
	files := "/ (rw), and what programs need of the system"
	if s.refused != "" {
		files = "none: " + s.refused
	}
	if s.disk != nil {
		var all []string
		for _, d := range s.disk {
			mode := " (ro)"
			if d.Write {
				mode = " (rw)"
			}
			all = append(all, d.At+mode)
		}
		files = strings.Join(all, ", ") + ", and what programs need of the system"
	}
	for _, more := range []struct {
		list []string
		mode string
	}{{s.opts.Read, " (ro)"}, {s.opts.Write, " (rw)"}} {
		for _, dir := range more.list {
			files += ", " + dir + more.mode
		}
	}
	network := "none"
	if s.conf.network {
		network = "any host"
	}
	out := []tool.Grant{{Name: "files", Value: files, Exact: s.exact}, {Name: "network", Value: network}}
	switch {
	case s.conf.kernel.Fails != "":
		out[0].Value = "none: no command runs, because a wall around it is missing: " + s.conf.kernel.Fails
	case !s.conf.kernel.Files && s.refused == "":
		out[0].Value = "not confined: all files that you can reach (" + s.conf.kernel.Lacks + ")"
	}
	if !s.conf.kernel.Network && !s.conf.network {
		out[1].Value = "not confined: golem cannot keep commands from the network here"
	}
	if len(s.opts.Env) > 0 {
		out = append(out, tool.Grant{Name: "variables", Value: strings.Join(s.opts.Env, ", ")})
	}
	if s.opts.SystemShell {
		out = append(out, tool.Grant{Name: "interpreter", Value: "the system's shell"})
	}
	return out
}

// unconfined returns why nothing confines commands here; "" if something does, or a person
// has said that nothing needs to.
func (s *shell) unconfined() string {
	if s.conf.kernel.Files || s.host.Unconfined {
		return ""
	}
	return s.conf.kernel.Lacks
}

// surroundings returns the part of a tool's description that tells the model in which
// surroundings commands run.
func (s *shell) surroundings() string {
	var b strings.Builder
	b.WriteString(" Commands have no standard input and no terminal.")
	if s.opts.SystemShell {
		b.WriteString(" The system's shell runs them (sh, on Windows cmd).")
	} else {
		b.WriteString(" The syntax is that of bash: pipes, lists, redirections, variables, loops.")
	}
	switch {
	case s.disk == nil:
		b.WriteString(" They begin in the project directory.")
	case s.dir == s.host.Root:
		b.WriteString(" They begin in the project directory and reach of it only " + s.reached() + ".")
	default:
		b.WriteString(" They begin in " + s.disk[0].At + " and reach only " + s.reached() + ".")
	}
	if s.conf.kernel.Files {
		b.WriteString(" Files elsewhere cannot be written, nor the person's own files read; $HOME and $TMPDIR are empty directories of their own.")
	}
	if !s.conf.network && s.conf.kernel.Network {
		b.WriteString(" The network cannot be reached, nor servers of this machine.")
	}
	return b.String()
}

func (s *shell) reached() string {
	var all []string
	for _, d := range s.disk {
		at := d.At
		if s.dir == s.host.Root {
			at = "." + at
		}
		if !d.Write {
			at += " (read-only)"
		}
		all = append(all, at)
	}
	return strings.Join(all, ", ")
}
