package natsqueue

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"golem/core/approval"
	"golem/core/batch"
	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/trace"
)

// What the server has of a batch cannot be read without the key of the batch.
func TestNothingIsReadable(t *testing.T) {
	p := newPair(t, "a", "b")
	l := p.lease(t)
	_, err := l.PutBlob(t.Context(), []byte("secret blob"))
	must(t, err)
	must(t, l.Append(t.Context(), 0, batch.Line(`"secret line"`), batch.Line(`"`+strings.Repeat("secret long line", mostInline/8)+`"`)))
	must(t, l.Ask(t.Context(), ask))
	must(t, p.lease(t).Finish(t.Context(), batch.Result{Status: batch.OK, Output: []byte(`"secret output"`), Trace: []byte("secret trace")}))
	must(t, p.producer.Answer(t.Context(), batch.Answer{Key: ask.Key, Answer: approval.No, Reason: "secret reason"}))
	must(t, p.producer.Set(t.Context(), Cancelled))
	n := 0
	for _, name := range []string{logStream("b"), jobStream("b"), "OBJ_" + bucket("b")} {
		stream, err := p.worker.server.Stream(t.Context(), name)
		must(t, err)
		for sequence := uint64(1); sequence <= stream.CachedInfo().State.LastSeq; sequence++ {
			m, err := stream.GetMsg(t.Context(), sequence)
			if err != nil {
				continue // it was removed
			}
			n++
			if strings.Contains(string(m.Data)+m.Subject, "secret") {
				t.Errorf("%s has %q", m.Subject, m.Data)
			}
		}
	}
	if n < 10 {
		t.Errorf("the server has only %d messages", n)
	}
}

// A queue opened with another key reads nothing, and names what it ignores.
func TestAnotherKeyReadsNothing(t *testing.T) {
	p := newPair(t, "a")
	other := p.options
	other.Key[0]++
	q := p.open(t, other)
	if l, err := q.Lease(t.Context(), "thief"); l != nil || err != nil {
		t.Errorf("%v %v", l, err)
	}
	p.notices.told(t, "not sealed with the key of the batch")
}

// Another producer's items and answers do not count.
func TestAnotherProducerIsIgnored(t *testing.T) {
	p := newPair(t)
	_, private, err := ed25519.GenerateKey(rand.Reader)
	must(t, err)
	hostile, err := Create(t.Context(), p.conn, p.options, private)
	must(t, err)
	defer hostile.Close()
	must(t, hostile.Add(t.Context(), batch.Item{Key: "x"}))
	if l, err := p.worker.Lease(t.Context(), "w"); l != nil || err != nil {
		t.Errorf("%v %v", l, err)
	}
	p.notices.told(t, "not signed by the producer", "an item that the producer did not make")
	must(t, hostile.Answer(t.Context(), batch.Answer{Key: ask.Key, Answer: approval.Yes}))
	must(t, hostile.Set(t.Context(), Cancelled))
	p.notices.told(t)
	answers, err := p.worker.Answers(t.Context())
	if cancelled, rerr := p.worker.Refresh(t.Context()); len(answers) > 0 || err != nil || cancelled || rerr != nil {
		t.Errorf("%v %v, %v %v", answers, err, cancelled, rerr)
	}
	p.notices.told(t, "not signed by the producer", "not signed by the producer")
}

// A message that somebody publishes who does not hold the item, garbage, and a copy of an earlier
// message are ignored and named; the holder goes on.
func TestRecordsOfOthersAreIgnored(t *testing.T) {
	p := newPair(t, "a")
	l := p.lease(t)
	must(t, l.Append(t.Context(), 0, batch.Line(`1`)))
	subject := p.worker.subjectOf(logSubject, "a")
	publish := func(data []byte) {
		t.Helper()
		_, err := p.worker.publish(t.Context(), message{subject: subject, data: data})
		must(t, err)
	}
	seen, err := p.worker.last(t.Context(), subject)
	must(t, err)

	publish([]byte("garbage"))
	publish(seen.Data)
	hostile := p.open(t, p.options) // it has the key of the batch, and no lease
	last, err := p.worker.last(t.Context(), subject)
	must(t, err)
	for _, r := range []record{
		{Kind: linesKind, Lines: nil}, {Kind: endKind, Result: &batch.Result{Status: batch.OK}}, {Kind: releaseKind},
		{Kind: leaseKind, Attempt: 7}, {Kind: askKind},
	} {
		r.After, r.Key = last.Sequence, hostile.sealer.public()
		data, _, err := hostile.pack(t.Context(), subject, r, hostile.sealer.private)
		must(t, err)
		publish(data)
		last, err = p.worker.last(t.Context(), subject)
		must(t, err)
	}
	must(t, l.Append(t.Context(), 1, batch.Line(`2`)))
	p.notices.told(t, "not sealed", "another place in the log", "does not hold", "does not hold", "does not hold", "does not follow", "not complete")
	must(t, l.Finish(t.Context(), batch.Result{Status: batch.OK, Output: []byte(`"mine"`)}))
	must(t, p.producer.Results(t.Context(), func(r batch.Result) error {
		if string(r.Output) != `"mine"` {
			t.Errorf("the result is %s", r.Output)
		}
		return nil
	}))
}

