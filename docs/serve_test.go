package docs_test

import (
	"fmt"
	"net"
	"strings"
	"testing"
)

// TestServePageRuns tests that the first block of serve.md works when it is pasted: the answer
// is one of the worker.
func TestServePageRuns(t *testing.T) {
	commands := block.FindStringSubmatch(page(t, "serve.md"))
	if commands == nil || commands[1] != "sh" {
		t.Fatal("the page does not begin with commands")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	free := fmt.Sprint(listener.Addr().(*net.TCPAddr).Port)
	listener.Close()
	out := shell(t, checkout(t), strings.ReplaceAll(commands[2], "8421", free))
	for _, want := range []string{"base URL: http://127.0.0.1:" + free + "/v1", `"object":"chat.completion"`, `"model":"main"`, `"finish_reason":"stop"`, "main, run "} {
		if !strings.Contains(out, want) {
			t.Errorf("there is no %q in\n%s", want, out)
		}
	}
}
