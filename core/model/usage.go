package model

import (
	"encoding/json"
	"strconv"
	"strings"
)

// maxTokens bounds a number of tokens that a provider reports.
const maxTokens = 1 << 40

// counts has a provider's numbers of tokens by name. A number in a nested object has
// the object's name and a dot before its own. Values that are not numbers are left out,
// so that a wrong one does not spoil the answer.
type counts map[string]int

func readCounts(raw json.RawMessage) counts {
	c := counts{}
	c.read("", raw)
	return c
}

func (c counts) read(prefix string, raw json.RawMessage) {
	var o map[string]json.RawMessage
	if json.Unmarshal(raw, &o) != nil {
		return
	}
	for name, value := range o {
		if n, err := strconv.ParseFloat(strings.Trim(string(value), `"`), 64); err == nil && n >= 0 {
			c[prefix+name] = int(min(n, maxTokens))
		} else if prefix == "" && len(value) > 0 && value[0] == '{' {
			c.read(name+".", value)
		}
	}
}

// usage returns what the provider bills; ok is false unless it reports both input and
// output. Some providers (xAI, Google) count reasoning outside completion_tokens: their
// total is right.
func (c counts) usage() (u Usage, ok bool) {
	u.In, ok = c["prompt_tokens"]
	out, said := c["completion_tokens"]
	u.Out = max(out, c["total_tokens"]-u.In)
	for _, name := range []string{"prompt_tokens_details.cached_tokens", "prompt_cache_hit_tokens", "cached_tokens"} {
		if n := c[name]; n > 0 {
			u.Cached = min(n, u.In)
			break
		}
	}
	return u, ok && said && u.In+u.Out > 0
}
