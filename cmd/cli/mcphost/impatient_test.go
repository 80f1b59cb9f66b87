package mcphost

import (
	"os"
	"testing"
	"time"
)

// A message that a server does not read does not block the call that writes it for ever, and
// nothing is written after half a message.
func TestServerThatDoesNotRead(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	in := impatient{w, 50 * time.Millisecond}
	if n, err := in.Write(make([]byte, 4<<20)); err == nil || n == 4<<20 {
		t.Fatalf("%d bytes, %v", n, err)
	}
	if _, err := in.Write([]byte("x")); err == nil {
		t.Error("something was written after half a message")
	}
}
