package session

import (
	"context"

	"golem/core"
	"golem/core/run"
	"golem/core/ui"

	"golem/cmd/cli/console"
	"golem/cmd/cli/target"
)

// Command carries out a command of a chat that needs this machine but no terminal: /model
// without a name, /clearance and /approvals. Others are E_USAGE.
func Command(ctx context.Context, c *console.Console, inst *core.Instance, p target.Place, s *run.Session, cmd ui.Command) (string, error) {
	switch cmd.Name {
	case ui.Model, ui.Clearance, ui.Approvals:
		return (&chatCommands{console: c, inst: inst, notices: &Notice{}, place: p}).Command(ctx, s, cmd)
	}
	return "", console.Usage("/%s needs a terminal", cmd.Name).Hinting("golem chat has it")
}
