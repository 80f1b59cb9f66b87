package mcpserve

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"golem/core/approval"
	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/sorting"
	"golem/core/state"
	"golem/core/tool"
)

// Limits of questions that are results (protocol.Stateless).
const (
	patience  = 24 * time.Hour // how long a question stays open
	maxKept   = 1_000          // questions that are kept at the same time
	maxRecord = 64 << 20       // bytes of a file that is read
)

// questions keeps the questions that are results of requests, so that any process with the
// same store takes the answer. A question has up to three files, each with a MAC: what was
// asked, the first answer to it, and the result that the answer led to. The lock of a
// question is held as long as the run that asks waits, and while it goes on with the answer.
type questions struct {
	store state.Store
	now   func() time.Time
}

// The kinds of files. The seal is no file: it is what the client gets as requestState.
var (
	askedFormat  = state.Format{Kind: "question", Version: 1}
	answerFormat = state.Format{Kind: "answer", Version: 1}
	resultFormat = state.Format{Kind: "result", Version: 1}
	sealFormat   = state.Format{Kind: "request state", Version: 1}
)

// kept is what a store has of a question.
type kept struct {
	Conversation string    `json:"conversation,omitempty"` // of the run; "": only the process that asks can go on with it
	Digest       string    `json:"digest"`                 // Tool.Digest
	Call         string    `json:"call"`                   // callDigest, in hex
	Expires      time.Time `json:"expires"`
	About        about     `json:"about"`
	// Shown is what the client shows to its user.
	Shown *mcp.ElicitParams `json:"shown"`
}

// about identifies a question within its run. An answer counts for no other one.
type about struct {
	Kind    approval.Kind `json:"kind"`
	Digest  string        `json:"digest"` // of everything that the person was shown
	Page    int           `json:"page"`   // from 0
	Call    string        `json:"call"`   // approval.Request.Call
	Started int           `json:"started"`
}

// aboutOf returns what identifies a page of a request. Its id is not part of it, because
// each process gives another one.
func aboutOf(r approval.Request, page int) about {
	r.ID = ""
	data, err := json.Marshal(r)
	if err != nil {
		return about{Kind: r.Kind, Page: page, Call: r.Call} // no digest: no answer fits
	}
	sum := sha256.Sum256(data)
	return about{Kind: r.Kind, Digest: hex.EncodeToString(sum[:]), Page: page, Call: r.Call}
}

