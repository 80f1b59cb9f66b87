package conversation

import (
	"slices"
	"strings"

	"golem/core/sorting"
	"golem/core/state"
)

// Place is a message of the person that exists in several forms, because branches begin
// before it.
type Place struct {
	N int `json:"n"` // the number of the message, from 1
	// IDs has for each form a conversation that has it, the form that was made first first;
	// of several conversations the one that was written last. Index is the place of this
	// conversation's form there, from 0.
	IDs   []string `json:"ids"`
	Index int      `json:"index"`
}

// family has how conversations descend from each other.
type family struct {
	from     map[string]Origin // by ID; a root has none
	messages map[string]int    // by ID
	order    []string          // the one that was written last first
}

func familyOf(all []Listing) family {
	f := family{map[string]Origin{}, map[string]int{}, nil}
	for _, l := range all {
		if l.Error != nil {
			continue
		}
		f.order = append(f.order, l.ID)
		f.messages[l.ID] = l.Messages
		if l.From != nil {
			f.from[l.ID] = *l.From
		}
	}
	return f
}

// line returns the ancestors of a conversation, itself first, each with how many of its
// first messages the conversation has.
func (f family) line(id string) (ids []string, shared []int) {
	least := f.messages[id]
	for !slices.Contains(ids, id) { // a circle was made by hand
		ids, shared = append(ids, id), append(shared, least)
		o, ok := f.from[id]
		if !ok {
			break
		}
		id, least = o.ID, min(least, o.At-1)
	}
	return ids, shared
}

// shared returns how many messages two conversations have in common; -1 if they are not of
// one family.
func (f family) shared(a, b string) int {
	as, na := f.line(a)
	bs, nb := f.line(b)
	for i, id := range as {
		if j := slices.Index(bs, id); j >= 0 {
			return min(na[i], nb[j])
		}
	}
	return -1
}

// places returns the messages of a conversation that exist in several forms, in order.
// all is what List returned.
func places(all []Listing, id string) []Place {
	f := familyOf(all)
	out := []Place{}
	at := map[int][]string{} // conversations that have another message in this place
	for _, other := range f.order {
		if other == id {
			continue
		}
		if n := f.shared(id, other) + 1; n > 0 && n <= f.messages[id] && n <= f.messages[other] {
			at[n] = append(at[n], other)
		}
	}
	for n := 1; n <= f.messages[id]; n++ {
		if len(at[n]) > 0 {
			out = append(out, f.place(id, n, at[n]))
		}
	}
	return out
}

// place returns one place, from the conversations that have other messages there.
func (f family) place(id string, n int, others []string) Place {
	forms := [][]string{{id}}
	for _, other := range others {
		same := func(form []string) bool { return f.shared(form[0], other) >= n }
		if i := slices.IndexFunc(forms, same); i >= 0 {
			forms[i] = append(forms[i], other)
		} else {
			forms = append(forms, []string{other})
		}
	}
	sorting.By(forms, func(a, b []string) int { return strings.Compare(f.first(a[0], n), f.first(b[0], n)) })
	p := Place{N: n}
	for i, form := range forms {
		if form[0] == id {
			p.Index = i
		}
		p.IDs = append(p.IDs, form[0])
	}
	return p
}

// first returns the conversation in which message n of a conversation was written. IDs
// begin with a time.
func (f family) first(id string, n int) string {
	for _, other := range f.order {
		if other < id && f.shared(id, other) >= n {
			id = other
		}
	}
	return id
}

// Branches returns Places of a conversation of the store. It reads only conversations that
// branch off from one another.
func Branches(s *state.Store, id string) []Place {
	near := relatives(origins(s), id)
	if len(near) < 2 {
		return []Place{}
	}
	var all []Listing
	for other := range newestFirst(s) {
		if near[other] {
			if k, err := Read(s, other); err == nil {
				all = append(all, k.Listing())
			}
		}
	}
	return places(all, id)
}

// relatives returns a conversation and those with which it has an ancestor in common, with the
// ancestors, which may be gone.
func relatives(from map[string]Origin, id string) map[string]bool {
	near := map[string]bool{id: true}
	for grown := true; grown; {
		grown = false
		for one, o := range from {
			if near[one] != near[o.ID] {
				near[one], near[o.ID], grown = true, true, true
			}
		}
	}
	return near
}
