package run

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash"
	"strings"

	"golem/core/fault"
	"golem/core/model"
)

// A model that gets nowhere is told so, and ended if that does not help.
const (
	repeatLimit = 3  // identical failing calls in a row that add a hint to stop (SPEC §5)
	sameLimit   = 5  // turns in a row with the same calls and results that add one
	stuckLimit  = 25 // such turns that end the worker with E_TURNS
)

// repeats notices a model that does the same again and again: the same failing
// call, or whole turns of the same calls with the same outcome.
type repeats struct {
	failing string // the latest call, if it failed
	fails   int    // how often in a row

	turn  string // digest of the latest turn's calls and outcomes
	turns int    // how many such turns in a row

	making hash.Hash // of the turn being taken in; nil: none yet
	last   string    // tool of the turn's last call
}

// note counts a call and returns its fault, with the hint where it is due.
// outcome is the text of a call that succeeded.
func (r *repeats) note(c model.Call, f *fault.Fault, outcome string) *fault.Fault {
	key := c.Name + "\x00" + compactArgs(c.Args)
	r.last = c.Name
	if r.making == nil {
		r.making = sha256.New()
	}
	if f == nil {
		r.failing, r.fails = "", 0
		fmt.Fprintf(r.making, "%q%q", key, outcome)
		return nil
	}
	fmt.Fprintf(r.making, "%q%q", key, f.Code)
	if key != r.failing {
		r.failing, r.fails = key, 0
	}
	if r.fails++; r.fails < repeatLimit {
		return f
	}
	stop := fmt.Sprintf("this same call has failed %d times in a row: stop repeating it, try something else or say what is missing", r.fails)
	return f.Hinting("%s", strings.TrimPrefix(f.Hint+"; "+stop, "; "))
}

// close ends a turn: hint is what to tell the model beside its last result.
func (r *repeats) close() (hint string) {
	turn := string(r.making.Sum(nil))
	r.making = nil
	if turn != r.turn {
		r.turn, r.turns = turn, 0
	}
	if r.turns++; r.turns < sameLimit || r.fails >= repeatLimit {
		return ""
	}
	return fmt.Sprintf("\n[golem: the same call with the same result, %d times in a row. Do not repeat it: use the result, try something else, or answer.]", r.turns)
}

// stuck is the end of a model that repeats itself without end; nil before.
func (r *repeats) stuck() *fault.Fault {
	if r.turns < stuckLimit {
		return nil
	}
	return fault.New(fault.Turns, "%s was called in %d turns in a row with the same arguments and the same outcome", r.last, r.turns).
		Hinting("make the instructions say when to stop")
}

// again starts the count of turns anew.
func (r *repeats) again() { r.turns = 0 }

// compactArgs is arguments without the blanks that do not count.
func compactArgs(args string) string {
	var b bytes.Buffer
	if json.Compact(&b, []byte(args)) != nil {
		return args
	}
	return b.String()
}