// callDigest identifies a call: who calls which tool with what.
// A client may write the same arguments in another order.
func callDigest(principal, name string, args []byte) string {
	if canonical, err := tool.Canonical(args); err == nil {
		args = canonical
	}
	h := sha256.New()
	for _, part := range [][]byte{[]byte(principal), []byte(name), args} {
		_ = binary.Write(h, binary.BigEndian, uint64(len(part))) // a hash takes all
		h.Write(part)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// idBytes is the length of a question's name, which cannot be guessed.
const idBytes = 16

// errNotOpen is the error for everything that is not the seal of this call's open question,
// so that a client learns nothing by trying.
var errNotOpen = fault.New(fault.NotFound, "the question that this answers is not open any more, or belongs to another call").
	Hinting("call the tool again without requestState; a question stays open for %v", patience)

// seal returns the name that the client gets. It holds for one call only.
func (q *questions) seal(id []byte, k kept) (string, error) {
	body := binary.BigEndian.AppendUint64(append([]byte{}, id...), uint64(k.Expires.Unix()))
	sum, err := q.store.Sum(sealFormat, hex.EncodeToString(id), body, []byte(k.Call))
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(append(body, sum...)), nil
}

// named returns the question that a seal names and that this call has open.
func (q *questions) named(seal, call, digest string) (id string, k kept, err error) {
	data, err := base64.RawURLEncoding.DecodeString(seal)
	if err != nil || len(data) != idBytes+8+sha256.Size {
		return "", k, errNotOpen
	}
	expires := time.Unix(int64(binary.BigEndian.Uint64(data[idBytes:])), 0)
	want, err := q.seal(data[:idBytes], kept{Expires: expires, Call: call})
	if err != nil {
		return "", k, err
	}
	if !equal(want, seal) || !q.now().Before(expires) {
		return "", k, errNotOpen
	}
	id = hex.EncodeToString(data[:idBytes])
	found, err := q.read(askedFormat, id, &k)
	switch {
	case err != nil:
		return "", k, err
	case !found || k.Call != call || k.Expires.Unix() != expires.Unix():
		return "", k, errNotOpen
	case k.Digest != digest:
		return "", k, fault.New(fault.Conflict, "the worker, or one that it calls, has changed since the question was asked, so the answer does not count").
			Hinting("call the tool again without requestState")
	}
	return id, k, nil
}

// equal compares two texts in a time that does not depend on where they differ.
func equal(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return x == y
}

// asking returns the result of a request that asks a question.
func (k kept) asking(seal string) *mcp.CallToolResult {
	return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{questionID: k.Shown}, RequestState: seal}
}

// questionID is the name of the only question in a result.
const questionID = "question"

// add keeps a question and takes its lock, and returns its name and its seal.
func (q *questions) add(k kept) (id, seal string, release func(), err error) {
	if err := q.makeRoom(); err != nil {
		return "", "", nil, err
	}
	raw := make([]byte, idBytes)
	_, _ = rand.Read(raw) // never fails
	id = hex.EncodeToString(raw)
	if seal, err = q.seal(raw, k); err != nil {
		return "", "", nil, err
	}
	if release, err = q.store.TryHold(lockOf(id)); err != nil {
		return "", "", nil, err
	}
	if err = q.write(askedFormat, id, k); err != nil {
		release()
		return "", "", nil, err
	}
	return id, seal, release, nil
}

func lockOf(id string) string { return "question-" + id }

// claim keeps the first answer to a question. first is false if there was one already,
// which then counts.
func (q *questions) claim(ctx context.Context, id string, answer *mcp.ElicitResult) (first bool, err error) {
	release, err := q.store.Hold(ctx, "answer-"+id)
	if err != nil {
		return false, err
	}
	defer release()
	var before json.RawMessage
	for _, format := range []state.Format{resultFormat, answerFormat} {
		if found, err := q.read(format, id, &before); found || err != nil {
			return false, err
		}
	}
	return true, q.write(answerFormat, id, answer)
}

// answer returns the answer that was kept; nil: there is none yet.
func (q *questions) answer(id string) (*mcp.ElicitResult, error) {
	var a mcp.ElicitResult
	found, err := q.read(answerFormat, id, &a)
	if !found || err != nil {
		return nil, err
	}
	return &a, nil
}

// settle keeps the result that an answer led to, and forgets the answer, which may be a
// text that nobody else should read.
func (q *questions) settle(id string, res *mcp.CallToolResult) error {
	if err := q.write(resultFormat, id, res); err != nil {
		return err
	}
	return q.store.Files.Remove(fileOf(answerFormat, id))
}

// result returns the result that was kept; nil: there is none yet.
func (q *questions) result(id string) (*mcp.CallToolResult, error) {
	var res mcp.CallToolResult
	found, err := q.read(resultFormat, id, &res)
	if !found || err != nil {
		return nil, err
	}
	return &res, nil
}

func fileOf(f state.Format, id string) string { return id + "." + f.Kind }

func (q *questions) write(f state.Format, id string, value any) error {
	body, err := json.Marshal(value)
	if err != nil {
		return err
	}
	sealed, err := q.store.Seal(f, fileOf(f, id), body)
	if err != nil {
		return err
	}
	return q.store.Files.WriteFile(fileOf(f, id), sealed)
}

// read reads a file of a question. found is false if there is none. A file that golem did
// not write in this project is an error.
func (q *questions) read(f state.Format, id string, into any) (found bool, err error) {
	file, err := sandbox.ReadFile(q.store.Files, fileOf(f, id), maxRecord)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	body, err := q.store.Unseal(f, fileOf(f, id), file)
	if err != nil {
		return false, err
	}
	if err := json.Unmarshal(body, into); err != nil {
		return false, fault.New(fault.Config, "the %s %s cannot be read", f.Kind, id).Hinting("call the tool again without requestState")
	}
	return true, nil
}

// makeRoom removes the questions that are not open any more, and when maxKept are kept the
// oldest ones that have a result. Nobody can answer a removed one.
func (q *questions) makeRoom() error {
	entries, err := fs.ReadDir(q.store.Files, ".")
	if err != nil {
		return nil // nothing is kept yet
	}
	type one struct {
		id   string
		from time.Time
	}
	var open []one
	ended := map[string]bool{}
	for _, e := range entries {
		id, kind, ok := strings.Cut(e.Name(), ".")
		info, err := e.Info()
		if !ok || err != nil || !e.Type().IsRegular() {
			continue
		}
		if q.now().Sub(info.ModTime()) > patience {
			_ = q.store.Files.Remove(e.Name()) // the next question tries again
			continue
		}
		switch kind {
		case askedFormat.Kind:
			open = append(open, one{id, info.ModTime()})
		case resultFormat.Kind:
			ended[id] = true
		}
	}
	sorting.By(open, func(a, b one) int { return a.from.Compare(b.from) })
	for left := len(open); left >= maxKept; left-- {
		i := 0
		for i < len(open) && !ended[open[i].id] {
			i++
		}
		if i == len(open) {
			return fault.New(fault.Busy, "%d questions of golem mcp serve are open", maxKept).Hinting("answer one of them first")
		}
		for _, f := range []state.Format{askedFormat, resultFormat} {
			_ = q.store.Files.Remove(fileOf(f, open[i].id))
		}
		open = append(open[:i], open[i+1:]...)
	}
	return nil
}
