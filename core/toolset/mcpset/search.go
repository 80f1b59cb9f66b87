package mcpset

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"golem/core/fault"
	"golem/core/tool"
)

const (
	mostOffered = 30 // tools of all servers that a model is offered at once
	mostFound   = 8  // tools that one search offers
	searchName  = "search_tools"
)

// found records which tools are offered, if there are too many to offer all: the first of
// each server, and those that searches have found.
type found struct {
	mu    sync.Mutex
	many  bool
	first map[string]bool
	names map[string]bool
}

// choose records the tools, by server. If there are too many, the first of each server
// are offered, in turn, as many as leave room for search_tools and what one search finds.
func (f *found) choose(servers [][]string) (many bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	total := 0
	for _, names := range servers {
		total += len(names)
	}
	f.many, f.first = total > mostOffered, map[string]bool{}
	for i := 0; f.many && i < mostOffered; i++ {
		for _, names := range servers {
			if i < len(names) && len(f.first) < mostOffered-1-mostFound {
				f.first[names[i]] = true
			}
		}
	}
	return f.many
}

func (f *found) hidden(name string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.many && !f.names[name] && !f.first[name]
}

func (f *found) show(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.names == nil {
		f.names = map[string]bool{}
	}
	f.names[name] = true
}

type searchArgs struct {
	Query string `json:"query" jsonschema:"words of what the tool should do, or a part of its name"`
}

// searchTool returns the tool search_tools, with which a model finds hidden tools.
func (s *set) searchTool() tool.Tool {
	count := 0
	var names []string
	for _, one := range s.servers {
		count += len(one.tools)
		names = append(names, one.name)
	}
	return tool.Func(tool.Spec{
		Name: searchName, Risk: tool.Read, Toolset: "mcp", Provider: "builtin",
		Description: fmt.Sprintf("Finds tools among %d of the MCP servers %s, most of which are not offered until a search finds them. The tools that it finds can be called from the next turn on.", count, strings.Join(names, ", ")),
	}, s.search)
}

// hit is a tool as a search shows it; its schema comes with the next request.
type hit struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

func (s *set) search(_ context.Context, in searchArgs) (tool.Output, error) {
	if len(words(in.Query)) == 0 || len(in.Query) > 1000 {
		return tool.Output{}, fault.New(fault.ToolInput, "the query has no words of three letters or more, or more than 1000 bytes").Hinting("write a few words of what the tool should do")
	}
	var specs []tool.Spec
	for _, t := range s.tools {
		if r, ok := t.(*remote); ok {
			specs = append(specs, r.spec)
		}
	}
	all := rank(specs, in.Query)
	hits := []hit{}
	for _, r := range all[:min(len(all), mostFound)] {
		s.found.show(r.spec.Name)
		text := r.spec.Description
		if len(text) > 300 {
			text = strings.ToValidUTF8(text[:300], "") + "…"
		}
		hits = append(hits, hit{r.spec.Name, text})
	}
	data, err := json.Marshal(map[string]any{"tools": hits, "more": len(all) - len(hits)})
	if err != nil {
		return tool.Output{}, fault.New(fault.Tool, "the tools could not be encoded: %w", err)
	}
	return tool.Output{Kind: "json", Data: data, Summary: fault.Count(len(hits), "tool")}, nil
}

// Recall offers the tools again that a search has found whose result was kept.
func (s *set) Recall(name string, out tool.Output) {
	var result struct{ Tools []hit }
	if name != searchName || json.Unmarshal(out.Data, &result) != nil {
		return
	}
	for _, h := range result.Tools {
		s.found.show(h.Name)
	}
}
