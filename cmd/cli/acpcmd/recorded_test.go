package acpcmd

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What editors send, in the shape of their sources, is played: see testdata.
func TestRecordedEditors(t *testing.T) {
	all, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(all) < 2 {
		t.Fatalf("%q %v", all, err)
	}
	for _, name := range all {
		t.Run(filepath.Base(name), func(t *testing.T) {
			script, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			dir := files(t, writing)
			r, _ := newRaw(t, dir)
			p := &player{raw: r, dir: dir, always: map[string]string{}}
			for line := range strings.Lines(string(script)) {
				p.play(strings.TrimSpace(line))
			}
		})
	}
}

// player plays the messages of an editor.
type player struct {
	*raw
	dir, session string
	always       map[string]string // answers to requests that come at any time
}

var newSession = regexp.MustCompile(`"result":\{.*"sessionId":"([^"]+)"`)

// scan returns the next line of golem that is not always answered.
func (p *player) scan(until string) string {
	p.t.Helper()
	for p.from.Scan() {
		if m := newSession.FindStringSubmatch(p.from.Text()); m != nil {
			p.session = m[1]
		}
		var m message
		if json.Unmarshal(p.from.Bytes(), &m) != nil {
			p.t.Fatalf("no message: %s", p.from.Text())
		}
		answer, known := p.always[m.Method]
		if !known {
			return p.from.Text()
		}
		p.reply(m.ID, answer)
	}
	p.t.Fatalf("golem ended before %s: %v", until, p.from.Err())
	return ""
}

// reply answers a request of golem with a result, or with an error.
func (p *player) reply(id any, answer string) {
	kind := "result"
	if text, failed := strings.CutPrefix(answer, "error "); failed {
		kind, answer = "error", text
	}
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%v,"%s":%s}`, id, kind, answer))
}

func (p *player) play(line string) {
	p.t.Helper()
	what, rest, _ := strings.Cut(line, " ")
	rest = strings.NewReplacer("$DIR", p.dir, "$SESSION", p.session).Replace(rest)
	method, answer, _ := strings.Cut(rest, " ")
	switch what {
	case ">":
		p.send(rest)
	case "=":
		p.always[method] = answer
	case "<":
		for !strings.Contains(p.scan(rest), rest) {
			if strings.Contains(p.from.Text(), `"method":"session/request_permission"`) || strings.Contains(p.from.Text(), `"error":`) {
				p.t.Fatalf("%s came before %s", p.from.Text(), rest)
			}
		}
	case "!":
		for {
			var m message
			if err := json.Unmarshal([]byte(p.scan(method)), &m); err != nil {
				p.t.Fatal(err)
			}
			if m.Method == method {
				p.reply(m.ID, answer)
				return
			}
			if m.Method != "session/update" {
				p.t.Fatalf("%s came before %s", p.from.Text(), method)
			}
		}
	}
}
