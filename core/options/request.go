package options

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golem/core/fault"
)

// Name is an option as a page's request has it.
type Name struct {
	Page  string // in golem.js
	Field string // of Run, in any case; "": golem.js uses the option by itself and does not send it
}

// Decode reads the options that a page gave, a JSON object, into r. Another name than names has,
// or a value of another type, is E_USAGE. Nothing else of r changes.
func Decode(names []Name, data []byte, r *Run) error {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(data, &given); len(data) > 0 && err != nil {
		return fault.New(fault.Usage, "the options are not an object: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		i := slices.IndexFunc(names, func(n Name) bool { return n.Page == name && n.Field != "" })
		if i < 0 {
			known := make([]string, len(names))
			for i, n := range names {
				known[i] = n.Page
			}
			return fault.New(fault.Usage, "there is no option %s", fault.Quoted(name)).Hinting("%s", fault.DidYouMean(name, known))
		}
		object := []byte(given[name])
		for _, field := range slices.Backward(strings.Split(names[i].Field, ".")) {
			object = fmt.Appendf(nil, "{%q: %s}", field, object)
		}
		if err := json.Unmarshal(object, r); err != nil {
			return fault.New(fault.Usage, "the option %s is not valid: %w", name, err)
		}
	}
	return nil
}