// A message that another version of golem wrote is named as that.
func TestAnotherVersionIsRefused(t *testing.T) {
	p := newPair(t)
	sealed := p.worker.sealer.seal("x", []byte("y"))
	sealed[0] = version + 1
	if _, err := p.worker.sealer.open("x", sealed); err == nil || !strings.Contains(err.Error(), "in the form 2") {
		t.Errorf("%v", err)
	}
}

// An object of the server that was changed is not used.
func TestChangedObjectIsRefused(t *testing.T) {
	p := newPair(t, "a")
	l := p.lease(t)
	digest, err := l.PutBlob(t.Context(), []byte("a file"))
	must(t, err)
	name := p.worker.sealer.objectName("a", digest)
	sealed, err := p.worker.objects.GetBytes(t.Context(), name)
	must(t, err)
	sealed[len(sealed)-1]++
	_, err = p.worker.objects.PutBytes(t.Context(), name, sealed)
	must(t, err)
	if data, err := l.Blob(t.Context(), digest); err == nil {
		t.Errorf("the blob is %q", data)
	}
}

// An item without a job, as a process leaves it that was killed between the two, gets one when the
// producer adds it again: after it was published, and after its question was answered.
func TestAddMendsItemsWithoutJobs(t *testing.T) {
	p := newPair(t, "asks", "ended")
	must(t, p.lease(t).Ask(t.Context(), ask))
	must(t, p.lease(t).Finish(t.Context(), batch.Result{Status: batch.OK}))
	alone := batch.Item{N: 2, Key: "alone"}
	subject := p.producer.subjectOf(itemSubject, alone.Dir())
	data, _, err := p.producer.pack(t.Context(), subject, alone, p.producer.private)
	must(t, err)
	_, err = p.producer.publish(t.Context(), message{subject: subject, data: data})
	must(t, err)
	all := []batch.Item{{Key: "asks", Input: batch.Input{Text: "secret input"}}, {N: 1, Key: "ended", Input: batch.Input{Text: "secret input"}}, alone}
	again := func() {
		t.Helper()
		for range 2 { // twice is as once
			for _, item := range all {
				must(t, p.producer.Add(t.Context(), item))
			}
		}
	}
	none := func() {
		t.Helper()
		if l, err := p.worker.Lease(t.Context(), "w"); l != nil || err != nil {
			t.Errorf("%v %v", l, err)
		}
	}
	none()
	again()
	if l := p.lease(t); l.Item.Key != "alone" {
		t.Errorf("%s is open", l.Item.Key)
	}
	none()
	a := batch.Answer{Key: ask.Key, Answer: approval.Yes}
	must(t, p.producer.decide(t.Context(), answerSubject, &p.producer.answered, decided{Answer: &a}))
	again()
	if l := p.lease(t); l.Item.Key != "asks" {
		t.Errorf("%s is open", l.Item.Key)
	}
	none()
}

// Who reads a log while its item ends sees the end.
func TestEndReplacesWhatWasRead(t *testing.T) {
	p := newPair(t, "a")
	l := p.lease(t)
	must(t, l.Append(t.Context(), 0, batch.Line(`1`)))
	read, err := p.producer.readLog(t.Context(), "a")
	must(t, err)
	must(t, l.Append(t.Context(), 1, batch.Line(`2`)))
	must(t, l.Finish(t.Context(), batch.Result{Status: batch.OK}))
	n, err := p.producer.readOn(t.Context(), read)
	if n != 1 || err != nil || read.status != batch.OK {
		t.Errorf("%d records, %v, the item is %s", n, err, read.status)
	}
	p.notices.told(t)
}

