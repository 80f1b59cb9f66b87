package mcphost

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"golem/core/mcp"
)

// saidLines is a writer for the standard error of a server. It keeps the first and the
// last bytes, at most maxSaid of each.
type saidLines struct {
	mu          sync.Mutex
	first, last []byte
}

const maxSaid = 8 << 10 // bytes

// Write never fails.
func (s *saidLines) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := min(len(p), maxSaid-len(s.first))
	s.first = append(s.first, p[:n]...)
	rest := p[n:]
	s.last = append(s.last, rest[max(0, len(rest)-maxSaid):]...)
	s.last = slices.Clone(s.last[max(0, len(s.last)-maxSaid):])
	return len(p), nil
}

// Patterns of lines on standard error.
var (
	// stackLine is a line of a stack, or what runtimes print around one.
	stackLine = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\s*(at\s|File ".*", line \d|goroutine \d|node:|Node\.js v|\^+\s*$|[{}()\[\];,]*\s*$|\S+\.(js|ts|mjs|cjs|go|py):\d+|throw |raise |created by |Traceback|\.\.\. \d+ more|code: |requireStack:|npm (notice|warn))`)
	})
	// reasonLine is a line that says why a program does not start.
	reasonLine = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)error|fail|fatal|panic|missing|require|provide|not set|must|invalid|cannot|can't|could not|unable|denied|unauthori[sz]ed|not found|no such|refused|usage:|api.?key|token`)
	})
)

const maxReason = 3 // lines

// reason returns the lines that say why the program did not go on: those that sound like
// a reason, without stacks, or else the last ones. It returns "" if nothing was written.
func (s *saidLines) reason() string {
	s.mu.Lock()
	text := strings.ToValidUTF8(string(s.first)+string(s.last), "\uFFFD")
	s.mu.Unlock()
	var lines, reasons []string
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || stackLine().MatchString(line) || slices.Contains(lines, line) {
			continue
		}
		lines = append(lines, line)
		if reasonLine().MatchString(line) {
			reasons = append(reasons, line)
		}
	}
	if len(reasons) == 0 {
		reasons = lines[max(0, len(lines)-maxReason):]
	}
	if len(reasons) > maxReason {
		reasons = append(reasons[:maxReason-1:maxReason-1], reasons[len(reasons)-1])
	}
	for i, line := range reasons {
		reasons[i] = mcp.Plain(line, 300)
	}
	return strings.Join(reasons, "; ")
}
