package workspace

import (
	"strings"

	"golem/core/fault"
)

// Update replaces the installed library of the same name and version. changes lists
// the differences; if it is empty, nothing was written. If this version is not
// installed, Update installs it (fresh) and returns no changes; other versions stay.
//
// of is the directory of the library whose source has these files now. An update of one
// library never writes over another: Update returns E_CONFLICT if the files have another
// name, or a version that is installed from elsewhere. With "" the files replace whatever
// has their name and version.
func (l Libraries) Update(of string, c Content, from Origin) (lib Library, fresh bool, changes []string, err error) {
	lib, there, changes, err := l.Compare(of, c, from)
	switch {
	case err != nil:
		return Library{}, false, nil, err
	case !there:
		lib, _, err = l.Install(c, from)
		return lib, true, nil, err
	case len(changes) == 0:
		return lib, false, nil, nil
	}
	return lib, false, changes, l.put(lib, c)
}

// Compare returns what Update would do, without doing it: changes lists the differences
// from the installed library; installed is false if no library of that name and version
// is installed.
func (l Libraries) Compare(of string, c Content, from Origin) (lib Library, installed bool, changes []string, err error) {
	lib, err = l.planned(c, from)
	if err == nil && of != "" {
		err = checkName(of, lib)
	}
	if err != nil {
		return Library{}, false, nil, err
	}
	dir, err := l.installedDir(lib.Dir)
	if err != nil || dir != lib.Dir {
		return lib, false, nil, err
	}
	old, err := l.content(lib.Dir)
	if err != nil {
		return Library{}, false, nil, err
	}
	changes = c.changes(old)
	if of != "" && of != lib.Dir && len(changes) > 0 {
		err = l.checkOrigin(of, lib)
	}
	if err != nil {
		return Library{}, false, nil, err
	}
	return lib, true, changes, nil
}

// checkName returns E_CONFLICT if a library has another name than the installed one that it
// updates.
func checkName(of string, lib Library) error {
	if name, _, _ := strings.Cut(of, "@"); name == lib.Name {
		return nil
	}
	return fault.New(fault.Conflict, "the source of %s now has %s, a library of another name: %s", of, lib.Dir, knownPlace(lib.Origin.From)).
		Hinting("nothing was changed; if you want %s, golem lib install SOURCE installs it, and golem lib remove %s removes the old one", lib.Dir, of).
		InPage("", "nothing was changed; if you want that library, install it from its address, and remove the old one")
}

// checkOrigin returns E_CONFLICT if the version to which an update leads is installed from
// another place than the update reads.
func (l Libraries) checkOrigin(of string, lib Library) error {
	there := readOrigin(l.Tree(lib.Dir)).From
	if there == lib.Origin.From {
		return nil
	}
	return fault.New(fault.Conflict, "the source of %s now has %s, which is installed with other files, from %s", of, lib.Dir, knownPlace(there)).
		Hinting("nothing was changed; golem lib remove %s removes what is installed, and then golem lib update %s installs the new files", lib.Dir, of).
		InPage("", "nothing was changed; remove what is installed, then update again")
}

// knownPlace returns the place of an origin as messages show it.
func knownPlace(from string) string {
	if from == "" {
		return "a place that golem did not record"
	}
	return fault.Quoted(from)
}
