package project

import (
	"path"
	"strings"

	"golem/core/approval"
	"golem/core/config"
	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/sorting"
	"golem/core/yamltree"
)

// sandbox reads all spellings of mounts and restrictions into one form (SPEC §8).
func (b *built) sandbox() {
	n := b.eff.Get("sandbox")
	sb := &b.w.Sandbox
	sb.Declared = n != nil
	sb.ReadOnly, sb.Network = n.Get("readonly").Flag(), n.Get("network_enabled").Flag()
	b.tightened("readonly", &sb.ReadOnly, true)
	b.tightened("network_enabled", &sb.Network, false)
	own := b.d.Node.Get("sandbox")
	sb.NamesMounts = own.Get("root") != nil || own.Get("paths") != nil || own.Get("mounts") != nil
	sb.NamesRestrict, sb.SaysReadOnly = own.Get("restrict") != nil, own.Get("readonly").Flag()
	sb.SaysNoNetwork = own.Get("network_enabled") != nil && !own.Get("network_enabled").Flag()
	if r := n.Get("restrict"); r != nil {
		if name, err := sandbox.Clean(r.Text); err != nil {
			b.addAt(r.Pos, err)
		} else {
			sb.Restrict = "/" + strings.TrimPrefix(name, ".")
		}
	}
	root, paths, mounts := n.Get("root"), n.Get("paths"), n.Get("mounts")
	switch {
	case root != nil:
		b.mount(Mount{Name: "root", Target: "/", Source: root.Text}, nil, root)
	case paths == nil && mounts == nil:
		m := Mount{Name: "root", Target: "/", Source: ".", Mode: sandbox.ReadWrite, Origin: "default"}
		b.mountPolicy(&m, nil)
		sb.Mounts = append(sb.Mounts, m)
	}
	if paths != nil {
		for _, f := range paths.Fields {
			source := f.Value.Get("root")
			if source == nil {
				b.add(f.Pos.Fault(fault.Config, "sandbox.paths.%s has no root", fault.Brief(f.Name)).
					Hinting("name the directory: root: ./%s", fault.Brief(f.Name)))
				continue
			}
			b.mount(Mount{Name: f.Name, Target: "/" + f.Name, Source: source.Text}, f.Value, source)
		}
	}
	if mounts != nil {
		for _, item := range mounts.Items {
			source, target := item.Get("source"), item.Get("target")
			if source == nil || target == nil {
				continue // there is a fault already
			}
			name, err := sandbox.Clean(target.Text)
			if err != nil {
				b.addAt(target.Pos, err)
				continue
			}
			m := Mount{Name: "/" + name, Target: "/" + name, Source: source.Text}
			if name == "." {
				m.Name, m.Target = "root", "/"
			}
			b.mount(m, item, source)
		}
	}
	sorting.By(sb.Mounts, func(a, c Mount) int { return strings.Compare(a.Target, c.Target) })
}

// tightened resets a flag that a library's worker makes less strict than the running
// project's file: such a worker can only make it stricter (SPEC §8).
func (b *built) tightened(key string, flag *bool, strict bool) {
	n := b.ws.trees.Own().Keys.Path("sandbox", key)
	if b.ws.trees.TreeOf(b.d.Location).Library == "" || n.Flag() == *flag || *flag == strict {
		return
	}
	*flag = strict
	b.w.Origins["sandbox."+key] = "default"
	if n != nil {
		b.w.Origins["sandbox."+key] = n.Pos.String()
	}
}

// addAt gives the fault of another package a place in the file.
func (b *built) addAt(where yamltree.Pos, err error) {
	b.add(fault.Of(err, fault.Config).At(where.File, where.Line, where.Column))
}

