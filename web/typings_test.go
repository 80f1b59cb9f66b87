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

	"golem/core"
	"golem/core/approval"
	"golem/core/batch"
	"golem/core/clearance"
	"golem/core/conversation"
	"golem/core/describe"
	"golem/core/fault"
	"golem/core/harden"
	"golem/core/model"
	"golem/core/money"
	"golem/core/options"
	projects "golem/core/project"
	"golem/core/trace"
	"golem/core/trust"
	"golem/core/workspace"
	"golem/core/worktest"
)

// typings are the files with the types of golem.js. The first and the last three are written by
// hand, the others are made by declared. Each imports the names that it uses from the others.
var typings = []string{"golem.d.ts", "golem-events.d.ts", "golem-values.d.ts", "golem-results.d.ts", "golem-reports.d.ts", "golem-options.d.ts", "golem-batches.d.ts", "golem-projects.d.ts", "golem-provide.d.ts"}

// bodies has an event of each type.
var bodies = []trace.Body{
	trace.RunStart{}, trace.RunEnd{}, trace.WorkerStart{}, trace.WorkerEnd{}, trace.ModelStart{}, trace.ModelEnd{}, trace.Retry{}, trace.ToolStart{}, trace.ToolEnd{},
	trace.Approval{}, trace.Clearance{}, trace.Message{}, trace.Fallback{}, trace.Permission{}, trace.Warning{}, trace.Error{}, trace.Delta{}, trace.Reasoning{}, trace.Progress{}, trace.Status{}, trace.Diff{}, trace.Ask{},
}

// declarations converts Go types to TypeScript.
type declarations struct {
	names map[reflect.Type]string
	next  []reflect.Type
}

// of returns the TypeScript for a Go type. Named types in it are declared later.
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
		return "'tool' | 'input' | 'turns' | 'trust' | 'resume' | 'secret'"
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

// fields writes the members of an interface, with those of embedded types.
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

