package suites_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"golem/bench/suites"
	"golem/core/yamltree"
)

// TestYAML reads the files of yaml-test-suite: each must be refused, or accepted with the value
// that the suite gives as JSON, if it gives one.
func TestYAML(t *testing.T) {
	root := filepath.Join(suites.Dir(t, "github.com/goccy/go-yaml"), "testdata", "yaml-test-suite")
	c, cases := &suites.Tally{Suite: "yaml-test-suite"}, 0
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "in.yaml" {
			return err
		}
		cases++
		name = filepath.Dir(name)
		problem, policy := yamlProblem(t, filepath.Join(root, name))
		reason := why(yamlDifferences, name)
		if policy != "" && reason == "" {
			reason = policy
		}
		switch {
		case problem == "" && reason == "":
			c.Agree()
		case problem != "" && reason != "":
			c.Differ(reason)
		default:
			t.Errorf("%s %s; listed as %q", name, problem, reason)
		}
		return nil
	})
	if err != nil || cases < 400 {
		t.Fatal(cases, err)
	}
	c.Compare(t)
}

// yamlProblem returns what golem does otherwise than a case demands. policy is the reason if
// golem refuses a file because of a rule of its own, which its message says.
func yamlProblem(t *testing.T, dir string) (problem, policy string) {
	t.Helper()
	in, err := os.ReadFile(filepath.Join(dir, "in.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = os.Stat(filepath.Join(dir, "error"))
	bad := err == nil
	n, faults := yamltree.Parse("x.yaml", in)
	switch {
	case bad && len(faults) == 0:
		return "is accepted", ""
	case bad:
		return "", ""
	case len(faults) > 0:
		return "is refused: " + faults.Error(), yamlPolicy(faults.Error())
	}
	want, err := os.ReadFile(filepath.Join(dir, "in.json"))
	if err != nil {
		return "", ""
	}
	expected, err := unified(want)
	if err != nil {
		return "", "" // several documents: a policy refuses them
	}
	if n == nil {
		if expected == nil {
			return "", ""
		}
		return "is empty", ""
	}
	got, err := n.JSON()
	if err != nil {
		return "is refused: " + err.Error(), ""
	}
	if value, err := unified(got); err != nil || !reflect.DeepEqual(value, expected) {
		return fmt.Sprintf("is %s, expected %s", got, want), ""
	}
	return "", ""
}

// yamlPolicy returns the rule of golem that a message names; "" if it names none.
func yamlPolicy(message string) string {
	for text, reason := range map[string]string{
		"YAML tags are not supported":     "tags are refused",
		"a second YAML document":          "a second document is refused",
		"a key must be text":              "a key must be text",
		"is not text":                     "a key must be text",
		"invisible or control characters": "a key must be text",
		"a YAML directive other":          "directives other than %YAML are refused",
		"an anchor can have":              "names of anchors and aliases have letters, digits, _ and - only",
		"stands directly before the key":  "a ? directly before a key in [ ] or { } is refused",
	} {
		if strings.Contains(message, text) {
			return reason
		}
	}
	return ""
}

var yamlDifferences = map[string]string{
	"names of anchors and aliases have letters, digits, _ and - only": `allowed-characters-in-alias
		anchor-with-unicode-character
		anchors-with-colon-in-name`,
	"the YAML library refuses some tabs that are no indentation": `leading-tab-content-in-literals/00
		leading-tab-content-in-literals/01
		spec-example-6-2-indentation-indicators
		spec-example-6-3-separation-spaces
		spec-example-8-2-block-indentation-indicator
		tab-at-beginning-of-line-followed-by-a-flow-mapping
		tab-indented-top-flow
		tabs-in-various-contexts/001
		tabs-in-various-contexts/010
		tabs-that-look-like-indentation/00
		tabs-that-look-like-indentation/03
		tabs-that-look-like-indentation/04
		tabs-that-look-like-indentation/07`,
	"a second document is refused": `bare-document-after-document-end-marker
		comment-and-document-end-marker
		document-end-marker
		spec-example-9-3-bare-documents
		spec-example-9-4-explicit-documents
		spec-example-9-5-directives-documents`,
	"the YAML library wants the text of a block scalar to be indented": `zero-indented-block-scalar
		zero-indented-block-scalar-with-line-that-looks-like-a-comment`,
	"\\/ in double quotes is refused": `escaped-slash-in-double-quotes`,
	"the YAML library refuses empty keys, keys over several lines and a ? or : in rare places of [ ] and { }": `aliases-in-explicit-block-mapping
		block-mapping-with-missing-keys
		colon-and-adjacent-value-after-comment-on-next-line
		colon-and-adjacent-value-on-next-line
		colon-at-the-beginning-of-adjacent-flow-scalar
		empty-implicit-key-in-single-pair-flow-sequences
		empty-keys-in-block-and-flow-mapping
		empty-lines-at-end-of-document
		flow-collections-over-many-lines/01
		flow-mapping-colon-on-line-after-key/00
		flow-mapping-colon-on-line-after-key/01
		flow-mapping-colon-on-line-after-key/02
		flow-mapping-edge-cases
		multiline-double-quoted-flow-mapping-key
		multiline-plain-flow-mapping-key
		question-mark-edge-cases/00
		question-marks-in-scalars
		scalars-in-flow-start-with-syntax-char/00
		single-character-streams/01
		spec-example-7-10-plain-characters
		spec-example-7-2-empty-content
		spec-example-7-3-completely-empty-flow-nodes
		spec-example-8-18-implicit-block-mapping-entries
		syntax-character-edge-cases/00`,
	"the YAML library accepts text that is no YAML: a # without a space, odd indentation within [ ] and quotes, the escape \\'": `block-scalar-with-more-spaces-than-first-content-line
		comment-without-whitespace-after-block-scalar-indicator
		comment-without-whitespace-after-doublequoted-scalar
		dash-in-flow-sequence
		double-quoted-scalar-with-escaped-single-quote
		invalid-comment-after-comma
		invalid-comment-after-end-of-flow-sequence
		plain-dashes-in-flow-sequence
		tabs-in-various-contexts/003
		tabs-that-look-like-indentation/01
		wrong-indented-flow-sequence
		wrong-indented-multiline-quoted-scalar`,
}
