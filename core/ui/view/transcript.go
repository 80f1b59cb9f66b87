package view

import (
	"slices"
	"time"

	"golem/core/trace"
)

// inOrder adds a call to the transcript. Calls of one turn may begin in any order; they are
// shown in the order in which the turn made them.
func (s *State) inOrder(it *Item) {
	at := len(s.Items)
	for at > 0 && s.Items[at-1].Kind == CallOf && trace.CompareID(s.Items[at-1].ID, it.ID) > 0 {
		at--
	}
	s.Items = slices.Insert(s.Items, at, it)
}

// addMessage adds a message of the person, with a number if it begins an exchange. It ignores a
// repetition, because the first message of a conversation comes twice: as the run's input
// and as a message.
func (s *State) addMessage(text string, files []trace.FileRef, numbered bool) {
	if n := len(s.Items); n > 0 && s.Items[n-1].Kind == You && s.Items[n-1].Text() == text {
		return
	}
	it := &Item{Kind: You, Over: true, Files: files}
	if numbered {
		it.N = s.Messages() + 1
	}
	it.text.WriteString(text)
	s.Items = append(s.Items, it)
}

// Messages returns the number of the person's last message in the conversation; 0: there is
// none.
func (s *State) Messages() int {
	for _, it := range slices.Backward(s.Items) {
		if it.N > 0 {
			return it.N
		}
	}
	return 0
}

// backTo takes the person's message n and what follows it out of the transcript: the
// conversation goes on before it, with the same message again or another one.
func (s *State) backTo(n int) {
	at := slices.IndexFunc(s.Items, func(it *Item) bool { return it.N == n })
	if at < 0 {
		return
	}
	s.endText()
	s.Items = s.Items[:at:at]
	s.Command = false // the message that follows is one of the person
}

func (s *State) notice(level, text string, about trace.Body) {
	it := &Item{Kind: Notice, Level: level, Over: true, About: about}
	it.text.WriteString(text)
	s.Items = append(s.Items, it)
}

// saying returns the item with the text of the root's current turn, which it adds if it
// is missing. The texts of other workers are only in the trace.
func (s *State) saying() *Item {
	if s.turn == nil {
		s.turn = &Item{Kind: Golem, ID: rootID}
		s.Items = append(s.Items, s.turn)
	}
	return s.turn
}

func (s *State) delta(id string, b trace.Delta) {
	s.call(id).Run.Thinking = false
	if id != rootID {
		return
	}
	it := s.saying()
	if b.Reset {
		it.text.Reset()
		it.Voids++
		if s.thinks != nil {
			s.thinks.text.Reset()
			s.thinks.Voids++
			s.thinks.Over, s.thinks.Spent = false, nil
		}
	}
	it.text.WriteString(b.Text)
}

// reasoning adds a piece to the reasoning of the root's current turn. That of other workers
// is not shown.
func (s *State) reasoning(id string, b trace.Reasoning, at time.Time) {
	if id != rootID {
		s.call(id)
		return
	}
	s.call(rootID)
	if s.thinks == nil {
		s.thinks = &Item{Kind: Thought, ID: rootID, Begun: at}
		s.Items = append(s.Items, s.thinks)
	}
	s.thinks.text.WriteString(b.Text)
	s.thinks.Over, s.thinks.Spent = b.Over != nil, b.Over
}
