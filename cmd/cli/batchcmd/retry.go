package batchcmd

import (
	"errors"
	"io/fs"

	"github.com/spf13/cobra"

	"golem/core/batch"
	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/workspace"

	"golem/cmd/cli/console"
	"golem/cmd/cli/runflags"
	"golem/cmd/cli/toolhost"
)

// retryCommand returns golem batch retry.
func retryCommand(c *console.Console) *cobra.Command {
	f := &flags{}
	var failed bool
	cmd := &cobra.Command{
		Use:   "retry BATCH",
		Short: "go on with a batch, and run what failed or was cancelled again",
		Long: `Goes on with a batch as it began, with its packed project and its inputs, and runs
the items again that failed or were cancelled: from their beginning, each with its
input. With --failed cancelled items stay as they are.`,
		Args: console.Words(1, 1),
		RunE: func(_ *cobra.Command, words []string) error {
			f.Command = "batch"
			if err := f.refuse(); err != nil {
				return err
			}
			if err := named(words[0]); err != nil {
				return err
			}
			store, err := c.Home.Batch(words[0])
			if err != nil {
				return err
			}
			q, err := batch.ReadLocal(&store)
			if err != nil {
				return err
			}
			data, err := sandbox.ReadFile(store.Files, batch.PackFile, workspace.MaxPack)
			if errors.Is(err, fs.ErrNotExist) {
				return fault.New(fault.NotFound, "golem ended before it kept the packed project of the batch %s", words[0]).Hinting("run the command that began it")
			}
			if err != nil {
				return err
			}
			pack, err := workspace.ReadPack(data)
			if err != nil {
				return err
			}
			t := toolhost.New(c, f.Verbose)
			defer t.Close()
			staged, err := f.stagedAt(c, q.Head.Place, t)
			if err != nil {
				return err
			}
			return f.run(c, job{head: q.Head, pack: pack, again: true, failed: failed, tools: t, opening: f.OpenWith(), staged: staged})
		},
	}
	f.Add(cmd.Flags(), "retry")
	f.common(cmd)
	cmd.Flags().BoolVar(&failed, "failed", false, "run only those again that failed")
	runflags.Complete(c, cmd, &f.Flags)
	return cmd
}