// declared returns the files that are made from Go: the events, the types in them, the results
// of methods, the reports of tests, of hardening and of batches, and the options.
func declared() map[string]string {
	d := &declarations{names: map[reflect.Type]string{
		reflect.TypeFor[trace.Part](): "Part", reflect.TypeFor[approval.Worker](): "AskingWorker",
	}}
	var events strings.Builder
	var all []string
	for _, b := range bodies {
		t := reflect.TypeOf(b)
		name := strings.TrimSuffix(t.Name(), "Event") + "Event"
		all = append(all, name)
		fmt.Fprintf(&events, "export interface %s extends Placed {\n  type: '%s'\n", name, b.EventType())
		if b.EventType() == "ask" {
			events.WriteString("  request: Request\n}\n\n")
			continue
		}
		d.fields(&events, t)
		events.WriteString("}\n\n")
	}
	fmt.Fprintf(&events, "export type TracedEvent = %s\n", strings.Join(all, " | "))
	for t, name := range map[reflect.Type]string{
		reflect.TypeFor[clearance.Listing](): "StagedItem", reflect.TypeFor[conversation.Listing](): "ConversationListing", reflect.TypeFor[projects.Listing](): "WorkerListing",
		reflect.TypeFor[model.Offer](): "ModelOffer", reflect.TypeFor[harden.Report](): "HardenReport", reflect.TypeFor[worktest.Accepted](): "NewTests", reflect.TypeFor[worktest.AcceptedCase](): "NewTest", reflect.TypeFor[worktest.AcceptedFile](): "NewTestFile", reflect.TypeFor[harden.Part](): "HardenPart",
		reflect.TypeFor[batch.Listing](): "BatchListing", reflect.TypeFor[batch.Counts](): "BatchCounts", reflect.TypeFor[batch.Progress](): "BatchProgress", reflect.TypeFor[batch.Summary](): "BatchSummary", reflect.TypeFor[batch.Result](): "BatchResult",
		reflect.TypeFor[batch.Group](): "BatchGroup", reflect.TypeFor[batch.Question](): "BatchQuestion", reflect.TypeFor[batch.Answer](): "BatchAnswer", reflect.TypeFor[batch.Rule](): "BatchRule",
		reflect.TypeFor[worktest.Report](): "TestReport", reflect.TypeFor[worktest.Verdict](): "TestVerdict", reflect.TypeFor[worktest.Group](): "TestGroup", reflect.TypeFor[worktest.Miss](): "TestMiss",
	} {
		d.names[t] = name
	}
	done := map[reflect.Type]bool{}
	values := d.declare(done, reflect.TypeFor[trace.Part](), reflect.TypeFor[trace.Header](), reflect.TypeFor[trace.Usage](), reflect.TypeFor[trace.CallRef](),
		reflect.TypeFor[fault.Fault](), reflect.TypeFor[approval.Request](), reflect.TypeFor[approval.Worker]())
	results := d.declare(done, reflect.TypeFor[clearance.Listing](), reflect.TypeFor[conversation.Listing](), reflect.TypeFor[conversation.Said](),
		reflect.TypeFor[workspace.Library](), reflect.TypeFor[trust.Widening](), reflect.TypeFor[projects.Listing](), reflect.TypeFor[describe.Description](),
		reflect.TypeFor[describe.Plan](), reflect.TypeFor[describe.CallTree](), reflect.TypeFor[model.Offer](), reflect.TypeFor[core.ImportPlan]())
	reports := d.declare(done, reflect.TypeFor[harden.Report](), reflect.TypeFor[harden.Part](), reflect.TypeFor[worktest.Report](), reflect.TypeFor[worktest.Verdict](), reflect.TypeFor[worktest.Group](), reflect.TypeFor[worktest.Miss](),
		reflect.TypeFor[worktest.Accepted](), reflect.TypeFor[worktest.AcceptedCase](), reflect.TypeFor[worktest.AcceptedFile](),
		reflect.TypeFor[batch.Listing](), reflect.TypeFor[batch.Counts](), reflect.TypeFor[batch.Progress](), reflect.TypeFor[batch.Summary](), reflect.TypeFor[batch.Result](), reflect.TypeFor[batch.Group](), reflect.TypeFor[batch.Question](), reflect.TypeFor[batch.Answer](), reflect.TypeFor[batch.Rule]())
	return map[string]string{typings[1]: events.String(), typings[2]: values, typings[3]: results, typings[4]: reports, typings[5]: options.All.TypeScript()}
}

// declare returns the declarations of types and of the types that they name, except those in
// done.
func (d *declarations) declare(done map[reflect.Type]bool, types ...reflect.Type) string {
	var out strings.Builder
	for _, t := range types {
		d.named(t)
		d.next = append(d.next, t)
	}
	for len(d.next) > 0 {
		t := d.next[0]
		d.next = d.next[1:]
		if done[t] {
			continue
		}
		done[t] = true
		fmt.Fprintf(&out, "export interface %s {\n", d.names[t])
		d.fields(&out, t)
		if t == reflect.TypeFor[trace.Header]() {
			out.WriteString("  type: 'trace'\n") // golem.js adds it, so that the type of an event tells what it is
		}
		out.WriteString("}\n\n")
	}
	return strings.TrimSuffix(out.String(), "\n")
}

var exported = regexp.MustCompile(`(?m)^export (?:interface|class|type|function) (\w+)`)

// exports returns the names that a file declares.
func exports(source string) (names []string) {
	for _, m := range exported.FindAllStringSubmatch(source, -1) {
		names = append(names, m[1])
	}
	return names
}

// used returns the names of the types that a file uses, sorted.
func used(source string) []string {
	bare := regexp.MustCompile(`(?s)/\*\*.*?\*/|//[^\n]*|'[^'\n]*'|import type .*?\n|\bbaseURL\b`).ReplaceAllString(source, "")
	names := regexp.MustCompile(`\b[A-Z]\w+`).FindAllString(bare, -1)
	slices.Sort(names)
	return slices.Compact(names)
}

