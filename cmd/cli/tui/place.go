package tui

import "slices"

// place is a line of the transcript that can be found again after it was drawn in another width:
// the item, and how far down in it the line is, from 0 to 1.
type place struct {
	item int
	down float64
}

// placeOf returns the place of the last visible line if the transcript is scrolled up by back
// lines.
func (t *transcript) placeOf(back int) place {
	end := max(t.total-back, 0)
	i, _ := slices.BinarySearch(t.ends, end)
	if i >= len(t.blocks) {
		return place{item: i}
	}
	high := t.blocks[i].height()
	return place{i, float64(end-t.ends[i]+high) / float64(max(high, 1))}
}

// backTo returns how many lines the transcript has to be scrolled up to end with a place.
func (t *transcript) backTo(p place) int {
	if p.item >= len(t.blocks) {
		return 0
	}
	high := t.blocks[p.item].height()
	return max(t.total-t.ends[p.item]+high-int(p.down*float64(high)+0.5), 0)
}