// mount adds one mount; keys has its settings, nil for the root. A mount at or below
// /attachments is a fault, because it would hide what is attached.
func (b *built) mount(m Mount, keys, source *yamltree.Node) {
	if sandbox.Within(sandbox.Fold(m.Target), "/attachments") {
		b.add(source.Pos.Fault(fault.Config, "a mount cannot be at %s, because attachments appear in /attachments", m.Target).
			Hinting("give the mount another name"))
		return
	}
	cleaned, f := b.source(m.Source)
	if f != nil {
		b.add(f.At(source.File, source.Line, source.Column))
		return
	}
	m.Source, m.Mode, m.Origin = cleaned, sandbox.ReadWrite, source.Pos.String()
	m.Own = source.StandsIn(b.d.String()) || keys.StandsIn(b.d.String())
	mode, readonly := keys.Get("mode"), keys.Get("readonly")
	switch {
	case mode != nil && readonly != nil:
		b.add(readonly.Pos.Fault(fault.Config, "mode and readonly are the same setting, and both are given").Hinting("keep mode: %s", mode.Text))
		return
	case mode != nil:
		m.Mode = sandbox.Mode(mode.Text)
	case readonly.Flag():
		m.Mode = sandbox.ReadOnly
	}
	m.Suffixes = config.Suffixes(keys.Get("suffixes"))
	if size := keys.Get("max_file_bytes"); size != nil {
		m.MaxFileBytes, _ = size.Size()
	}
	b.mountPolicy(&m, keys.Get("approval"))
	for _, other := range b.w.Sandbox.Mounts {
		if other.Target == m.Target {
			b.add(source.Pos.Fault(fault.Config, "there are two mounts at %s; the other one is at %s", m.Target, other.Origin))
			return
		}
	}
	b.w.Sandbox.Mounts = append(b.w.Sandbox.Mounts, m)
}

// mountPolicy sets the approval of operations on a mount: the mount's own and, for an
// operation that it does not have, that of sandbox.approval, which golem-forge's
// workers use.
func (b *built) mountPolicy(m *Mount, own *yamltree.Node) {
	settings, common := "sandbox.paths."+m.Name+".approval.", b.eff.Path("sandbox", "approval")
	for _, n := range []*yamltree.Node{common, own} {
		if n == nil {
			continue
		}
		if m.Approval == nil && len(n.Fields) > 0 {
			m.Approval = approval.MountPolicy{}
			b.w.Policy.Mounts[m.Name] = m.Approval
		}
		at := settings
		if n == common {
			at = "sandbox.approval."
		}
		for _, f := range n.Fields {
			m.Approval[f.Name] = config.SettingOf(f.Value)
			b.w.Policy.Origins["mount:"+m.Name+":"+f.Name] = b.origin(f.Value.Pos, at+f.Name)
		}
	}
}

// source cleans a mount's directory and keeps it inside the project unless
// the command line says otherwise.
func (b *built) source(s string) (string, *fault.Fault) {
	if cleaned, ok := config.Inside(s); ok && s[0] != '~' {
		return cleaned, nil
	}
	slashed := s
	if config.Drive(s) {
		slashed = strings.ReplaceAll(s, "\\", "/")
	}
	switch {
	case yamltree.Invisible(s) || strings.Contains(slashed, "\\") || len(s) > 4096:
		return "", fault.New(fault.Path, "%s is not a directory that can be mounted", fault.Quoted(s)).Hinting("write paths with /")
	case s[0] == '~':
		return "", fault.New(fault.Path, "golem does not replace ~ in %s", fault.Quoted(s)).Hinting("write the whole path and use --allow-outside")
	}
	cleaned := path.Clean(slashed)
	library := b.ws.trees.TreeOf(b.d.Location).Library != ""
	if b.ws.setup.Options.AllowOutside && !library {
		return cleaned, nil
	}
	if local, ok := config.Inside(cleaned); ok { // a/../b never leaves the project
		return local, nil
	}
	if library {
		return "", fault.New(fault.Path, "the sandbox directory %s is outside the project, where no worker of a library works", fault.Quoted(s)).
			Hinting("name a directory of the project that uses the library")
	}
	return "", fault.New(fault.Path, "the sandbox directory %s is outside the project", fault.Quoted(s)).
		Hinting("move it into the project, or run with --allow-outside").InPage("", "move it into the project")
}