// imports returns the import lines for the names that a file uses and others declare.
func imports(file string, sources map[string]string) string {
	var out strings.Builder
	for _, from := range typings {
		var names []string
		for _, name := range used(sources[file]) {
			if from != file && slices.Contains(exports(sources[from]), name) {
				names = append(names, name)
			}
		}
		if len(names) > 0 {
			fmt.Fprintf(&out, "import type { %s } from './%s.js'\n", strings.Join(names, ", "), strings.TrimSuffix(from, ".d.ts"))
		}
	}
	return out.String()
}

// typed returns golem.d.ts and the files that it exports, by name and joined.
func typed(t *testing.T) (sources map[string]string, whole string) {
	t.Helper()
	sources = map[string]string{}
	for _, name := range typings {
		data, err := os.ReadFile(name)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		sources[name] = string(data)
		whole += string(data) + "\n"
	}
	return sources, whole
}

// TestTypings tests that the types of golem.js for events, requests and results agree with
// golem's Go types and have every kind of event, and that each file imports what it uses from
// the others.
func TestTypings(t *testing.T) {
	t.Parallel()
	sources, _ := typed(t)
	want := declared()
	written := append([]string{typings[0]}, typings[6:]...)
	for _, name := range written {
		want[name] = sources[name]
	}
	for _, name := range typings[1:6] {
		made := "// Made from golem's own types by TestTypings with GOLEM_UPDATE=1.\n" + imports(name, want) + "\n" + want[name]
		if os.Getenv("GOLEM_UPDATE") != "" {
			if err := os.WriteFile(name, []byte(made), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if sources[name] != made {
			t.Errorf("%s is not what golem's types say: GOLEM_UPDATE=1 go test ./web -run '^TestTypings$' writes it", name)
		}
	}
	for _, name := range written {
		if lines := imports(name, want); !strings.Contains(want[name], lines) {
			t.Errorf("%s must import what it uses:\n%s", name, lines)
		}
	}
	source, err := os.ReadFile("../core/trace/body.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`EventType\(\) string +\{ return "(.*?)" \}`).FindAllStringSubmatch(string(source), -1) {
		if !strings.Contains(want[typings[1]], "  type: '"+m[1]+"'\n") {
			t.Errorf("%s has no event %s: add it to bodies in web/typings_test.go; then GOLEM_UPDATE=1 go test ./web -run '^TestTypings$' writes it", typings[1], m[1])
		}
	}
	// Every name that is used is declared, once.
	known := []string{"AbortSignal", "ArrayBuffer", "ArrayBufferView", "AsyncGenerator", "AsyncIterable", "Blob", "Error", "Omit", "Pick", "Promise", "Record", "Symbol", "URL", "Uint8Array"}
	for _, name := range typings {
		for _, n := range exports(want[name]) {
			if slices.Contains(known, n) {
				t.Errorf("%s is declared twice", n)
			}
			known = append(known, n)
		}
	}
	for _, name := range typings {
		for _, word := range used(want[name]) {
			if !slices.Contains(known, word) {
				t.Errorf("%s: %s is used and not declared", name, word)
			}
		}
	}
}

// TestOwnOptions tests that golem.js keeps for itself the options that the table says it keeps,
// and sends the others.
func TestOwnOptions(t *testing.T) {
	t.Parallel()
	var own []string
	for _, o := range options.All {
		if o.Page.Own {
			own = append(own, o.PageName())
		}
	}
	slices.Sort(own)
	source, err := os.ReadFile("golem/request.js")
	if err != nil {
		t.Fatal(err)
	}
	if want := "const plain = ({ " + strings.Join(own, ", ") + ", ...rest }) => rest\n"; !strings.Contains(string(source), want) {
		t.Errorf("request.js does not say %s", want)
	}
}
