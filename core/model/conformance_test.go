package model

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golem/core/fault"
)

// Every behaviour of the table passes with recorded streams from a fake doer.
func TestBehavioursOnFakeDoer(t *testing.T) {
	for _, b := range behaviours {
		t.Run(b.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b.play(t, open(t, b.named(), b.config(Config{HTTP: &player{behaviour: b}, Env: env(key)})))
			})
		})
	}
}

// Every behaviour is recorded and replayed: the replay gives the same answers, pieces
// and failures.
func TestBehavioursReplayed(t *testing.T) {
	for _, b := range behaviours {
		t.Run(b.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &writes{}
				b.play(t, recordingOf(open(t, b.named(), b.config(Config{HTTP: &player{behaviour: b}, Env: env(key)})), w, nil))
				again := b
				again.want.Model, again.want.Reasoning = "replay:r.jsonl", 0
				again.play(t, w.replay(t, Config{}))
			})
		})
	}
}

func TestBehaviourTableHasNoTwins(t *testing.T) {
	seen := map[string]bool{}
	for _, b := range behaviours {
		if seen[b.name] {
			t.Errorf("%q stands twice", b.name)
		}
		seen[b.name] = true
		if b.err == "" && b.want.Finish == "" {
			t.Errorf("%q wants nothing", b.name)
		}
	}
}

func TestRetryAfterOfTheServerIsKept(t *testing.T) {
	now := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	p := &player{behaviour: behaviour{status: 429, header: map[string]string{"Retry-After": "7", "Retry-After-Ms": "6543.2"}}}
	_, err := open(t, "openai:x", Config{HTTP: p, Env: env(key)}).Generate(context.Background(), request(), nil)
	if f := failureOf(err); f == nil || f.retryAfter != 6543200*time.Microsecond {
		t.Errorf("%+v", f)
	}
	for header, want := range map[string]time.Duration{
		"7": 7 * time.Second, "0.5": 500 * time.Millisecond, "-1": 0, "soon": 0, "NaN": 0,
		"Sat, 21 Nov 2026 10:00:30 GMT": 30 * time.Second, "Sat, 21 Nov 2026 09:00:00 GMT": 0,
	} {
		p := &player{behaviour: behaviour{status: 429, header: map[string]string{"Retry-After": header}}}
		m := open(t, "openai:x", Config{HTTP: p, Env: env(key), Now: func() time.Time { return now }})
		_, err := m.Generate(context.Background(), request(), nil)
		if f := failureOf(err); f == nil || f.status != 429 || f.retryAfter != want {
			t.Errorf("Retry-After %q: %+v, want %v", header, f, want)
		}
	}
}

// Scenario 36: a provider that hangs, before or within the answer, ends with E_TIMEOUT
// at the model timeout.
func TestHangEndsAtTheDeadline(t *testing.T) {
	for _, body := range [][]string{nil, {eventsOf(text("Hel"))}} {
		synctest.Test(t, func(t *testing.T) {
			m := open(t, "openai:x", Config{HTTP: &player{behaviour: behaviour{hang: true, body: body}}, Env: env(key)})
			ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
			defer cancel()
			start := time.Now()
			_, err := m.Generate(ctx, request(), nil)
			if !errors.Is(err, fault.Timeout) || !errors.Is(err, context.DeadlineExceeded) {
				t.Fatal(err)
			}
			if took := time.Since(start); took != 30*time.Second {
				t.Fatalf("took %v", took)
			}
		})
	}
}

// A provider may be silent for two minutes, or for as long as its caller waits if that
// is longer.
func TestSilence(t *testing.T) {
	for timeout, want := range map[time.Duration]time.Duration{0: 2 * time.Minute, 30 * time.Second: 2 * time.Minute, 5 * time.Minute: 5 * time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			m := open(t, "openai:x", Config{HTTP: &player{behaviour: behaviour{hang: true}}, Env: env(key)})
			r, start := request(), time.Now()
			r.Timeout = timeout
			_, err := m.Generate(context.Background(), r, nil)
			fails(t, err, fault.Model, "openai sent nothing for "+want.String(), "raise limits.model_timeout")
			if took := time.Since(start); took != want {
				t.Errorf("a timeout of %v: took %v", timeout, took)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		slow := &player{behaviour: behaviour{pause: 4 * time.Minute, body: []string{eventsOf(text("Hel")), eventsOf(text("lo")) + ok("stop")}}}
		r := request()
		r.Timeout = 5 * time.Minute
		turn, err := open(t, "openai:x", Config{HTTP: slow, Env: env(key)}).Generate(context.Background(), r, nil)
		if err != nil || turn.Text != "Hello" {
			t.Errorf("%q, %v", turn.Text, err)
		}
	})
}

