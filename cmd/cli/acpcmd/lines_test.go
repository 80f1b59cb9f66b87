package acpcmd

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"testing"

	acp "github.com/coder/acp-go-sdk"
)

// Whatever a client sends, the SDK reads lines that are one JSON object each, with a method or
// an id, and every other line is answered once.
func FuzzLines(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}` + "\n", "\n \n{}\n[]\nnull\n", `{"id":null,"method":null}` + "\n", "{\"method\":\"x\"}\r\n{\"id\":1}\n", "no end", "\xff\n\x00\n",
		`{"method":"$/cancel_request"}` + "\n" + `{"METHOD":"x","id":{}}` + "\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		ready, began, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
		close(ready)
		fed := make(chan struct{})
		go func() { // handlers that begin at once
			defer close(fed)
			for {
				select {
				case began <- struct{}{}:
				case <-done:
					return
				}
			}
		}()
		refused := 0
		l := &lines{in: bufio.NewReaderSize(bytes.NewReader(data), 16), refuse: func(*acp.RequestError) { refused++ }, asked: func() {}, open: ready, closed: done, began: began}
		got, err := io.ReadAll(l)
		close(done)
		<-fed
		if err != nil {
			t.Fatal(err)
		}
		passed := 0
		for line := range bytes.Lines(got) {
			var m map[string]json.RawMessage
			if json.Unmarshal(line, &m) != nil || m == nil || line[len(line)-1] != '\n' {
				t.Errorf("%q is passed on", line)
			}
			passed++
		}
		whole := 0
		for line := range bytes.Lines(data) {
			if bytes.HasSuffix(line, []byte("\n")) && len(bytes.TrimSpace(line)) > 0 {
				whole++
			}
		}
		if passed+refused != whole {
			t.Errorf("%d passed on, %d refused, of %d", passed, refused, whole)
		}
	})
}
