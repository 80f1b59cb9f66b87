package harden

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path"
	"slices"

	"golem/core/worktest"
)

// CaseList says of which cases a module was written. It is in a file beside the source, so that
// golem harden --again knows which cases are new. A list that came with a clone can only keep
// golem from asking a model.
type CaseList struct {
	Golem  string   `json:"golem"` // "hardened"
	V      int      `json:"v"`
	Module string   `json:"module"` // its SHA-256: a list is not one of another module
	Cases  []string `json:"cases"`  // the digests of the cases, sorted
}

const caseListKind, caseListVersion = "hardened", 1

// MaxCaseList is the size of the largest list that is read, in bytes.
const MaxCaseList = 8 << 20

// Cases is where the list of cases of a source is.
func (p Places) Cases() string { return path.Join(path.Dir(p.Source), "cases.json") }

// ListOf returns the list of the cases of which a module was written.
func ListOf(module []byte, cases Cases) CaseList {
	l := CaseList{Golem: caseListKind, V: caseListVersion, Module: digestOf(module), Cases: []string{}}
	for _, part := range [][]worktest.Example{cases.Shown, cases.Held} {
		for _, c := range part {
			l.Cases = append(l.Cases, c.Digest())
		}
	}
	slices.Sort(l.Cases)
	return l
}

// Encode returns the list as its file has it, one case a line.
func (l CaseList) Encode() ([]byte, error) {
	data, err := json.MarshalIndent(l, "", " ")
	return append(data, '\n'), err
}

// ReadList returns the list in a file; an empty one if it cannot be read or is of another module,
// so that all cases are new.
func ReadList(file, module []byte) CaseList {
	var l CaseList
	if json.Unmarshal(file, &l) != nil || l.Golem != caseListKind || l.V != caseListVersion || l.Module != digestOf(module) {
		return CaseList{}
	}
	slices.Sort(l.Cases)
	return l
}

// without returns the cases that are not in the list.
func (l CaseList) without(cases []worktest.Example) (out []worktest.Example) {
	for _, c := range cases {
		if _, is := slices.BinarySearch(l.Cases, c.Digest()); !is {
			out = append(out, c)
		}
	}
	return out
}

func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
