package batchcmd

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/nats-io/nats.go"

	"golem/core/fault"
	"golem/core/workspace"

	"golem/cmd/cli/console"
	"golem/cmd/cli/natsqueue"
)

// identity returns the keys of this machine.
func identity(c *console.Console) (natsqueue.Identity, error) {
	secret, err := c.Home.WorkerKey()
	if err != nil {
		return natsqueue.Identity{}, err
	}
	return natsqueue.NewIdentity(secret)
}

// machines reads the keys of machines.
func machines(texts []string) (out []natsqueue.PublicIdentity, err error) {
	for _, text := range texts {
		p, err := natsqueue.ReadIdentity(text)
		if err != nil {
			return nil, err
		}
		if workspace.SmallOrder(p.Signer) {
			return nil, console.Usage("%s is not the key of one machine: anybody can make signatures that fit it", fault.Quoted(text)).Hinting("golem worker --key prints it there")
		}
		out = append(out, p)
	}
	return out, nil
}

// admit lets workers join the batch: those with the keys that it names, or who has the token.
func (k *queueKept) admit(ctx context.Context, c *console.Console, p *natsqueue.Producer, i natsqueue.Invitation) error {
	named, err := machines(k.Workers)
	if err != nil {
		return err
	}
	if len(named) == 0 {
		return p.Invite(ctx, i)
	}
	me, err := identity(c)
	if err != nil {
		return err
	}
	return p.Name(ctx, me, named)
}

// sayInvitation tells the person how workers join.
func (k *queueKept) sayInvitation(c *console.Console, i natsqueue.Invitation) error {
	defer k.tellAddress(c)
	// Not broken into lines: people copy it.
	if len(k.Workers) == 0 {
		c.Say("on each machine that works for this batch (the token is a secret):")
		fmt.Fprintf(c.Err, "  export %s=%s\n  golem worker %s\n", console.JoinVariable, i, k.URL)
		return nil
	}
	me, err := identity(c)
	if err != nil {
		return err
	}
	c.Say("on each of the %s that --worker names:", fault.Count(len(k.Workers), "machine"))
	fmt.Fprintf(c.Err, "  golem worker %s --from %s\n", k.URL, me.Public())
	return nil
}

// tellAddress tells the person what a worker needs to reach the server, beside what was told.
func (k *queueKept) tellAddress(c *console.Console) {
	u, err := url.Parse(k.URL)
	if err != nil {
		return
	}
	if ip := net.ParseIP(u.Hostname()); u.Hostname() == "localhost" || ip != nil && ip.IsLoopback() {
		c.Say("%s is this machine only: on another one, write an address of this machine that it reaches", u.Hostname())
	}
	if c.Env[console.QueueVariable] != "" {
		c.Say("they need %s, too, as it is here", console.QueueVariable)
	}
}

// keys are those by which a worker finds a batch.
type keys struct {
	me      natsqueue.Identity
	trusted []natsqueue.PublicIdentity
}

// keys returns the keys of this machine and of those whom it trusts: with --from only that one,
// who is trusted from now on.
func (f *joining) keys(c *console.Console) (k keys, err error) {
	if f.from != "" {
		if k.trusted, err = machines([]string{f.from}); err == nil {
			err = addSigner(c, k.trusted[0])
		}
	} else {
		k.trusted, err = signers(c)
		if err == nil && len(k.trusted) == 0 {
			err = console.Usage("the token of the batch is missing, and this machine trusts no other by its key").
				Hinting("golem batch --queue prints a token: set %s to it, or write it into a file and give --join-file FILE; or golem worker URL --from KEY", console.JoinVariable)
		}
	}
	if err == nil {
		k.me, err = identity(c)
	}
	return k, err
}

// find returns with what the worker opens the first batch that names it and goes on.
func (k keys) find(ctx context.Context, conn *nats.Conn) (o natsqueue.Options, err error) {
	found, err := natsqueue.Find(ctx, conn, k.me, k.trusted)
	if err != nil {
		return o, err
	}
	for _, o := range found {
		state, err := stateOf(ctx, conn, o)
		if err != nil {
			return o, err
		}
		if state == natsqueue.Going {
			return o, nil
		}
	}
	return o, fault.New(fault.NotFound, "all %s on the queue that name this machine have ended", fault.Count(len(found), "batch")).Hinting("begin another one with golem batch --queue URL --worker %s", k.me.Public())
}

