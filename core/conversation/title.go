package conversation

import (
	"strings"

	"golem/core/fault"
	"golem/core/state"
)

// maxTitle is the length of a title, in characters (SPEC §11).
const maxTitle = 60

// Title returns the title that the conversation got last, or else the first line of the
// first message, at most maxTitle characters.
func (k *Kept) Title() string {
	if k.title != "" {
		return k.title
	}
	for _, s := range k.Steps {
		if s.Input == nil {
			continue
		}
		text := s.Input.Text
		if text == "" {
			text = string(s.Input.JSON)
		}
		if line := titled(text); line != "" || len(s.Input.Files) == 0 {
			return line
		}
		return titled(s.Input.Files[0].Name)
	}
	return ""
}

// titled returns the first line of a text as a title, "" if it has no words.
func titled(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	line = strings.Join(strings.Fields(line), " ")
	if runes := []rune(line); len(runes) > maxTitle {
		line = strings.TrimSpace(string(runes[:maxTitle-1])) + "…"
	}
	return line
}

// Name gives the conversation of a running journal a title.
func (j *Journal) Name(title string) (string, error) {
	if j == nil {
		return "", fault.New(fault.Platform, "this conversation is not kept, so it cannot get a title").Hinting("golem keeps it with files on disk, where GOLEM_HOME is set")
	}
	title = titled(title)
	if title == "" {
		return "", errNoTitle()
	}
	j.Add(Entry{T: TitleEntry, Text: title})
	j.mu.Lock()
	exists := j.log != nil
	j.mu.Unlock()
	if exists { // else it is written with the first message
		j.Flush()
	}
	return title, nil
}

func errNoTitle() error {
	return fault.New(fault.Usage, "a title needs a word").Hinting("for example: Plan for March")
}

// Rename gives a kept conversation that nobody uses a title, and returns the title. Its
// place in the list stays. It fails with E_BUSY if a golem uses the conversation.
func Rename(s *state.Store, by Keeper, id, title string) (string, error) {
	if title = titled(title); title == "" {
		return "", errNoTitle()
	}
	release, err := Hold(s, id)
	if err != nil {
		return "", err
	}
	defer release()
	k, err := Read(s, id)
	if err != nil {
		return "", err
	}
	if k.Err != nil {
		return "", k.Err
	}
	log, err := s.Reopen(format, fileOf(id), k.record)
	if err != nil {
		return "", err
	}
	j := &Journal{ID: id, keeper: by, store: s, log: log, release: func() {}}
	j.Add(Entry{T: TitleEntry, Text: title})
	j.Flush()
	err = j.sync()
	if cerr := log.Close(); err == nil {
		err = cerr
	}
	return title, err
}

// Search returns the conversations of all that have every word of words in their title, in
// a message of the person or in an answer, in any case. With no word it returns all.
func Search(s *state.Store, all []Listing, words string) []Listing {
	wanted := strings.Fields(strings.ToLower(words))
	if len(wanted) == 0 {
		return all
	}
	out := []Listing{}
	for _, l := range all {
		text := strings.ToLower(l.ID + "\n" + l.Title)
		if k, err := Read(s, l.ID); err == nil {
			var b strings.Builder
			for _, one := range k.Said() {
				if one.Who == "you" || one.Who == "golem" {
					b.WriteString("\n" + strings.ToLower(one.Whole()))
				}
			}
			text += b.String()
		}
		if hasAll(text, wanted) {
			out = append(out, l)
		}
	}
	return out
}

func hasAll(text string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}
