package project

import (
	"path"
	"slices"
	"strings"

	"golem/core/approval"
	"golem/core/fault"
	"golem/core/sandbox"
)

// sandbox reads all spellings of mounts and restrictions into one form (SPEC §8).
func (b *built) sandbox() {
	n := b.eff.get("sandbox")
	sb := &b.w.Sandbox
	sb.Declared = n != nil
	sb.ReadOnly, sb.Network = n.get("readonly").flag(), n.get("network_enabled").flag()
	own := b.d.node.get("sandbox")
	sb.NamesMounts = own.get("root") != nil || own.get("paths") != nil || own.get("mounts") != nil
	sb.NamesRestrict, sb.SaysReadOnly = own.get("restrict") != nil, own.get("readonly").flag()
	sb.SaysNoNetwork = own.get("network_enabled") != nil && !sb.Network
	if r := n.get("restrict"); r != nil {
		if name, err := sandbox.Clean(r.text); err != nil {
			b.addAt(r.at, err)
		} else {
			sb.Restrict = "/" + strings.TrimPrefix(name, ".")
		}
	}
	root, paths, mounts := n.get("root"), n.get("paths"), n.get("mounts")
	switch {
	case root != nil:
		b.mount(Mount{Name: "root", Target: "/", Source: root.text}, nil, root)
	case paths == nil && mounts == nil:
		sb.Mounts = append(sb.Mounts, Mount{Name: "root", Target: "/", Source: ".", Mode: sandbox.ReadWrite, Origin: "default"})
	}
	if paths != nil {
		for _, f := range paths.fields {
			source := f.value.get("root")
			if source == nil {
				b.add(f.at.fault(fault.Config, "sandbox.paths.%s has no root", brief(f.name)).
					Hinting("name the directory: root: ./%s", brief(f.name)))
				continue
			}
			b.mount(Mount{Name: f.name, Target: "/" + f.name, Source: source.text}, f.value, source)
		}
	}
	if mounts != nil {
		for _, item := range mounts.items {
			source, target := item.get("source"), item.get("target")
			if source == nil || target == nil {
				continue // said already
			}
			name, err := sandbox.Clean(target.text)
			if err != nil {
				b.addAt(target.at, err)
				continue
			}
			m := Mount{Name: "/" + name, Target: "/" + name, Source: source.text}
			if name == "." {
				m.Name, m.Target = "root", "/"
			}
			b.mount(m, item, source)
		}
	}
	slices.SortFunc(sb.Mounts, func(a, c Mount) int { return strings.Compare(a.Target, c.Target) })
}

// addAt gives the fault of another package a place in the file.
func (b *built) addAt(where at, err error) {
	b.add(fault.Of(err, fault.Config).At(where.file, where.line, where.column))
}

// mount adds one mount; keys holds its settings, nil for the root.
func (b *built) mount(m Mount, keys, source *node) {
	cleaned, f := b.source(m.Source)
	if f != nil {
		b.add(f.At(source.file, source.line, source.column))
		return
	}
	m.Source, m.Mode, m.Origin = cleaned, sandbox.ReadWrite, source.at.String()
	m.Own = source.stands(b.d.String()) || keys.stands(b.d.String())
	mode, readonly := keys.get("mode"), keys.get("readonly")
	switch {
	case mode != nil && readonly != nil:
		b.add(readonly.at.fault(fault.Config, "mode and readonly are one setting, both are given").Hinting("keep mode: %s", mode.text))
		return
	case mode != nil:
		m.Mode = sandbox.Mode(mode.text)
	case readonly.flag():
		m.Mode = sandbox.ReadOnly
	}
	m.Suffixes = keys.get("suffixes").suffixes()
	if size := keys.get("max_file_bytes"); size != nil {
		m.MaxFileBytes, _ = size.size()
	}
	if settings := keys.get("approval"); settings != nil && len(settings.fields) > 0 {
		m.Approval = approval.MountPolicy{}
		for _, f := range settings.fields {
			m.Approval[f.name] = f.value.setting()
			b.w.Policy.Origins["mount:"+m.Name+":"+f.name] = b.origin(f.value.at, "sandbox.paths."+m.Name+".approval."+f.name)
		}
		b.w.Policy.Mounts[m.Name] = m.Approval
	}
	for _, other := range b.w.Sandbox.Mounts {
		if other.Target == m.Target {
			b.add(source.at.fault(fault.Config, "two mounts at %s, the other stands at %s", m.Target, other.Origin))
			return
		}
	}
	b.w.Sandbox.Mounts = append(b.w.Sandbox.Mounts, m)
}

// source cleans a mount's directory and keeps it inside the project unless
// the command line says otherwise.
func (b *built) source(s string) (string, *fault.Fault) {
	if cleaned, ok := inside(s); ok && s[0] != '~' {
		return cleaned, nil
	}
	slashed := s
	if drive(s) {
		slashed = strings.ReplaceAll(s, "\\", "/")
	}
	switch {
	case invisible(s) || strings.Contains(slashed, "\\") || len(s) > 4096:
		return "", fault.New(fault.Path, "%s is no directory that a sandbox can hold", quoted(s)).Hinting("write paths with /")
	case s[0] == '~':
		return "", fault.New(fault.Path, "~ is not expanded in %s", quoted(s)).Hinting("write the path in full and use --allow-outside")
	}
	cleaned := path.Clean(slashed)
	if b.p.src.Flags.AllowOutside {
		return cleaned, nil
	}
	if local, ok := inside(cleaned); ok { // a/../b never leaves the project
		return local, nil
	}
	return "", fault.New(fault.Path, "the sandbox directory %s lies outside the project", quoted(s)).
		Hinting("move it into the project, or run with --allow-outside")
}
