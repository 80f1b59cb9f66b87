//go:build long

package mcphost

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golem/core/mcp"
	"golem/core/model"
	"golem/core/tool"

	"golem/cmd/cli/console"
)

// publicPackages are MCP servers from npm that start without a network, with what they want
// to be started and the number of tools that they list. (The servers of Supabase and Stripe ask
// their vendors before they list a tool.)
var publicPackages = []struct {
	name  string // with its version
	args  []string
	env   map[string]string
	tools int
}{
	{"@modelcontextprotocol/server-filesystem@2026.8.31", []string{"."}, nil, 14},
	{"@modelcontextprotocol/server-memory@2026.8.31", nil, nil, 9},
	{"@modelcontextprotocol/server-everything@2026.8.31", nil, nil, 13},
	{"@modelcontextprotocol/server-sequential-thinking@2026.8.31", nil, nil, 1},
	{"@upstash/context7-mcp@4.1.1", nil, nil, 2},
	{"@playwright/mcp@0.0.83", nil, nil, 25},
	{"@notionhq/notion-mcp-server@2.5.2", nil, map[string]string{"NOTION_TOKEN": "ntn_dummy"}, 24},
	{"tavily-mcp@0.2.22", nil, map[string]string{"TAVILY_API_KEY": "dummy"}, 5},
	{"firecrawl-mcp@3.26.0", nil, map[string]string{"FIRECRAWL_API_KEY": "dummy"}, 29},
	{"@brave/brave-search-mcp-server@2.1.4", nil, map[string]string{"BRAVE_API_KEY": "dummy"}, 8},
	{"@antv/mcp-server-chart@0.9.10", nil, nil, 27},
	{"figma-developer-mcp@0.13.2", []string{"--stdio", "--figma-api-key=dummy"}, nil, 2},
	{"exa-mcp-server@3.4.1", nil, map[string]string{"EXA_API_KEY": "dummy"}, 2},
	{"@modelcontextprotocol/server-github@2025.4.8", nil, map[string]string{"GITHUB_PERSONAL_ACCESS_TOKEN": "dummy"}, 26},
	{"@modelcontextprotocol/server-gitlab@2025.4.25", nil, map[string]string{"GITLAB_PERSONAL_ACCESS_TOKEN": "dummy"}, 9},
	{"@modelcontextprotocol/server-slack@2025.4.25", nil, map[string]string{"SLACK_BOT_TOKEN": "dummy", "SLACK_TEAM_ID": "T0"}, 8},
	{"@modelcontextprotocol/server-brave-search@0.6.2", nil, map[string]string{"BRAVE_API_KEY": "dummy"}, 2},
	{"@modelcontextprotocol/server-google-maps@0.6.2", nil, map[string]string{"GOOGLE_MAPS_API_KEY": "dummy"}, 7},
	{"@modelcontextprotocol/server-postgres@0.6.2", []string{"postgresql://localhost/none"}, nil, 1},
	{"@modelcontextprotocol/server-puppeteer@2025.5.12", nil, nil, 7},
	{"@modelcontextprotocol/server-everart@0.6.2", nil, map[string]string{"EVERART_API_KEY": "dummy"}, 1},
	{"@modelcontextprotocol/server-pdf@2.0.4", []string{"--stdio"}, nil, 9},
	{"chrome-devtools-mcp@1.11.0", nil, nil, 32},
	{"@sentry/mcp-server@0.39.0", []string{"--access-token=dummy"}, nil, 9},
	{"@hubspot/mcp-server@0.4.0", nil, map[string]string{"PRIVATE_APP_ACCESS_TOKEN": "dummy"}, 21},
	{"@shopify/dev-mcp@1.16.0", nil, map[string]string{"OPT_OUT_INSTRUMENTATION": "true"}, 5},
	{"@browsermcp/mcp@0.1.3", nil, nil, 12},
	{"@agentdeskai/browser-tools-mcp@2.0.2", nil, nil, 16},
	{"@executeautomation/playwright-mcp-server@1.0.12", nil, nil, 33},
	{"@eslint/mcp@0.3.13", nil, nil, 1},
	{"@elastic/mcp-server-elasticsearch@0.3.1", nil, map[string]string{"ES_URL": "http://localhost:9200", "ES_API_KEY": "dummy"}, 4},
	{"@launchdarkly/mcp-server@0.6.2", []string{"start", "--api-key", "api-dummy"}, nil, 20},
	{"@circleci/mcp-server-circleci@0.20.0", nil, map[string]string{"CIRCLECI_TOKEN": "dummy"}, 13},
	{"@winor30/mcp-server-datadog@1.8.0", nil, map[string]string{"DATADOG_API_KEY": "dummy", "DATADOG_APP_KEY": "dummy"}, 21},
	{"@currents/mcp@2.1.1", nil, map[string]string{"CURRENTS_API_KEY": "dummy"}, 8},
	{"@wonderwhy-er/desktop-commander@0.2.52", nil, nil, 26},
}

// TestLongPublicServers starts public MCP servers: every tool that they list is offered to the
// model, with a schema that providers accept, and their processes end.
func TestLongPublicServers(t *testing.T) {
	listed, offered := 0, 0
	for _, p := range publicPackages {
		t.Run(p.name, func(t *testing.T) {
			dir := t.TempDir()
			npm := exec.Command("npm", "install", "--silent", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", dir, p.name)
			if out, err := npm.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			program := packageProgram(t, dir, p.name)
			h := console.New(map[string]string{"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": dir}, "")
			c := New(h, dir).Connect(mcp.Server{Name: "public", Command: program, Args: p.args, Env: p.env})
			defer func() {
				if err := c.Close(); err != nil {
					t.Error(err)
				}
			}()
			if err := c.Open(t.Context()); err != nil {
				t.Fatal(err)
			}
			all := 0
			for cursor := ""; ; {
				params := map[string]any{}
				if cursor != "" {
					params["cursor"] = cursor
				}
				raw, err := c.Request(t.Context(), "tools/list", params, nil)
				if err != nil {
					t.Fatal(err)
				}
				var page struct {
					Tools      []json.RawMessage
					NextCursor string
				}
				if err := json.Unmarshal(raw, &page); err != nil {
					t.Fatal(err)
				}
				if all, cursor = all+len(page.Tools), page.NextCursor; cursor == "" {
					break
				}
			}
			tools, warnings, err := c.Client().Tools(t.Context(), func(string) bool { return true })
			if err != nil {
				t.Fatal(err)
			}
			for _, one := range tools {
				if err := model.Unfit(tool.Spec{Name: one.Name, Input: one.Input}); err != nil {
					t.Errorf("%s: %v", one.Name, err)
				}
			}
			if all != len(tools) || all != p.tools {
				t.Errorf("%d tools are listed, want %d; %d are offered: %v", all, p.tools, len(tools), warnings)
			}
			listed, offered = listed+all, offered+len(tools)
		})
	}
	t.Logf("%d servers, %d tools listed, %d offered", len(publicPackages), listed, offered)
}

// packageProgram returns the program of an installed package.
func packageProgram(t *testing.T, dir, name string) string {
	name = name[:strings.LastIndexByte(name, '@')] // without its version
	data, err := exec.Command("node", "-p", `const p = require(process.argv[1] + "/package.json"); require("path").join(process.argv[1], typeof p.bin == "string" ? p.bin : Object.values(p.bin)[0])`,
		filepath.Join(dir, "node_modules", name)).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(data[:len(data)-1])
}
