package shell

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"time"

	"golem/core/toolset"
)

// capped is a writer that keeps the beginning and the end of the output, each up to
// maxOutput/2 bytes.
type capped struct {
	mu    sync.Mutex
	head  []byte
	tail  []byte
	total int
}

// Write adds output. It never fails, so that the command is not disturbed.
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

// String returns the output as text, with a note where bytes were left out.
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

// Limits of what a person is shown of a running command.
const (
	showEvery = time.Second // a shorter command shows only its result
	maxShown  = 8 << 10     // bytes each time; only the last ones are shown
	showTimes = 200
)

// shown is a writer that keeps output and also shows it to the person while the command
// runs. Front ends escape the text; the trace keeps only the result.
type shown struct {
	*capped
	log  toolset.Run // nil: nobody sees it
	stop chan struct{}
	done sync.WaitGroup

	mu  sync.Mutex
	new []byte // output that was not shown yet; it may end within a line
}

// show returns a writer that passes output to keep and begins to show it. Call end when
// the command has ended.
func (s *shell) show(keep *capped) *shown {
	w := &shown{capped: keep, log: s.env.Run, stop: make(chan struct{})}
	if w.log == nil {
		return w
	}
	w.done.Go(func() {
		tick := time.NewTicker(showEvery)
		defer tick.Stop()
		for times := 0; times < showTimes; {
			select {
			case <-w.stop:
				return
			case <-tick.C:
			}
			if text := w.lines(); text != "" {
				w.log.Log("info", text)
				times++
			}
		}
		w.log.Log("info", "more output is not shown while the command runs")
	})
	return w
}

// Write never fails.
func (w *shown) Write(p []byte) (int, error) {
	if w.log != nil {
		w.mu.Lock()
		w.new = append(w.new, p...)
		if over := len(w.new) - maxShown; over > 0 {
			w.new = append([]byte(nil), w.new[over:]...)
		}
		w.mu.Unlock()
	}
	return w.capped.Write(p)
}

// lines returns the complete lines in new and removes them from it.
func (w *shown) lines() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	end := bytes.LastIndexByte(w.new, '\n') + 1
	text := strings.ToValidUTF8(string(w.new[:end]), "\uFFFD")
	w.new = append([]byte(nil), w.new[end:]...)
	return strings.TrimSuffix(text, "\n")
}

// end stops showing output. When it returns, nothing more is shown.
func (w *shown) end() {
	close(w.stop)
	w.done.Wait()
}
