package batchcmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"golem/core"
	"golem/core/batch"
	"golem/core/clearance"
	"golem/core/fault"
	"golem/core/ui"

	"golem/cmd/cli/batchweb"
	"golem/cmd/cli/clearcmd"
	"golem/cmd/cli/console"
	"golem/cmd/cli/fetch"
	"golem/cmd/cli/httpguard"
	"golem/cmd/cli/machine"
	"golem/cmd/cli/target"
	"golem/cmd/cli/toolhost"
)

// attachCommand returns golem batch attach.
func attachCommand(c *console.Console) *cobra.Command {
	var web bool
	cmd := &cobra.Command{
		Use:   "attach BATCH",
		Short: "watch a batch that another golem runs, until it ends",
		Long: `Shows how far a batch is that another golem of this machine runs, until it ends.

With --web it prints the address of a page on this machine, until Ctrl+C. The page
shows how far the batch is and asks what its items ask, also those that run on other
machines. It also shows what the items staged, and pushes or discards it. The address
has a secret: who knows it can do the same.`,
		Example: `  golem batch attach reviews
  golem batch attach reviews --web`,
		Args: console.Words(1, 1),
		RunE: func(cmd *cobra.Command, words []string) error {
			ctx, stop := c.Interruptible(cmd.Context())
			defer stop()
			if web {
				return serve(ctx, c, words[0])
			}
			return watch(ctx, c, words[0])
		},
	}
	cmd.Flags().BoolVar(&web, "web", false, "show the batch, its questions and what it staged in a browser of this machine")
	return cmd
}

// watch shows how far a batch is until nobody runs it.
func watch(ctx context.Context, c *console.Console, name string) error {
	spinner, end := c.Spinner()
	defer end()
	for {
		q, err := reading(c, name)
		if err != nil {
			return err
		}
		n := q.Counts()
		if !q.Held() {
			end()
			s, err := q.Summary()
			if err != nil {
				return err
			}
			if n.Open > 0 {
				c.Say("no golem runs it; golem batch retry %s goes on with the %d items that are left", q.Head.Name, n.Open)
			}
			return c.Show(ui.Safe(s.Text()))
		}
		spinner.Wait(fmt.Sprintf("%s: %d of %d, %d failed, %d wait for an answer", q.Head.Name, n.OK+n.Failed+n.Cancelled, n.Total, n.Failed, n.Parked))
		select {
		case <-ctx.Done():
			return console.ExitCode(console.ExitInterrupted)
		case <-time.After(2 * time.Second):
		}
	}
}

// serve serves the page of a batch on this machine's loopback until Ctrl+C.
func serve(ctx context.Context, c *console.Console, name string) error {
	q, err := reading(c, name)
	if err != nil {
		return err
	}
	t := toolhost.New(c, false)
	defer t.Close()
	w := watched{c: c, name: name, place: q.Head.Place, tools: t}
	if w.staged, err = w.Clearance(false); errors.Is(err, fault.NotFound) {
		w.staged = nil // nothing can be staged
	} else if err != nil {
		c.Say("warning: what the batch staged is not shown: %s", fault.Of(err, fault.Config).Message)
	}
	listener, err := fetch.Listen("--web", "127.0.0.1:0", "")
	if err != nil {
		return err
	}
	token := httpguard.NewToken()
	if err := c.Print("http://" + listener.Addr().String() + "/" + token + "/\n"); err != nil {
		listener.Close()
		return err
	}
	c.Say("open this address in a browser of this machine; who knows it can answer, push and discard. Ctrl+C ends the page, not the batch")
	return httpguard.Serve(ctx, listener, batchweb.Handler(token, w), func() {})
}

// watched is a batch for its page.
type watched struct {
	c      *console.Console
	name   string
	place  string // the directory of its project; "": it has none
	tools  *toolhost.Tools
	staged *clearance.Store // what golem lists; nil: nothing
}

var _ batchweb.Batch = watched{}

// Now implements batchweb.Batch.
func (w watched) Now() (batchweb.Now, error) {
	now := batchweb.Now{Name: w.name}
	q, err := reading(w.c, w.name)
	if err != nil {
		return now, err
	}
	if now.Groups, err = q.Questions(false); err != nil {
		return now, err
	}
	n := q.Counts()
	now.Line = batch.Pace{}.Line(n)
	switch {
	case q.Held():
		now.Means = "It runs now, and goes on with an item as soon as you answered its question."
	case n.Open+n.Parked == 0:
		now.Means = "It is done."
	case n.Open == 0:
		now.Means = "No golem runs it. After your answers, golem batch retry " + w.name + " goes on."
	default:
		now.Means = "No golem runs it: golem batch retry " + w.name + " goes on with " + fault.Count(n.Open, "item") + "."
	}
	now.Staged, err = clearance.ItemsOf(w.staged, w.name)
	return now, err
}

// Clearance implements batchweb.Batch: it opens the project anew, because its files may have
// changed since golem batch attach began.
func (w watched) Clearance(writes bool) (*clearance.Store, error) {
	if info, err := os.Stat(w.place); w.place == "" || err != nil || !info.IsDir() {
		return nil, fault.New(fault.NotFound, "the project of the batch %s has no directory any more, so nothing can be pushed", w.name).Hinting("golem batch show %s shows the results", w.name)
	}
	p, _, err := target.Find(w.c, target.Wanted{Project: w.place}, nil)
	if err != nil {
		return nil, err
	}
	return clearcmd.Opened(w.c, p, machine.Opening{}, w.tools, writes, (*core.Instance).Clearance)
}

// Answer implements batchweb.Batch.
func (w watched) Answer(a batch.Answer) error {
	q, err := reading(w.c, w.name)
	if err != nil {
		return err
	}
	return (&answering{c: w.c, q: q}).give(a)
}

// Calls implements batchweb.Batch.
func (w watched) Calls(rule batch.Rule, covered []batch.Group) string {
	return callsText(rule, covered)
}
