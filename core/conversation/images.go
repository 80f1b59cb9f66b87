package conversation

import (
	"fmt"
	"slices"

	"golem/core/model"
)

// DropImages replaces the images of the newest message that has some by a line about each,
// and returns the names of the images; none if there is no image.
func (c *Conversation) DropImages() (names []string) {
	isImage := func(p model.Part) bool { return p.Kind == "image" }
	for i, m := range slices.Backward(c.Messages) {
		if !slices.ContainsFunc(m.Parts, isImage) {
			continue
		}
		var rest []model.Part
		for _, p := range m.Parts {
			if !isImage(p) {
				rest = append(rest, p)
				continue
			}
			names = append(names, p.Name)
			if m.Text != "" {
				m.Text += "\n"
			}
			m.Text += fmt.Sprintf("[golem: the image %s is not here: the provider refused it]", p.Name)
		}
		m.Parts = rest
		c.Messages = slices.Clone(c.Messages)
		c.Messages[i] = m
		return names
	}
	return nil
}
