package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"

	"golem/core/mcp/mcptest"
)

// scriptedServer is the variable with which a test starts its own binary as an MCP
// server; the value is the script.
const scriptedServer = "GOLEM_TEST_MCP_SERVER"

// serveScript runs the MCP server of tests over standard input and output, and returns
// the exit code.
func serveScript(script []byte) int {
	var s mcptest.Server
	if err := json.Unmarshal(script, &s); err != nil {
		os.Stderr.WriteString(err.Error())
		return 2
	}
	if err := s.Serve(context.Background(), os.Stdin, os.Stdout); err != nil {
		os.Stderr.WriteString(err.Error())
		return 1
	}
	return 0
}

// serveScriptFile is the main function of the program mcpserver in scripts: mcpserver
// FILE, or mcpserver DIR for DIR/server.json, which is data and not part of the command.
func serveScriptFile() {
	name := os.Args[1]
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		name = filepath.Join(name, "server.json")
	}
	script, err := os.ReadFile(name)
	if err != nil {
		os.Stderr.WriteString(err.Error())
		os.Exit(2)
	}
	os.Exit(serveScript(script))
}
