package conversation

import (
	"bytes"
	"encoding/json"
	"slices"
	"unicode/utf8"
)

// redacted removes the secrets from an entry. What goes back to a provider must be
// unchanged, so it is left out if it contained a secret.
func (j *Journal) redacted(e Entry, line []byte) ([]byte, error) {
	clean := j.keeper.Redact(line)
	if bytes.Equal(clean, line) {
		return clean, nil
	}
	if json.Unmarshal(clean, new(Entry)) != nil { // a secret was in the base64 of a file
		line, err := json.Marshal(j.withCleanFiles(e))
		if err != nil {
			return nil, err
		}
		clean = j.keeper.Redact(line)
	}
	if e.Answer == nil {
		return clean, nil
	}
	var out Entry
	if err := json.Unmarshal(clean, &out); err != nil {
		return nil, err
	}
	for i, c := range out.Answer.Calls {
		if c.Args != e.Answer.Calls[i].Args {
			out.Redacted = append(out.Redacted, i)
		}
	}
	if kept, err := json.Marshal(e.Answer.Kept); err != nil || !bytes.Equal(kept, j.keeper.Redact(kept)) {
		out.Answer.Kept = nil
	}
	return json.Marshal(out)
}

// removed is the content of a file from which a secret cannot be taken alone: trace.Redacted.
const removed = "[redacted]"

// withCleanFiles returns an entry whose files have no secrets.
func (j *Journal) withCleanFiles(e Entry) Entry {
	e.Files = j.cleanFiles(e.Files)
	if e.Input != nil {
		in := *e.Input
		in.Files = j.cleanFiles(in.Files)
		in.Earlier = slices.Clone(in.Earlier)
		for i, was := range in.Earlier {
			in.Earlier[i].Files = j.cleanFiles(was.Files)
		}
		e.Input = &in
	}
	if e.Output != nil {
		out := *e.Output
		out.Parts = slices.Clone(out.Parts)
		for i, p := range out.Parts {
			out.Parts[i].Data = j.cleanData(p.Data)
		}
		e.Output = &out
	}
	return e
}

func (j *Journal) cleanFiles(files []File) []File {
	files = slices.Clone(files)
	for i, f := range files {
		files[i].Data = j.cleanData(f.Data)
	}
	return files
}

// cleanData returns the content of a file without secrets. Of one that is no text nothing is
// left if it has a secret.
func (j *Journal) cleanData(data []byte) []byte {
	encoded, err := json.Marshal(data)
	switch {
	case err == nil && bytes.Equal(encoded, j.keeper.Redact(encoded)) && (!utf8.Valid(data) || j.RedactedText(string(data)) == string(data)):
		return data
	case utf8.Valid(data):
		return []byte(j.RedactedText(string(data)))
	}
	return []byte(removed)
}

// Beginning returns the beginning of a longer text without secrets, and without an end that
// could be the beginning of one.
func (j *Journal) Beginning(text string) string {
	if j == nil || j.keeper == nil {
		return text
	}
	return j.keeper.Beginning(text)
}

// RedactedText returns a text as it is in an entry, without secrets.
func (j *Journal) RedactedText(text string) string {
	if j == nil || j.keeper == nil {
		return text
	}
	line, err := json.Marshal(Entry{Args: text})
	var out Entry
	if err != nil || json.Unmarshal(j.keeper.Redact(line), &out) != nil {
		return ""
	}
	return out.Args
}
