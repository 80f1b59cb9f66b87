package runflags

import (
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"golem/cmd/cli/console"
)

// number is a flag whose value is a number or, if it is not given, nil.
type number struct{ into **int }

func (v *number) Type() string { return "int" }

func (v *number) String() string {
	if v.into == nil || *v.into == nil {
		return ""
	}
	return strconv.Itoa(**v.into)
}

// Set reads a number as flags of type int do.
func (v *number) Set(text string) error {
	n, err := strconv.ParseInt(text, 0, strconv.IntSize)
	if err != nil {
		return err
	}
	*v.into = new(int(n))
	return nil
}

// bare is a flag whose argument may be left out; bare stands for that, and is "" in into.
type bare struct {
	into       **string
	bare, text string
}

func (v *bare) Type() string { return "string" }

func (v *bare) String() string { return v.text }

// Set sets into.
func (v *bare) Set(text string) error {
	v.text = text
	if text == v.bare {
		text = ""
	}
	*v.into = &text
	return nil
}

// choice is a yes-or-no flag that sets a text.
type choice struct {
	into *string
	sets string
	yes  bool
}

func (v *choice) Type() string { return "bool" }

func (v *choice) String() string { return strconv.FormatBool(v.yes) }

// Set sets into if the text means yes.
func (v *choice) Set(text string) (err error) {
	if v.yes, err = strconv.ParseBool(text); v.yes {
		*v.into = v.sets
	}
	return err
}

// pairs is a repeated flag of the form NAME=VALUE. What is wrong with the values is in err, so
// that refuse can tell it.
type pairs struct {
	into          *map[string]string
	flag, example string
	given         []string
	err           error
}

var _ pflag.SliceValue = (*pairs)(nil)

func (v *pairs) Type() string { return "stringArray" }

func (v *pairs) String() string { return "" }

// GetSlice returns the pairs as they were given.
func (v *pairs) GetSlice() []string { return v.given }

// Append adds a pair.
func (v *pairs) Append(text string) error { return v.Set(text) }

// Replace removes all pairs and adds others.
func (v *pairs) Replace(texts []string) error {
	*v.into, v.given, v.err = nil, nil, nil
	for _, text := range texts {
		if err := v.Set(text); err != nil {
			return err
		}
	}
	return nil
}

// Set adds a pair to into.
func (v *pairs) Set(text string) error {
	v.given = append(v.given, text)
	name, value, ok := strings.Cut(text, "=")
	_, twice := (*v.into)[name]
	switch {
	case v.err != nil:
	case !ok || name == "" || value == "":
		v.err = console.Usage("--%s %s is not NAME=VALUE", v.flag, strconv.Quote(text)).Hinting("for example %s", v.example)
	case twice:
		v.err = console.Usage("--%s %s is given twice", v.flag, name).Hinting("give it once")
	case *v.into == nil:
		*v.into = map[string]string{name: value}
	default:
		(*v.into)[name] = value
	}
	return nil
}
