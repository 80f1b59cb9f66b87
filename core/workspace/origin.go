package workspace

import (
	"encoding/json"
	"errors"
	"io/fs"
	"unicode/utf8"

	"golem/core/fault"
	"golem/core/sandbox"
)

// originFile is a file in the directory of each installed library. golem writes it; if
// the library itself contains a file of this name, that file is left out.
const originFile = ".golem-origin.json"

// Origin is the place from which a library was installed.
type Origin struct {
	From   string `json:"from,omitempty"`   // as golem lib install takes it: an absolute path, or an address
	Commit string `json:"commit,omitempty"` // the commit of a git repository, hex
	Digest string `json:"digest,omitempty"` // the digest (SHA-256, hex) of the installed Content
}

type originRecord struct {
	Golem string `json:"golem"`
	V     int    `json:"v"`
	Origin
}

const (
	originKind = "library"
	maxOrigin  = 16 << 10
)

func (o Origin) encode() ([]byte, error) {
	data, err := json.Marshal(originRecord{originKind, 1, o})
	if err == nil && (len(data) >= maxOrigin || !utf8.ValidString(o.From)) {
		err = fault.New(fault.Path, "the place that the library comes from cannot be recorded: it is too long, or is not UTF-8")
	}
	return append(data, '\n'), err
}

// readOrigin returns the origin of an installed library. It is the zero value if there
// is no origin file or the file is damaged.
func readOrigin(tree fs.FS) Origin {
	data, err := sandbox.ReadFile(tree, originFile, maxOrigin)
	if err != nil {
		return Origin{}
	}
	o, _ := decodeOrigin(data)
	return o
}

func decodeOrigin(data []byte) (Origin, error) {
	var r originRecord
	if err := json.Unmarshal(data, &r); err != nil {
		return Origin{}, err
	}
	if r.Golem != originKind || r.V != 1 || !utf8.Valid(data) || len(data) > maxOrigin {
		return Origin{}, errors.New("not the origin of a library")
	}
	return r.Origin, nil
}
