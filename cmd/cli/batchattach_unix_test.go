//go:build unix

package main

import (
	"bufio"
	"io"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
)

var questionKey = regexp.MustCompile(`name="question" value="([0-9a-f]+)"`)

// answerOnPage answers the one question of a batch with yes, on the page of golem batch attach
// --web, and ends that with Ctrl+C.
func (f *farm) answerOnPage(machine, name string) {
	f.t.Helper()
	cmd := f.command(machine, "batch", "attach", name, "--web")
	out, err := cmd.StdoutPipe()
	if err != nil {
		f.t.Fatal(err)
	}
	b := f.begin(cmd)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		f.t.Fatal(err)
	}
	at := strings.TrimSpace(line)
	if said := b.until(f.t, "who knows it can answer", 1); strings.Contains(said, at) {
		f.t.Errorf("the address is said twice: %s", said)
	}
	body := f.page(http.NewRequest(http.MethodGet, at, nil))
	keys := questionKey.FindAllStringSubmatch(body, -1)
	if len(keys) == 0 || !strings.Contains(body, "1 question of 4 items") {
		f.t.Fatal(body)
	}
	form := url.Values{"question": {keys[0][1]}, "answer": {"yes"}}.Encode()
	r, err := http.NewRequest(http.MethodPost, at+"answer", strings.NewReader(form))
	if err != nil {
		f.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", "http://"+r.URL.Host)
	if body := f.page(r, nil); !strings.Contains(body, "No item waits for an answer") {
		f.t.Fatal(body)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		f.t.Fatal(err)
	}
	b.end(f.t, 0)
}

// page returns the page that a server sends.
func (f *farm) page(r *http.Request, err error) string {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		f.t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		f.t.Fatalf("%s: %v\n%s", answer.Status, err, body)
	}
	return string(body)
}
