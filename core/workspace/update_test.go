package workspace_test

import (
	"errors"
	"strings"
	"testing"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/workspace"
)

// described returns a library with a name, a version and the text of a worker.
func described(t *testing.T, name, version, text string) workspace.Content {
	t.Helper()
	return content(t, map[string][]byte{"lib.yaml": []byte("name: " + name + "\nversion: " + version + "\n"), "workers/a.worker": []byte(text)})
}

// An update of a library never writes over another one: neither if its source has another
// name now, nor if the version that the source has now is installed from elsewhere.
func TestUpdateReplacesNoOther(t *testing.T) {
	good, util := workspace.Origin{From: "/good"}, workspace.Origin{From: "/util"}
	for name, x := range map[string]struct {
		now  workspace.Content
		from workspace.Origin
		want string // of the error; "" if there is none
		dir  string
	}{
		"another library":                   {described(t, "good", "1.0.0", "evil"), util, "now has good@1.0.0, a library of another name", ""},
		"a library that is not installed":   {described(t, "new", "1.0.0", "new"), util, "now has new@1.0.0, a library of another name", ""},
		"a version from elsewhere":          {described(t, "util", "2.0.0", "evil"), util, `now has util@2.0.0, which is installed with other files, from "/fork"`, ""},
		"the same files from elsewhere":     {described(t, "util", "2.0.0", "two"), util, "", "util@2.0.0"},
		"a version from the same place":     {described(t, "util", "3.0.0", "new"), util, "", "util@3.0.0"},
		"a new version":                     {described(t, "util", "4.0.0", "new"), util, "", "util@4.0.0"},
		"new files of the version":          {described(t, "util", "1.0.0", "new"), util, "", "util@1.0.0"},
		"new files of it, from a new place": {described(t, "util", "1.0.0", "new"), good, "", "util@1.0.0"},
	} {
		t.Run(name, func(t *testing.T) {
			root := sandbox.Memory()
			l := workspace.Libraries{Root: workspace.Over(root)}
			for _, one := range []struct {
				content workspace.Content
				from    workspace.Origin
			}{
				{described(t, "good", "1.0.0", "good"), good}, {described(t, "util", "1.0.0", "one"), util},
				{described(t, "util", "2.0.0", "two"), workspace.Origin{From: "/fork"}}, {described(t, "util", "3.0.0", "three"), util},
			} {
				if _, _, err := l.Install(one.content, one.from); err != nil {
					t.Fatal(err)
				}
			}
			before := state(t, root)
			_, _, _, looked := l.Compare("util@1.0.0", x.now, x.from)
			lib, _, _, err := l.Update("util@1.0.0", x.now, x.from)
			if (looked == nil) != (err == nil) {
				t.Errorf("Compare: %v, Update: %v", looked, err)
			}
			if x.want == "" {
				if err != nil || lib.Dir != x.dir {
					t.Errorf("%s, %v", lib.Dir, err)
				}
				return
			}
			if !errors.Is(err, fault.Conflict) || !strings.Contains(err.Error(), x.want) {
				t.Errorf("%v, want %s", err, x.want)
			}
			for name, data := range state(t, root) {
				if before[name] != data {
					t.Errorf("%s was changed", name)
				}
			}
		})
	}
}

// If golem is given files, and no library that they update, they replace the library of the
// same name and version.
func TestUpdateOfGivenFiles(t *testing.T) {
	l := workspace.Libraries{Root: workspace.Over(sandbox.Memory())}
	if _, _, err := l.Install(described(t, "util", "1.0.0", "one"), workspace.Origin{From: "/util"}); err != nil {
		t.Fatal(err)
	}
	lib, fresh, changes, err := l.Update("", described(t, "util", "1.0.0", "two"), workspace.Origin{From: "/fork"})
	if err != nil || fresh || len(changes) != 1 || lib.Origin.From != "/fork" {
		t.Errorf("%+v, %v, %q, %v", lib, fresh, changes, err)
	}
}
