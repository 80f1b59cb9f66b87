// Package batchcmd is golem batch and golem worker: one worker runs for each of many inputs, on
// this machine or on many (SPEC §19).
package batchcmd

import (
	"time"

	"github.com/spf13/cobra"

	"golem/core/batch"
	"golem/core/fault"

	"golem/cmd/cli/console"
	"golem/cmd/cli/runflags"
)

// flags are those of golem batch.
type flags struct {
	runflags.Flags
	json  bool
	lease time.Duration // how long a worker of another machine may be silent
	// workers are the keys of the machines that may work for the batch; none: who has its token.
	workers []string
}

// Command returns golem batch with its subcommands.
func Command(c *console.Console) *cobra.Command {
	f := &flags{}
	cmd := &cobra.Command{
		Use:   "batch TARGET --inputs FILE|DIR|-",
		Short: "run a worker for each of many inputs",
		Long: `Runs a project's worker once for each input, several beside each other, and writes
the results in the order of the inputs to OUT/results.jsonl. Each item works on
files of its own, in memory, over a packed copy of the project; what it writes is in
OUT/ITEM afterwards.

INPUTS is a file in JSON Lines (a text or an object a line), a table in CSV (its
first line has the names of the fields), a directory (each file is attached), or -
for JSON Lines from standard input.

Ctrl+C, a crash or a budget that is spent stop the batch. The same command goes on:
items that are done are not asked again, interrupted ones go on where they were.
What would ask a person waits (golem batch questions).

With --queue URL the workers of other machines run the items (golem worker).

--limit cost=… and tokens=… limit the whole batch, other limits each item.
The exit code is 1 if an item failed, 3 if some wait for an answer, 130 after Ctrl+C.`,
		Example: `  golem batch . --inputs reviews.csv --key id
  golem batch . --inputs questions.jsonl --jobs 8 --limit cost=5
  golem batch reader.golem --inputs scans/ --out read
  golem batch . --inputs questions.jsonl --queue nats://queue.local:4222
  golem batch list`,
		Args: console.Words(0, 1),
		RunE: func(_ *cobra.Command, words []string) error {
			f.Command = "batch"
			return f.start(c, words)
		},
	}
	f.Add(cmd.Flags(), "batch")
	cmd.Flags().DurationVar(&f.lease, "lease", time.Minute, "with --queue: how long a worker may be silent before others get its items")
	cmd.Flags().StringArrayVar(&f.workers, "worker", nil, "with --queue: the `KEY` of a machine that may work for the batch (golem worker --key), in place of a token; can be repeated")
	f.common(cmd)
	runflags.Complete(c, cmd, &f.Flags)
	cmd.AddCommand(listCommand(c), showCommand(c), attachCommand(c), cancelCommand(c), retryCommand(c), questionsCommand(c), removeCommand(c))
	return cmd
}

// common adds the flags that golem batch and golem batch retry have.
func (f *flags) common(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.json, "json", false, "print the summary as one line of JSON")
}

// refuse returns an error for flags that are wrong.
func (f *flags) refuse() error {
	if err := f.Refuse(); err != nil {
		return err
	}
	if f.Name != "" && !batch.IsName(f.Name) {
		return console.Usage("--name %q is not a name of a batch", f.Name).Hinting("use 1 to 64 of the characters a-z, 0-9, _ and -")
	}
	if f.Given("lease") && (f.Queue == "" || f.lease < time.Second || f.lease > time.Hour) {
		return console.Usage("--lease %s needs --queue, and is between 1s and 1h", f.lease)
	}
	if f.Given("worker") && f.Queue == "" {
		return console.Usage("--worker needs --queue").Hinting("golem batch . --inputs FILE --queue nats://HOST:4222 --worker KEY")
	}
	if _, err := machines(f.workers); err != nil {
		return err
	}
	return f.CheckBatch()
}

// named returns E_NOT_FOUND if a word cannot be the name of a batch.
func named(name string) error {
	if !batch.IsName(name) {
		return fault.New(fault.NotFound, "%q is not the name of a batch", name).Hinting("golem batch list shows the names")
	}
	return nil
}
