package conversation

import "strings"

// Thought is what the root's model reasoned before an answer. It is kept for the person, who
// sees it folded, and goes to no model: what a provider needs back is in Answer.Kept.
type Thought struct {
	Text string `json:"text"`          // at most MaxThought bytes, without secrets
	Cut  bool   `json:"cut,omitempty"` // Text is only the beginning
	ThoughtSize
}

// ThoughtSize says how long and how much a model reasoned in one turn. Estimated means that
// golem counted the tokens itself.
type ThoughtSize struct {
	MS        int64 `json:"ms"`
	Tokens    int   `json:"tokens"`
	Estimated bool  `json:"estimated,omitempty"`
}

// MaxThought is how much of one Thought is kept, in bytes.
const MaxThought = 32 << 10

// MaxReasoning is how much of the reasoning ThoughtOf needs, in bytes: more than it keeps,
// because secrets are removed before the text is cut. A secret of which only the beginning
// was left would not be found.
const MaxReasoning = 1 << 20

// ThoughtOf returns the thought with a text, without secrets, or with its beginning if it is
// too long; nil if there is no text. With open, the text is only the beginning of what the
// model reasoned, or the model was stopped.
func (j *Journal) ThoughtOf(text string, open bool, size ThoughtSize) *Thought {
	if open {
		text = j.Beginning(text)
	}
	text = j.RedactedText(text)
	if strings.TrimSpace(text) == "" {
		return nil
	}
	t := &Thought{Text: text, ThoughtSize: size}
	if len(text) > MaxThought {
		text = text[:MaxThought]
		if end := strings.LastIndexAny(text, " \n\t"); end > 0 {
			text = text[:end]
		}
		t.Text, t.Cut = strings.ToValidUTF8(text, ""), true
	}
	return t
}

// said returns the thought for people; nothing for nil.
func (t *Thought) said() []Said {
	if t == nil {
		return nil
	}
	text := t.Text
	if t.Cut {
		text += "\n\n[golem keeps only the beginning of long reasoning]"
	}
	return []Said{{Who: "thought", Text: text, Spent: &t.ThoughtSize}}
}
