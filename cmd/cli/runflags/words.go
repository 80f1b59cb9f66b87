package runflags

import "github.com/spf13/pflag"

// Words returns the flags of these names that were given, as words of a command line.
func (f *Flags) Words(names []string) (words []string) {
	for _, name := range names {
		if !f.Given(name) {
			continue
		}
		value := f.Set.Lookup(name).Value
		values := []string{value.String()}
		if list, ok := value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, v := range values {
			switch {
			case value.Type() != "bool":
				words = append(words, "--"+name, v)
			case v == "true":
				words = append(words, "--"+name)
			}
		}
	}
	return words
}
