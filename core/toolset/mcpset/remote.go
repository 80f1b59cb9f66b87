package mcpset

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"sync"

	"golem/core/mcp"
	"golem/core/tool"
)

// remote is one tool of a server.
type remote struct {
	set    *set
	server *server
	conn   *mcp.Connection
	tool   string // the server's own name
	spec   tool.Spec
}

var _ tool.Hidden = (*remote)(nil)

// provider returns the provider of a tool, which is part of the approval key. It changes with
// the configuration of the server and with the description of the tool, so that a
// remembered answer does not hold after such a change.
func (s *server) provider(t mcp.Tool) string {
	config, err := json.Marshal(s.config)
	if err != nil {
		config = nil // unreachable: texts encode
	}
	sum := sha256.Sum256(append(config, t.Digest...))
	return "mcp:" + s.name + "@" + hex.EncodeToString(sum[:])
}

// Spec returns the tool's metadata.
func (t *remote) Spec() tool.Spec { return t.spec }

// Hidden reports whether the tool is not offered to the model, because there are too many
// tools and no search has found it yet.
func (t *remote) Hidden() bool { return t.set.found.hidden(t.spec.Name) }

// maxNews is how many progress messages of one call are shown.
const maxNews = 50

// Call calls the tool. Its progress is shown to the person.
func (t *remote) Call(ctx context.Context, c tool.Call) (tool.Output, error) {
	var mu sync.Mutex
	news, last := 0, ""
	defer t.set.warnings(t.server)
	return t.conn.Client().Call(ctx, t.tool, c.Args.JSON(), func(p mcp.Progress) {
		mu.Lock()
		defer mu.Unlock()
		text := t.spec.Name + ": " + progressText(p)
		if news++; news <= maxNews && text != last {
			t.set.env.Log("info", text)
		}
		last = text
	})
}

func progressText(p mcp.Progress) string {
	text := fmt.Sprintf("%g", p.Done)
	if p.Total > 0 {
		text += fmt.Sprintf(" of %g", p.Total)
	}
	if p.Message != "" {
		text += ", " + mcp.Plain(p.Message, 200)
	}
	return text
}
