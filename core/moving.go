package core

import (
	"encoding/json"
	"time"

	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/state"
)

// ExportConversation returns a kept conversation as a file that PlanImport reads elsewhere: with
// the files that its calls changed, as they are now, and without secrets that golem knows.
// Files that have one, that are too large or that no worker may read are only named. It fails
// with E_TRUST if the conversation is not genuine, and with E_BUSY while a golem uses it.
func ExportConversation(i *Instance, id string) ([]byte, error) {
	s := i.Conversations()
	if s == nil {
		return nil, fault.New(fault.NotFound, "no conversations are kept here").Hinting("golem keeps them with files on disk, where GOLEM_HOME is set")
	}
	kept, unread := i.values.personSecrets()
	if unread != nil { // they could be in the conversation, or in a file
		return nil, unread
	}
	i.values.add(kept...)
	if entry, err := i.Entry(); err == nil {
		i.values.add(moduleSecrets(i.project, entry)...)
	}
	release, err := conversation.Hold(s, id)
	if err != nil {
		return nil, err
	}
	defer release()
	k, err := conversation.Read(s, id)
	if err != nil {
		return nil, err
	}
	var contents conversation.Contents = beside{s, k.ID}
	if !i.platform.Volatile {
		root, err := i.files().Mount(".")
		if err != nil {
			return nil, fault.Of(err, fault.NotFound)
		}
		contents = current{root, i.realFiles()}
	}
	from := conversation.ExportOrigin{
		Version: i.platform.Version, Platform: i.platform.Name, Project: i.options.Name, At: i.platform.now().UTC().Format(time.RFC3339),
	}
	x, err := conversation.NewExport(k, from, keeper{values: i.values, platform: &i.platform}, contents)
	if err != nil {
		return nil, err
	}
	return json.Marshal(x)
}

func (i *Instance) realFiles() realFiles { return realFiles{i.files(), i.project} }

// beside are the contents that lie beside a conversation.
type beside struct {
	store *state.Store
	id    string
}

// Content returns one of them.
func (b beside) Content(c conversation.Change) ([]byte, error) {
	return conversation.Content(b.store, b.id, c)
}

// current are the files of a project as they are now.
type current struct {
	root sandbox.FS
	real realFiles
}

// Content returns the content of a file. A link is E_PROTECTED: it can lead to a file that no
// worker may read.
func (c current) Content(file conversation.Change) ([]byte, error) {
	if err := c.reachable(file.Path); err != nil {
		return nil, err
	}
	return sandbox.ReadFile(c.root, file.Path, conversation.MaxFile)
}

// reachable returns E_PROTECTED for a path that leads through a link, and for one that golem
// never reads or writes for a worker.
func (c current) reachable(name string) error {
	if r, ok := c.root.(sandbox.Resolver); ok {
		real, err := r.Resolve(name)
		if err != nil {
			return err
		}
		if real != name {
			return fault.New(fault.Protected, "%s is a link, or is behind one", sandbox.Abs(name))
		}
	}
	_, err := c.real.Guard(name)
	return err
}