// Scenario 36: cancellation stops at once (here: within 50 ms of fake time).
func TestCancellationStopsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := open(t, "openai:x", Config{HTTP: &player{behaviour: behaviour{hang: true, body: []string{eventsOf(text("Hel"))}}}, Env: env(key)})
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(time.Second, cancel)
		start := time.Now()
		_, err := m.Generate(ctx, request(), nil)
		if !errors.Is(err, fault.Interrupted) || !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if late := time.Since(start) - time.Second; late > 50*time.Millisecond {
			t.Fatalf("%v late", late)
		}
	})
}

// If the context has a fault as its cause, the model returns that fault.
func TestCauseOfTheContextIsTold(t *testing.T) {
	m := open(t, "openai:x", Config{HTTP: &player{}, Env: env(key)})
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(fault.New(fault.Budget, "spent"))
	if _, err := m.Generate(ctx, request(), nil); !errors.Is(err, fault.Budget) {
		t.Fatal(err)
	}
}

func TestAnswerLongerThanTheLimit(t *testing.T) {
	p := &player{behaviour: behaviour{body: []string{eventsOf(text(strings.Repeat("x", 5000)), text("more")), ok("stop")}}}
	m := open(t, "openai:x", Config{HTTP: p, Env: env(key), MaxBytes: 4096})
	_, err := m.Generate(context.Background(), request(), nil)
	if f := failureOf(err); f == nil || f.retry || !strings.Contains(err.Error(), "longer than 4096 bytes") {
		t.Fatal(err)
	}
}

// The limit itself is allowed.
func TestAnswerAsLongAsTheLimit(t *testing.T) {
	body := eventsOf(text("Hello"), stop("stop"))
	for less, wants := range []string{"Hello", ""} {
		p := &player{behaviour: behaviour{body: []string{body}}}
		m := open(t, "openai:x", Config{HTTP: p, Env: env(key), MaxBytes: int64(len(body) - less)})
		turn, err := m.Generate(context.Background(), request(), nil)
		if turn.Text != wants || err == nil != (wants != "") {
			t.Errorf("%d bytes fewer than the answer: %+v, %v", less, turn, err)
		}
	}
}

// A provider that does not end the stream after a complete answer delays nobody for long.
func TestSilenceAfterTheAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &player{behaviour: behaviour{hang: true, body: []string{eventsOf(text("Hello"), stop("stop"))}}}
		m := open(t, "openai:x", Config{HTTP: p, Env: env(key)})
		start := time.Now()
		turn, err := m.Generate(context.Background(), request(), nil)
		if err != nil || turn.Text != "Hello" || !turn.Usage.Estimated || turn.Usage.Out == 0 {
			t.Fatal(turn, err)
		}
		if took := time.Since(start); took > afterFinish {
			t.Fatalf("took %v", took)
		}
	})
}

// A complete refusal is reported as a refusal, even if the provider leaves the
// connection open.
func TestSilenceAfterARefusal(t *testing.T) {
	for want, body := range map[string]string{
		"gpt-test refused to answer: No.": eventsOf(delta(`"refusal":"No."`), stop("stop")), "tool call without a name": eventsOf(fragmentOf("0", "a", "", `{}`), stop("tool_calls"), done),
	} {
		synctest.Test(t, func(t *testing.T) {
			m := open(t, "openai:gpt-test", Config{HTTP: &player{behaviour: behaviour{hang: true, body: []string{body}}}, Env: env(key)})
			if _, err := m.Generate(context.Background(), request(), nil); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
		})
	}
}

func TestUsageThatCannotBe(t *testing.T) {
	for _, u := range []string{`{"prompt_tokens":-5,"completion_tokens":1}`, `{"prompt_tokens":0,"completion_tokens":0}`, `null`} {
		p := &player{behaviour: behaviour{body: []string{eventsOf(text("Hello"), `{"choices":[],"usage":`+u+`}`), eventsOf(stop("stop"), done)}}}
		turn, err := open(t, "openai:x", Config{HTTP: p, Env: env(key)}).Generate(context.Background(), request(), nil)
		if err != nil || !turn.Usage.Estimated || turn.Usage.In <= 0 {
			t.Errorf("%s: %+v %v", u, turn.Usage, err)
		}
	}
}
