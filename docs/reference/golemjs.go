package reference

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

const methodsHead = `# Methods of golem.js

` + "[`createGolem`](../web/embedding.md) returns an object with these methods. `golem.d.ts` has their types, and more about each. Each method that waits accepts `{ signal }`. [Options and flags](page-options.md) compares options with the command line.\n"

var (
	typeMember = regexp.MustCompile(`^  (?:readonly )?([A-Za-z]+)(\(.*|[?:].*)$`)
	typeDoc    = regexp.MustCompile(`^  /\*\* (.*) \*/$`)
	argument   = regexp.MustCompile(`([A-Za-z]+)\??:`)
	// firstOf matches the first sentence of a comment.
	firstOf    = regexp.MustCompile(`^.*?\.(?: [A-Z]|$)`)
	nestedType = regexp.MustCompile(`\{[^{}]*\}|<[^<>]*>|\([^()]*\) =>`)
)

// Methods returns the page of the members of class Golem, from the types of golem.js below root.
func Methods(root string) (string, error) {
	data, err := os.ReadFile(filepath.Join(root, "web", "golem.d.ts"))
	if err != nil {
		return "", err
	}
	_, class, found := strings.Cut(string(data), "\nexport class Golem {\n")
	class, _, ended := strings.Cut(class, "\n}\n")
	if !found || !ended {
		return "", fmt.Errorf("golem.d.ts has no class Golem")
	}
	out, doc, before := methodsHead+"\n| method | what it does |\n|---|---|\n", "", ""
	for line := range strings.Lines(class) {
		line = strings.TrimSuffix(line, "\n")
		if m := typeDoc.FindStringSubmatch(line); m != nil {
			doc = m[1]
			continue
		}
		m := typeMember.FindStringSubmatch(line)
		if m == nil || m[1] == "constructor" || m[1] == before {
			continue // the second form of a method
		}
		if doc == "" {
			return "", fmt.Errorf("golem.d.ts: %s has no comment", m[1])
		}
		out += "| `" + m[1] + arguments(m[2]) + "` | " + strings.NewReplacer("|", `\|`, "<", "&lt;", "*", `\*`).Replace(firstSentence(doc)) + " |\n"
		doc, before = "", m[1]
	}
	return out, nil
}

func firstSentence(text string) string {
	if m := firstOf.FindString(text); m != "" {
		return m[:strings.LastIndex(m, ".")+1]
	}
	return text
}

// arguments returns the names of the arguments in a signature, "" of a property.
func arguments(signature string) string {
	if !strings.HasPrefix(signature, "(") {
		return ""
	}
	for flat := nestedType.ReplaceAllString(signature, ""); flat != signature; flat = nestedType.ReplaceAllString(signature, "") {
		signature = flat
	}
	inside, _, _ := strings.Cut(signature[1:], ")")
	var names []string
	for _, m := range argument.FindAllStringSubmatch(inside, -1) {
		names = append(names, m[1])
	}
	return "(" + strings.Join(names, ", ") + ")"
}
