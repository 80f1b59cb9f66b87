package coretest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"golem/core/approval"
	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/trace"
)

// Outcome is the result of playing a case.
type Outcome struct {
	Status   string // ok, needs_input, error, interrupted; "config" if the project could not be opened
	Exit     int
	Output   string            // the answer, or "! " and the error
	Trace    string            // in a compact form, see compact
	Requests string            // the messages of each worker run
	Sent     string            // the bodies of the model requests
	Faults   string            // one per line
	Files    map[string][]byte // the project's files after the run
	Config   string            // the person's config.yaml after the run, if a rule was saved
	Asked    []approval.Request
	Problems []string // problems of the test itself: unanswered questions, a broken trace
}

// compact returns a normalised trace for people, one event per line: "ID TYPE WORKER
// {fields}". It leaves out what SPEC §16 leaves out, the times of files, and everything that
// changes with every edit of a case or a fixture: digests, fuel and estimated usage.
func compact(events []trace.Event) (string, error) {
	var b strings.Builder
	for _, e := range trace.Normalise(events) {
		line, err := trace.Encode(e)
		if err != nil {
			return "", fmt.Errorf("event %s of %s: %w", e.Body.EventType(), e.ID, err)
		}
		var fields map[string]any
		d := json.NewDecoder(bytes.NewReader(line))
		d.UseNumber()
		if err := d.Decode(&fields); err != nil {
			return "", fmt.Errorf("event %s of %s is not JSON: %w", e.Body.EventType(), e.ID, err)
		}
		for _, k := range []string{"type", "id", "parent", "worker", "depth", "seq", "ts", "ms", "wait_ms", "digest"} {
			delete(fields, k)
		}
		if r, ok := fields["reasoning"].(map[string]any); ok {
			delete(r, "ms")
		}
		for _, k := range []string{"usage", "own"} {
			if u, ok := fields[k].(map[string]any); ok && (u["estimated"] == true || fmt.Sprintf("%v/%v", u["in"], u["out"]) == "0/0") {
				delete(fields, k)
			}
		}
		if from, _ := fields["model_from"].(string); !strings.HasPrefix(from, "caller ") {
			delete(fields, "model_from") // it has a line number, which changes with every edit
		}
		delete(fields, "fuel") // changes with the version of the guard; another test checks it
		text := modified.ReplaceAllString(plainJSON(fields), `"modified":"…"`)
		text = digests.ReplaceAllString(text, "@sha256:…")
		text = pinned.ReplaceAllString(text, "$1 at …")
		fmt.Fprintf(&b, "%s %s %s %s\n", e.ID, e.Body.EventType(), orDash(e.Worker), text)
	}
	return b.String(), nil
}

// modified matches the time of a file in a result, digests the digest of a tool module, and
// pinned a tool of an MCP server with the digest of the server's configuration.
var (
	modified = regexp.MustCompile(`"modified":"[^"]*"`)
	digests  = regexp.MustCompile(`@sha256:[0-9a-f]{64}`)
	pinned   = regexp.MustCompile(`(sha256:[0-9a-f]{64}) at [0-9a-f]{16}`)
)

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// plainJSON returns v as JSON on one line, without HTML escapes.
func plainJSON(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Sprintf("%q", err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// faultLines returns a fault or a list of faults, one per line.
func faultLines(err error) string {
	var list fault.List
	switch e := err.(type) {
	case nil:
		return ""
	case fault.List:
		list = e
	default:
		list = fault.List{fault.Of(err, fault.Config)}
	}
	if len(list) == 0 {
		return ""
	}
	return list.Error() + "\n"
}

// filesOf reads every regular file of a tree.
func filesOf(fsys sandbox.FS) (map[string][]byte, error) {
	out := map[string][]byte{}
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && name == ".git" { // the page lists no repositories
			return fs.SkipDir
		}
		if err != nil || d.IsDir() {
			return err
		}
		out[name], err = fs.ReadFile(fsys, name)
		return err
	})
	return out, err
}

// whole returns all texts of an outcome except its files, for Contains and Lacks.
func (o Outcome) whole() string {
	parts := []string{o.Output, o.Trace, o.Requests, o.Sent, o.Faults}
	for _, r := range o.Asked {
		parts = append(parts, plainJSON(r))
	}
	return strings.Join(parts, "\n")
}

// askedIDs returns the call ids of the questions, in order.
func (o Outcome) askedIDs() []string {
	var ids []string
	for _, r := range o.Asked {
		ids = append(ids, r.Call)
	}
	return slices.Clip(ids)
}