// stateOf returns how far a batch is.
func stateOf(ctx context.Context, conn *nats.Conn, o natsqueue.Options) (natsqueue.BatchState, error) {
	q, err := natsqueue.Open(ctx, conn, o)
	if err != nil {
		return natsqueue.Going, err
	}
	defer q.Close()
	return q.State(ctx)
}

// signersFile is the content of signers.json.
type signersFile struct {
	Golem   string   `json:"golem"` // "signers"
	V       int      `json:"v"`
	Signers []string `json:"signers"`
}

// readSigners reads signers.json; nothing is an empty list. What cannot be read trusts nobody.
func readSigners(data []byte) (out []natsqueue.PublicIdentity, err error) {
	if len(data) == 0 {
		return nil, nil
	}
	var f signersFile
	if json.Unmarshal(data, &f) == nil && f.Golem == "signers" && f.V == 1 {
		if out, err = machines(f.Signers); err == nil {
			return out, nil
		}
	}
	return nil, fault.New(fault.Config, "signers.json in GOLEM_HOME cannot be read: golem did not write it, or it is damaged").Hinting("remove it, and give --from KEY again")
}

// signers returns the keys that this machine trusts.
func signers(c *console.Console) ([]natsqueue.PublicIdentity, error) {
	file := c.Home.Signers()
	if file == nil {
		return nil, nil
	}
	data, err := file.Read()
	if err != nil {
		return nil, err
	}
	return readSigners(data)
}

// changeSigners changes the keys that this machine trusts.
func changeSigners(c *console.Console, change func([]natsqueue.PublicIdentity) ([]natsqueue.PublicIdentity, error)) error {
	file := c.Home.Signers()
	if file == nil {
		return c.Home.Missing("no key can be trusted")
	}
	return file.Change(func(data []byte) ([]byte, error) {
		known, err := readSigners(data)
		if err == nil {
			known, err = change(known)
		}
		if err != nil {
			return nil, err
		}
		f := signersFile{Golem: "signers", V: 1, Signers: []string{}}
		for _, p := range known {
			f.Signers = append(f.Signers, p.String())
		}
		data, err = json.MarshalIndent(f, "", "  ")
		return append(data, '\n'), err
	})
}

// addSigner trusts a machine for good.
func addSigner(c *console.Console, p natsqueue.PublicIdentity) error {
	return changeSigners(c, func(known []natsqueue.PublicIdentity) ([]natsqueue.PublicIdentity, error) {
		if !slices.ContainsFunc(known, p.Equal) {
			known = append(known, p)
			c.Say("trusted from now on: the batches that %s begins; golem worker --remove ends it", p)
		}
		return known, nil
	})
}

// removeSigner trusts a machine no more.
func removeSigner(c *console.Console, text string) error {
	p, err := natsqueue.ReadIdentity(text)
	if err != nil {
		return err
	}
	err = changeSigners(c, func(known []natsqueue.PublicIdentity) ([]natsqueue.PublicIdentity, error) {
		left := slices.DeleteFunc(known, p.Equal)
		if len(left) == len(known) {
			return nil, fault.New(fault.NotFound, "this machine does not trust %s", p).Hinting("golem worker --list shows whom it trusts")
		}
		return left, nil
	})
	if err == nil {
		err = c.Print("removed: " + p.String() + "\n")
	}
	return err
}

// listSigners prints the keys that this machine trusts, one a line.
func listSigners(c *console.Console) error {
	known, err := signers(c)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, p := range known {
		b.WriteString(p.String() + "\n")
	}
	if len(known) == 0 {
		c.Say("this machine trusts no other by its key")
	}
	return c.Print(b.String())
}

// printKey prints the key of this machine.
func printKey(c *console.Console) error {
	me, err := identity(c)
	if err != nil {
		return err
	}
	return c.Print(me.Public().String() + "\n")
}
