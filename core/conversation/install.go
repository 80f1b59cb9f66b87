package conversation

import (
	"bytes"
	"encoding/json"
	"errors"
	"path"

	"golem/core/fault"
	"golem/core/state"
)

// Install writes an exported conversation into a store, as one that golem wrote here: it can
// be resumed. It is then one that has read untrusted content. files are what was done with
// its files here; with keep, their contents are stored beside the conversation.
//
// A conversation of this name that is a beginning of the exported one is replaced: it went on
// elsewhere and comes back. If there is any other one of this name, the new one is called
// other. If everything is here already, Install returns E_CONFLICT. It returns the name.
func (x *Export) Install(s *state.Store, other string, files []ExportedFile, keep bool) (id string, err error) {
	release, err := Hold(s, x.ID)
	if err != nil {
		return "", err
	}
	defer release()
	id = x.ID
	switch here, err := Read(s, x.ID); {
	case errors.Is(err, fault.NotFound):
	case err != nil || here.Err != nil:
		id = other
	case startsWith(here.record.Lines, x.Entries):
		return "", fault.New(fault.Conflict, "the conversation %s is here already, with everything that the file has", x.ID).
			Hinting("go on with it: --resume %s", x.ID)
	case !startsWith(x.Entries, here.record.Lines):
		id = other
	}
	lines, err := x.lines(id, files)
	if err != nil {
		return "", err
	}
	for _, f := range files {
		if keep && f.SHA256 != "" {
			if err := s.Files.WriteFile(path.Join(contentDir(id), f.SHA256), f.Data); err != nil {
				return "", err
			}
		}
	}
	sealed, err := s.SealedLog(format, fileOf(id), lines...)
	if err != nil {
		return "", err
	}
	prune(s, listed(s), KeptCount-1)
	if err := s.Files.WriteFile(fileOf(id), sealed); err != nil {
		return "", err
	}
	var head Entry
	if err := json.Unmarshal(lines[0], &head); err != nil {
		return "", err
	}
	written(s, id, head.From)
	return id, nil
}

// lines returns the entries under a name, and what the import adds.
func (x *Export) lines(id string, files []ExportedFile) (out [][]byte, err error) {
	for i, raw := range x.Entries {
		if i == 0 && id != x.ID {
			if raw, err = renamed(raw, id); err != nil {
				return nil, err
			}
		}
		out = append(out, compacted(raw))
	}
	added := []Entry{TaintOf(true)}
	if len(files) > 0 {
		all := Entry{T: FilesEntry}
		for _, f := range files {
			all.Changed = append(all.Changed, f.Change)
		}
		added = append(added, all)
	}
	for _, e := range added {
		line, err := json.Marshal(e)
		if err != nil {
			return nil, err
		}
		out = append(out, line)
	}
	return out, nil
}

// renamed returns a head with another name; fields that this golem does not know stay.
func renamed(raw json.RawMessage, id string) (json.RawMessage, error) {
	var head map[string]json.RawMessage
	if err := json.Unmarshal(raw, &head); err != nil {
		return nil, err
	}
	name, err := json.Marshal(id)
	if err != nil {
		return nil, err
	}
	head["run"] = name
	return json.Marshal(head)
}

// startsWith reports whether entries begin with others, whatever blanks are in them.
func startsWith[A, B ~[]byte](all []A, first []B) bool {
	if len(first) > len(all) {
		return false
	}
	for i := range first {
		if !bytes.Equal(compacted(all[i]), compacted(first[i])) {
			return false
		}
	}
	return true
}

// compacted returns JSON in the form in which json.Marshal writes it.
func compacted[T ~[]byte](raw T) []byte {
	out, err := json.Marshal(json.RawMessage(raw))
	if err != nil {
		return raw
	}
	return out
}
