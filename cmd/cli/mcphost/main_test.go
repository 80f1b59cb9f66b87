package mcphost

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"testing"

	"github.com/zalando/go-keyring"

	"golem/core/mcp/mcptest"

	"golem/cmd/cli/console"
	"golem/cmd/cli/secretstore"
)

// scriptedServer is the variable with which a test starts its own binary as an MCP
// server; the value is the script.
const scriptedServer = "GOLEM_TEST_MCP_SERVER"

func TestMain(m *testing.M) {
	keyring.MockInitWithError(errors.New("tests have no keyring")) // tests must not use the keyring of the person who runs them
	if script := os.Getenv(scriptedServer); script != "" {
		var s mcptest.Server
		if err := json.Unmarshal([]byte(script), &s); err != nil {
			panic(err)
		}
		if err := s.Serve(context.Background(), os.Stdin, os.Stdout); err != nil {
			panic(err)
		}
		return
	}
	m.Run()
}

// newHome returns a console with an empty GOLEM_HOME, and the store of secrets in it.
func newHome(t *testing.T) (*console.Console, *secretstore.Store) {
	t.Helper()
	dir := t.TempDir()
	c := console.New(map[string]string{"GOLEM_HOME": dir}, t.TempDir())
	return c, secretstore.Open(c)
}
