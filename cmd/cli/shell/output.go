package shell

import (
	"fmt"
	"strings"
	"sync"
)

// capped keeps the beginning and the end of what is written to it.
type capped struct {
	mu    sync.Mutex
	head  []byte
	tail  []byte
	total int
}

// Write never fails, so that the command is not disturbed.
func (c *capped) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := len(p)
	c.total += n
	if room := maxOutput/2 - len(c.head); room > 0 {
		k := min(room, n)
		c.head = append(c.head, p[:k]...)
		p = p[k:]
	}
	c.tail = append(c.tail, p...)
	if over := len(c.tail) - maxOutput/2; over > maxOutput/2 {
		c.tail = append([]byte(nil), c.tail[over:]...)
	}
	return n, nil
}

// String is the output as text.
func (c *capped) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	tail := c.tail[max(len(c.tail)-maxOutput/2, 0):]
	cut := c.total - len(c.head) - len(tail)
	text := string(c.head)
	if cut > 0 {
		text += fmt.Sprintf("\n[%d bytes left out]\n", cut)
	}
	return strings.ToValidUTF8(text+string(tail), "\uFFFD")
}
