package config

import (
	"regexp"
	"slices"
	"sync"

	"golem/core/approval"
	"golem/core/fault"
	"golem/core/yamltree"
)

// plainModel is the name of a model that YAML reads as a text without quotes.
var plainModel = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*:[A-Za-z0-9][A-Za-z0-9._:/@+-]*[A-Za-z0-9]$`)
})

// SetModel returns the text of a person's configuration with another default model.
// Comments and everything else stay as they are. If the text is written in a way that does
// not allow this, it fails with the line that a person can change.
func SetModel(data []byte, model string) ([]byte, error) {
	if _, err := ReadPerson("config.yaml", data, "", ""); err != nil {
		return nil, err
	}
	text := model
	if !plainModel().MatchString(model) {
		text = approval.Quoted(model)
	}
	t := newConfigText(data)
	want := &yamltree.Node{Kind: yamltree.Mapping}
	if t.tree != nil && t.tree.Kind == yamltree.Mapping {
		want = t.tree
	}
	value, _ := yamltree.Parse("model", []byte(text))
	want = want.With("model", value)
	next := slices.Concat([]byte("model: "+text+t.newline), data)
	if old := t.tree.Get("model"); old != nil && old.Kind == yamltree.Scalar && old.Text != "" {
		start, end := t.offset(old.Pos), t.lineEnd(old.Line)
		for _, written := range []string{old.Text, `"` + old.Text + `"`, "'" + old.Text + "'"} {
			if at := start + len(written); at <= end && string(data[start:at]) == written {
				next = slices.Concat(data[:start], []byte(text), data[at:])
			}
		}
	}
	got, faults := yamltree.Parse("config.yaml", next)
	_, err := ReadPerson("config.yaml", next, "", "")
	if len(faults) > 0 || err != nil || !sameTree(got.Get("model"), value) || !sameTree(want.With("model", nil), got.With("model", nil)) {
		return nil, fault.New(fault.Config, "config.yaml is written in a way that golem cannot change").Hinting("write this line in it by hand: model: %s", text)
	}
	return next, nil
}

// DefaultModel returns the model where nothing else names one; "" if there is none. Of a list
// it is the first.
func (c *Person) DefaultModel() string {
	n := c.Get("model")
	if n != nil && n.Kind == yamltree.List && len(n.Items) > 0 {
		n = n.Items[0]
	}
	if n == nil {
		return ""
	}
	return n.Text
}