// SECURITY 1: a worker is not trusted with the names of the files that an item wrote: one
// outside of the item's directory ends the item as E_TRUST, and is not written.
func TestRemoteOutputsStayBelow(t *testing.T) {
	p := newPair(t)
	hostile := p.options
	hostile.Outputs = sandbox.Memory()
	must(t, hostile.Outputs.WriteFile("evil.txt", []byte("x")))
	q, err := Open(t.Context(), p.conn, hostile)
	must(t, err)
	t.Cleanup(q.Close)
	into := sandbox.Memory()
	local := &oneItem{item: batch.Item{Key: "a", Input: batch.Input{Text: "x"}}}
	r, err := p.producer.Remote(t.Context(), local, nil, into)
	must(t, err)
	t.Cleanup(r.Close)
	done := make(chan batch.Outcome, 1)
	go func() { done <- r.Run(t.Context(), &batch.Lease{Item: local.item, Attempt: 1, Holder: local}) }()
	var l *batch.Lease
	for l == nil {
		l, err = q.Lease(t.Context(), "w")
		must(t, err)
	}
	must(t, l.Finish(t.Context(), batch.Result{Status: batch.OK, Files: []string{"../evil.txt"}}))
	out := <-done
	if out.Result.Status != batch.Failed || out.Result.Error == nil || out.Result.Error.Code != fault.Trust {
		t.Errorf("%+v", out)
	}
	if names, err := fs.Glob(into, "*"); err != nil || len(names) > 1 || len(names) == 1 && names[0] != "a" {
		t.Errorf("%v, %v", names, err)
	}
}

// oneItem is a batch of one machine with one item, which keeps nothing.
type oneItem struct {
	batch.Queue
	batch.Holder
	item batch.Item
}

// Append does nothing.
func (*oneItem) Append(context.Context, int, ...batch.Line) error { return nil }

// Answers returns none.
func (*oneItem) Answers(context.Context) ([]batch.Answer, error) { return nil, nil }

// Without the invitation nobody reads the key of the batch, and what the producer described does
// not count if somebody else signed it.
func TestJoinIsProved(t *testing.T) {
	p := newPair(t)
	invitation := NewInvitation("b", p.options.Signer)
	must(t, p.producer.Invite(t.Context(), invitation))
	o, err := Join(t.Context(), p.conn, invitation)
	must(t, err)
	if o.Key != p.options.Key {
		t.Error("another key")
	}
	read, err := ReadInvitation(" " + invitation.String() + "\n")
	if err != nil || read.Name != "b" || read.Secret != invitation.Secret || !read.Signer.Equal(invitation.Signer) {
		t.Errorf("%+v, %v", read, err)
	}
	guess := invitation
	guess.Secret[0] ^= 1
	if _, err := Join(t.Context(), p.conn, guess); !errors.Is(err, fault.Trust) {
		t.Errorf("with another secret: %v", err)
	}
	// A worker, which has the key, describes the batch anew.
	must(t, p.producer.Describe(t.Context(), "real"))
	var said string
	must(t, p.worker.Description(t.Context(), &said))
	subject := p.worker.subject(setupSubject)
	data, _, err := p.worker.pack(t.Context(), subject, "forged", p.worker.sealer.private)
	must(t, err)
	_, err = p.worker.publish(t.Context(), message{subject: subject, data: data, only: true})
	must(t, err)
	if err := p.worker.Description(t.Context(), &said); !errors.Is(err, fault.Trust) || said != "real" {
		t.Errorf("%q, %v", said, err)
	}
	// A new invitation ends the one before.
	must(t, p.producer.Invite(t.Context(), NewInvitation("b", p.options.Signer)))
	if _, err := Join(t.Context(), p.conn, invitation); !errors.Is(err, fault.Trust) {
		t.Errorf("with the invitation before: %v", err)
	}
}

// SECURITY 29: who sets back what a batch has used ends it, whether or not he has its key.
func TestBudgetIsNotSetBack(t *testing.T) {
	for name, hostile := range map[string]struct {
		forge func(q *Queue, subject string) []byte
		told  []string
	}{
		"a worker": {func(q *Queue, subject string) []byte {
			data, _, err := q.pack(t.Context(), subject, budgetRecord{}, q.sealer.private)
			must(t, err)
			return data
		}, nil},
		"without the key": {func(*Queue, string) []byte { return []byte("no budget") }, []string{"it is not sealed"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPair(t, "a")
			must(t, p.producer.Limit(t.Context(), batch.Amount{Tokens: 10}, batch.Amount{}, nil))
			purse := p.lease(t).Purse
			settle, err := purse.Reserve(t.Context(), trace.Usage{In: 8})
			must(t, err)
			settle(trace.Usage{In: 8})
			subject := p.worker.subject(budgetSubject)
			_, err = p.worker.publish(t.Context(), message{subject: subject, data: hostile.forge(p.worker, subject), only: true})
			must(t, err)
			if _, err := purse.Reserve(t.Context(), trace.Usage{In: 8}); !errors.Is(err, fault.Trust) {
				t.Errorf("%v", err)
			}
			p.notices.told(t, hostile.told...)
		})
	}
}
