package conversation

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"strings"

	"golem/core/fault"
	"golem/core/model"
)

// A model that repeats itself gets a hint, and its worker is ended if that does not help.
const (
	repeatLimit = 3 // identical failing calls in a row that add a hint to stop (SPEC §5)
	sameLimit   = 5 // turns in a row with the same calls and results that add one

	// StuckLimit is after how many such turns the worker ends with E_TURNS.
	StuckLimit = 25
)

// Repeats notices a model that does the same again and again: the same failing
// call, or whole turns of the same calls with the same outcome. The zero value has
// seen nothing. Encode it between turns only.
type Repeats struct {
	Failing string `json:"failing,omitempty"` // the latest call, if it failed
	Fails   int    `json:"fails,omitempty"`   // how often in a row
	Turn    string `json:"turn,omitempty"`    // digest of the latest turn's calls and outcomes, hex
	Turns   int    `json:"turns,omitempty"`   // how many such turns in a row

	digest hash.Hash // of the turn whose calls are noted; nil: none yet
	last   string    // tool of the turn's last call
}

// Note counts a call and returns its fault f, nil if it succeeded. If the same call has
// failed too often, the fault has a hint to stop. outcome is the text of a call that
// succeeded.
func (r *Repeats) Note(c model.Call, f *fault.Fault, outcome string) *fault.Fault {
	key := c.Name + "\x00" + compactArgs(c.Args)
	r.last = c.Name
	if r.digest == nil {
		r.digest = sha256.New()
	}
	if f == nil {
		r.Failing, r.Fails = "", 0
		fmt.Fprintf(r.digest, "%q%q", key, outcome)
		return nil
	}
	fmt.Fprintf(r.digest, "%q%q", key, f.Code)
	if key != r.Failing {
		r.Failing, r.Fails = key, 0
	}
	if r.Fails++; r.Fails < repeatLimit {
		return f
	}
	stop := fmt.Sprintf("this same call has failed %d times in a row: stop repeating it, try something else or say what is missing", r.Fails)
	return f.Hinting("%s", strings.TrimPrefix(f.Hint+"; "+stop, "; "))
}

// EndTurn ends a turn whose calls were noted. hint is what to append to the turn's last
// result for the model, "" if nothing.
func (r *Repeats) EndTurn() (hint string) {
	turn := hex.EncodeToString(r.digest.Sum(nil))
	r.digest = nil
	if turn != r.Turn {
		r.Turn, r.Turns = turn, 0
	}
	if r.Turns++; r.Turns < sameLimit || r.Fails >= repeatLimit {
		return ""
	}
	return fmt.Sprintf("\n[golem: the same call with the same result, %d times in a row. Do not repeat it: use the result, try something else, or answer.]", r.Turns)
}

// Stuck returns E_TURNS once a model has repeated itself in too many turns; nil
// before.
func (r *Repeats) Stuck() *fault.Fault {
	if r.Turns < StuckLimit {
		return nil
	}
	return fault.New(fault.Turns, "%s was called in %d turns in a row with the same arguments and the same outcome", r.last, r.Turns).
		Hinting("say in the instructions when to stop")
}

// Again lets the model repeat itself for StuckLimit turns more.
func (r *Repeats) Again() { r.Turns = 0 }

// compactArgs returns arguments without insignificant blanks.
func compactArgs(args string) string {
	var b bytes.Buffer
	if json.Compact(&b, []byte(args)) != nil {
		return args
	}
	return b.String()
}
