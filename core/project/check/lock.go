package check

import (
	"maps"
	"slices"
	"strings"

	"golem/core/config"
	"golem/core/fault"
	"golem/core/project"
)

// unreadableLock returns the fault of a golem.lock that cannot be read.
func unreadableLock(v *view) fault.List {
	if _, f := v.Trees.Lock(); f != nil {
		return fault.List{f}
	}
	return nil
}

// staleLock returns the differences between golem.lock and what the project uses:
// errors for files that a run would refuse, warnings for what the lock lists in vain.
// It reads every file of the libraries.
func staleLock(v *view) fault.List {
	lock, _ := v.Trees.Lock()
	if lock == nil {
		return nil
	}
	var faults fault.List
	vain := func(format string, args ...any) {
		faults = append(faults, project.LockAgain(fault.Warn(fault.Lock, format, args...).At(config.LockFile, 1, 1), "update "+config.LockFile))
	}
	used := map[string]bool{}
	for _, s := range v.Trees.All() {
		if s.Library == "" {
			continue
		}
		used[s.Library] = true
		files, f := s.Digests()
		if f != nil {
			faults = append(faults, f)
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(files)) {
			if f := v.Trees.Compare(s.Library, name, s.Name+name, files[name]); f != nil {
				if faults = append(faults, f); lock.Libraries[s.Library].Files == nil {
					break // one line for a library that is not in the lock
				}
			}
		}
		for _, name := range slices.Sorted(maps.Keys(lock.Libraries[s.Library].Files)) {
			if files[name] == "" {
				vain("%s lists %s, and there is no such file", config.LockFile, fault.Quoted(s.Name+name))
			}
		}
	}
	missing := slices.ContainsFunc(v.Faults, func(f *fault.Fault) bool { return f.Code == fault.LibraryNotFound })
	for _, name := range slices.Sorted(maps.Keys(lock.Libraries)) {
		if !used[name] && !missing { // otherwise it may be the missing library, or one that that library needs
			vain("%s lists the library %s, which the project does not use", config.LockFile, fault.Quoted(name))
		}
	}
	for _, name := range v.Modules.Used(lock) {
		missing, f := v.Modules.Pinned(name)
		switch {
		case f != nil:
			faults = append(faults, f)
		case missing && lock.Modules[name] != "":
			vain("%s lists %s, and there is no such file", config.LockFile, fault.Quoted(name))
		}
	}
	return faults
}

// toolLock returns a warning for each locked module that does not exist, and the faults of
// tools.lock itself.
func toolLock(v *view) fault.List {
	if v.Setup.Options.NoImportTools {
		return nil
	}
	digests, _, out := v.Modules.Lock()
	for _, name := range slices.Sorted(maps.Keys(digests)) {
		if !strings.HasPrefix(name, config.HomePrefix) && !v.Trees.Exists(v.Trees.Location(name)) {
			out = append(out, fault.Warn(fault.Lock, "%s lists %s, and there is no such module", config.ToolLockFile, fault.Quoted(name)).
				At(config.ToolLockFile, 1, 1).Hinting("remove the line from %s", config.ToolLockFile))
		}
	}
	return out
}

// looseModules finds source code that was not built, and files that only look like modules.
func looseModules(v *view) (out fault.List) {
	if v.Setup.Options.NoImportTools {
		return nil
	}
	for _, tree := range v.Trees.Scope("") {
		if !tree.Bare {
			root := project.Location{Tree: tree.Name, Name: "."}
			out = append(append(out, v.Modules.Unbuilt(root)...), v.Modules.PassedOver(root)...)
		}
	}
	return out
}

// engine finds an engine for tools that the platform does not have.
func engine(v *view) fault.List {
	if f := v.Workers.EngineFault(v.platform); f != nil {
		return fault.List{f}
	}
	return nil
}
