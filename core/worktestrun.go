package core

import (
	"cmp"
	"context"
	"sync"
	"time"

	"golem/core/fault"
	"golem/core/run"
	"golem/core/worktest"
)

// testTimeout is how long a case on a recording or script may run.
const testTimeout = time.Minute

// Run runs the tests and returns their verdicts in the order of files, cases, models and
// samples. It fails if nothing could be run at all.
func (t *Tests) Run(ctx context.Context, how TestRun) ([]worktest.Verdict, error) {
	plan, err := t.plan(how)
	if err != nil {
		return nil, err
	}
	out := make([]worktest.Verdict, len(plan))
	next := make(chan int)
	var wait sync.WaitGroup
	var mu sync.Mutex
	done := 0
	for range min(cmp.Or(how.Parallel, 4), len(plan)) {
		wait.Go(func() {
			for n := range next {
				out[n] = t.runCase(ctx, plan[n], how)
				mu.Lock()
				if done++; how.Watch != nil {
					how.Watch.Judged(out[n], done, len(plan))
				}
				mu.Unlock()
			}
		})
	}
	for n := range plan {
		next <- n
	}
	close(next)
	wait.Wait()
	return out, nil
}

// runCase makes one run of a case and judges it.
func (t *Tests) runCase(ctx context.Context, p planned, how TestRun) (v worktest.Verdict) {
	v = p.verdict()
	start := t.of.platform.now()
	defer func() { v.MS = t.of.platform.now().Sub(start).Milliseconds() }()
	if err := ctx.Err(); err != nil {
		v.Status, v.Fault = worktest.NotJudged, fault.Of(context.Cause(ctx), fault.Interrupted)
		return v
	}
	limited, stop := ctx, context.CancelFunc(func() {})
	if !p.live {
		limited, stop = context.WithTimeoutCause(ctx, testTimeout, fault.New(fault.Timeout, "the case did not end within %v", testTimeout))
	}
	defer stop()
	got, err := t.play(limited, p, how, &v)
	if err == nil {
		v.Misses, err = worktest.Compare(p.one.Expect, got, worktest.SchemaFiles{FS: t.of.options.Files})
	}
	if err == nil && p.one.Expect.Judge != nil && len(v.Misses) == 0 {
		err = t.score(limited, p, how, got, &v)
	}
	v.Settle(err)
	return v
}

// play runs a case and returns what it did.
func (t *Tests) play(ctx context.Context, p planned, how TestRun, v *worktest.Verdict) (worktest.Outcome, error) {
	in, err := t.input(p.one, p.made)
	if err != nil {
		return worktest.Outcome{}, err
	}
	if p.live {
		return t.playLive(ctx, p, how, in, v)
	}
	return t.playRecorded(ctx, p, how, in, v)
}

// Examples returns what the tests of a worker on recordings and scripts show of it: the input
// of each case that passes, with the output. Cases that do not pass are left out.
func (t *Tests) Examples(ctx context.Context, worker string) (out []worktest.Example, left []worktest.LeftOut, err error) {
	verdicts, err := t.Run(ctx, TestRun{Answers: run.ByModel, written: true})
	if err != nil {
		return nil, nil, err
	}
	for _, v := range verdicts {
		from := v.File + ": " + v.Case
		switch c, ok := t.Case(v.File, v.Case); {
		case v.Worker != worker || !ok:
		case v.Status != worktest.Passed:
			left = append(left, worktest.LeftOut{From: from, Why: "the case is " + v.Status})
		case len(c.Attach) > 0:
			left = append(left, worktest.LeftOut{From: from, Why: "the input has attachments"})
		default:
			in, err := t.input(c, nil)
			if err != nil {
				return nil, nil, err
			}
			out = append(out, worktest.Example{Input: in.Raw(), Output: v.Value, From: from, Usage: v.Usage, MS: v.RecordedMS, Setting: &c, Written: v.Written})
		}
	}
	return out, left, nil
}
