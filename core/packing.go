package core

import (
	"bytes"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"golem/core/approval"
	"golem/core/fault"
	"golem/core/project"
	"golem/core/workspace"
)

// Packed is a packed project, with the list of files that were left out.
type Packed struct {
	Data []byte
	Pack *workspace.Pack
	Left []workspace.Left
}

// Pack packs the project (golem pack, and the page's export). It checks the packed project as
// its receiver will run it, and returns the faults if there are errors. sign may be nil; key
// is the secret key with which it signs, and is left out of the pack.
func (i *Instance) Pack(sign workspace.Sign, key []byte) (*Packed, error) {
	return packOf(i, sign, key, nil)
}

// PackWithout packs a project for a batch, without the files and directories of these names.
func PackWithout(i *Instance, names []string) (*Packed, error) { return packOf(i, nil, nil, names) }

func packOf(i *Instance, sign workspace.Sign, key []byte, without []string) (*Packed, error) {
	named, faults := i.project.Names.Ignored()
	if err := faults.Err(); err != nil {
		return nil, faults
	}
	ignored := named
	if len(without) > 0 {
		ignored = func(name string, dir bool) bool {
			return slices.Contains(without, name) || named != nil && named(name, dir)
		}
	}
	m := i.project.Manifest
	src := workspace.PackSource{
		Name: i.options.Name, Version: m.Version, Project: i.options.Files, Ignored: ignored, Libs: i.project.Trees.LibraryDirs(), Key: key,
	}
	if entry, err := i.Entry(); err == nil {
		src.Entry = entry.ID
	}
	data, left, err := workspace.MakePack(src)
	if err != nil {
		return nil, err
	}
	pack, err := workspace.ReadPack(data)
	if err != nil {
		return nil, err
	}
	if err := keyless(i.platform, pack); err != nil {
		return nil, err
	}
	if err := checkPacked(i.platform, i.options, pack, left); err != nil {
		return nil, err
	}
	if sign == nil {
		return &Packed{data, pack, left}, nil
	}
	src.Sign = sign
	if data, left, err = workspace.MakePack(src); err != nil {
		return nil, err
	}
	signed, err := workspace.ReadPack(data)
	if err == nil && signed.Digest != pack.Digest {
		err = fault.New(fault.Conflict, "a file of the project changed while it was packed").Hinting("pack it again")
	}
	return &Packed{data, signed, left}, err
}

// shortestKey is the smallest length, in bytes, of a key that is searched for in files.
const shortestKey = 12

// keyless returns E_PROTECTED if a file contains the value of a key or secret that golem
// knows.
func keyless(p Platform, pack *workspace.Pack) error {
	secrets := platformSecrets(p)
	if p.Store != nil {
		kept, err := p.Store.Values()
		if err != nil {
			return err
		}
		secrets = append(secrets, kept...)
	}
	at, err := holds(pack.Project, secrets)
	hint := "take the key out, or leave the file out with a .golemignore file"
	if at == "" && err == nil {
		at, err = holds(pack.Libs, secrets)
		hint = "the file belongs to a library: take the key out of the library"
	}
	if at == "" {
		return err
	}
	return fault.New(fault.Protected, "the project is not packed: the file holds the value of one of your keys or secrets").At(at, 0, 0).Hinting("%s", hint)
}

// holds returns the name of a file in a tree that contains one of the secrets; "" if none does.
func holds(tree fs.FS, secrets []string) (file string, err error) {
	err = fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(tree, name)
		if err == nil && slices.ContainsFunc(secrets, func(s string) bool { return len(s) >= shortestKey && bytes.Contains(data, []byte(s)) }) {
			file, err = name, fs.SkipAll
		}
		return err
	})
	return file, err
}

// checkPacked checks a packed project as golem check does, and returns the errors. If an error
// names a file that was left out, it adds why.
func checkPacked(p Platform, o Options, pack *workspace.Pack, left []workspace.Left) error {
	p.Trust, p.DotEnv, p.Libraries = nil, nil, PackLibraries(pack)
	p.Files = Tree{FS: pack.Project}
	o.Files = pack.Project
	inst, err := Open(p, o)
	var faults fault.List
	if inst != nil {
		faults = inst.Check("")
	}
	if err == nil && faults.Err() == nil {
		return nil
	}
	if err != nil {
		var list fault.List
		if !errors.As(err, &list) {
			list = fault.List{fault.Of(err, fault.Config)}
		}
		faults = append(faults, list...)
	}
	errs := fault.List{}
	for _, f := range faults {
		if f.Severity != fault.Warning {
			errs = append(errs, f)
		}
	}
	for _, l := range left {
		if slices.ContainsFunc(errs, func(f *fault.Fault) bool { return strings.Contains(f.Error(), l.Name) }) {
			errs = append(errs, fault.Warn(fault.NotFound, "golem pack leaves out %s: %s", l.Name, l.Why))
		}
	}
	errs.Sort()
	return errs.Compact()
}

// CheckPack returns E_LOCK if a packed project says of itself that it starts with another worker
// than the one with which it does.
func CheckPack(i *Instance, pack *workspace.Pack) error {
	if pack.Entry == "" || i.options.Entry != "" {
		return nil
	}
	entry, err := i.Entry()
	if err != nil || entry.ID == pack.Entry {
		return nil // what is wrong with the entry, the run says
	}
	return fault.New(fault.Lock, "the packed project is refused: it says that it starts with %s, and it starts with %s", fault.Quoted(pack.Entry), fault.Quoted(entry.ID)).
		Hinting("nothing was run; get the file again, or ask its author for it")
}

// PackLibraries returns where a packed project finds its libraries: only in the pack, so
// that it runs in the same way everywhere.
func PackLibraries(pack *workspace.Pack) []project.LibraryRoot {
	return []project.LibraryRoot{{Label: "the packed project", FS: pack.Libs}}
}

// PackLines returns where a packed project comes from, for the beginning of the question
// about trust (Options.Origin).
func PackLines(p *workspace.Pack) []approval.Line {
	means := "nobody signed it: nothing shows who made it"
	if s := p.Signer; s != nil {
		means = "signed with the key " + s.Key + ": " + s.Comment
	}
	return []approval.Line{{Path: "packed project", Value: p.Digest, Means: means, Where: p.Name + workspace.PackSuffix}}
}
