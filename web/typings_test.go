//go:build !js

package web_test

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golem/core/approval"
	"golem/core/clearance"
	"golem/core/conversation"
	"golem/core/describe"
	"golem/core/fault"
	"golem/core/model"
	"golem/core/money"
	projects "golem/core/project"
	"golem/core/trace"
	"golem/core/trust"
	"golem/core/workspace"
)

const typings = "golem.d.ts"

// made stands before the part of golem.d.ts that declared makes.
const made = "with GOLEM_UPDATE=1.\n\n"

// bodies are those of all events.
var bodies = []trace.Body{
	trace.RunStart{}, trace.RunEnd{}, trace.WorkerStart{}, trace.WorkerEnd{}, trace.ModelStart{}, trace.ModelEnd{}, trace.Retry{}, trace.ToolStart{}, trace.ToolEnd{},
	trace.Approval{}, trace.Clearance{}, trace.Message{}, trace.Warning{}, trace.Error{}, trace.Delta{}, trace.Progress{}, trace.Status{}, trace.Diff{}, trace.Ask{},
}

// declarations turns Go types into TypeScript's.
type declarations struct {
	names map[reflect.Type]string
	next  []reflect.Type
}

// of is a type's TypeScript; what it names is declared later.
func (d *declarations) of(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[json.RawMessage]():
		return "unknown"
	case reflect.TypeFor[time.Time]():
		return "string"
	case reflect.TypeFor[money.USD]():
		return "number"
	case reflect.TypeFor[approval.Answer]():
		return "Answer"
	case reflect.TypeFor[approval.Kind]():
		return "'tool' | 'input' | 'turns' | 'trust'"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return d.of(t.Elem())
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Slice:
		return d.of(t.Elem()) + "[]"
	case reflect.Map:
		return "Record<string, " + d.of(t.Elem()) + ">"
	case reflect.Struct:
		return d.named(t)
	case reflect.Interface:
		return "unknown"
	}
	return "number"
}

func (d *declarations) named(t reflect.Type) string {
	if _, ok := d.names[t]; !ok {
		name := t.Name()
		for _, other := range d.names {
			if other == name { // of two packages
				pkg := t.PkgPath()[strings.LastIndex(t.PkgPath(), "/")+1:]
				name = strings.ToUpper(pkg[:1]) + pkg[1:] + name
				break
			}
		}
		d.names[t] = name
		d.next = append(d.next, t)
	}
	return d.names[t]
}

// fields are the members of an interface, those of embedded types among them.
func (d *declarations) fields(out *strings.Builder, t reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			d.fields(out, f.Type)
		case f.IsExported() && name != "-" && name != "":
			if rest != "" {
				name += "?"
			}
			fmt.Fprintf(out, "  %s: %s\n", name, d.of(f.Type))
		}
	}
}

// declared is the part of golem.d.ts that follows from Go's types.
func declared() string {
	d := &declarations{names: map[reflect.Type]string{
		reflect.TypeFor[trace.Part](): "Part", reflect.TypeFor[approval.Worker](): "AskingWorker",
	}}
	var out strings.Builder
	var all []string
	for _, b := range bodies {
		t := reflect.TypeOf(b)
		name := strings.TrimSuffix(t.Name(), "Event") + "Event"
		all = append(all, name)
		fmt.Fprintf(&out, "export interface %s extends Placed {\n  type: '%s'\n", name, b.EventType())
		if b.EventType() == "ask" {
			out.WriteString("  request: Request\n}\n\n")
			continue
		}
		d.fields(&out, t)
		out.WriteString("}\n\n")
	}
	fmt.Fprintf(&out, "export type TracedEvent = %s\n\n", strings.Join(all, " | "))
	for t, name := range map[reflect.Type]string{
		reflect.TypeFor[clearance.Listing](): "StagedItem", reflect.TypeFor[conversation.Listing](): "ConversationListing", reflect.TypeFor[projects.Listing](): "WorkerListing",
		reflect.TypeFor[model.Offer](): "ModelOffer",
	} {
		d.names[t] = name
	}
	d.next = append(d.next, reflect.TypeFor[trace.Part]())
	for _, t := range []reflect.Type{
		reflect.TypeFor[trace.Header](), reflect.TypeFor[trace.Usage](), reflect.TypeFor[trace.CallRef](), reflect.TypeFor[fault.Fault](), reflect.TypeFor[approval.Request](), reflect.TypeFor[clearance.Listing](),
		reflect.TypeFor[conversation.Listing](), reflect.TypeFor[conversation.Said](), reflect.TypeFor[workspace.Library](), reflect.TypeFor[trust.Widening](), reflect.TypeFor[projects.Listing](),
		reflect.TypeFor[describe.Description](), reflect.TypeFor[describe.Plan](), reflect.TypeFor[describe.CallTree](), reflect.TypeFor[model.Offer](), reflect.TypeFor[approval.Worker](),
	} {
		d.named(t)
		d.next = append(d.next, t)
	}
	done := map[reflect.Type]bool{}
	for len(d.next) > 0 {
		t := d.next[0]
		d.next = d.next[1:]
		if done[t] {
			continue
		}
		done[t] = true
		fmt.Fprintf(&out, "export interface %s {\n", d.names[t])
		d.fields(&out, t)
		out.WriteString("}\n\n")
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// golem.d.ts says of events, requests and results what golem's own types say,
// and has every kind of event.
func TestTypings(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(typings)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, found := strings.Cut(string(data), made)
	want := declared()
	if os.Getenv("GOLEM_UPDATE") != "" {
		if err := os.WriteFile(typings, []byte(head+made+want), 0o644); err != nil {
			t.Fatal(err)
		}
		rest = want
	}
	if !found || rest != want {
		t.Error("golem.d.ts is not what golem's types say: GOLEM_UPDATE=1 go test ./web -run TestTypings")
	}
	source, err := os.ReadFile("../core/trace/body.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`EventType\(\) string +\{ return "(.*?)" \}`).FindAllStringSubmatch(string(source), -1) {
		if !strings.Contains(want, "  type: '"+m[1]+"'\n") {
			t.Errorf("golem.d.ts has no event %s", m[1])
		}
	}
	all := head + "\n" + want
	// Every name that is used is declared, once.
	names := regexp.MustCompile(`(?m)^export (?:interface|class|type|function) (\w+)`).FindAllStringSubmatch(all, -1)
	var known []string
	for _, n := range names {
		if slices.Contains(known, n[1]) {
			t.Errorf("%s is declared twice", n[1])
		}
		known = append(known, n[1])
	}
	bare := regexp.MustCompile(`(?s)/\*\*.*?\*/|//[^\n]*|'[^'\n]*'`).ReplaceAllString(all, "")
	known = append(known, "AbortSignal", "AsyncGenerator", "AsyncIterable", "Blob", "Error", "Promise", "Record", "Symbol", "URL", "Uint8Array")
	for _, word := range regexp.MustCompile(`\b[A-Z]\w+`).FindAllString(bare, -1) {
		if !slices.Contains(known, word) && word != "baseURL" {
			t.Errorf("%s is used and not declared", word)
		}
	}
}
