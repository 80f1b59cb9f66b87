package core

import (
	"context"
	"strings"

	"golem/core/fault"
	"golem/core/worktest"
)

// testMaking is the command /test of a chat.
type testMaking struct {
	of    *Instance
	tests *Tests
	shown *worktest.Accepted // what /test showed last; yes writes it
}

// carryOut shows the case that the first exchange of a conversation makes, or with yes writes
// the one that was shown.
func (m *testMaking) carryOut(ctx context.Context, arg, conversation string) (string, error) {
	made := m.shown
	m.shown = nil
	switch {
	case arg == "yes" && made != nil:
		if err := m.tests.Write(made); err != nil {
			return "", err
		}
		return "written: " + strings.Join(made.Names(), ", ") + "; golem test runs it", nil
	case arg == "yes":
		return "", fault.New(fault.Usage, "/test has not shown yet what it would write").Hinting("/test, and then /test yes")
	case arg != "":
		return "", fault.New(fault.Usage, "/test does not take %s", fault.Brief(arg)).Hinting("/test shows what it would write, /test yes writes it")
	case conversation == "":
		return "", fault.New(fault.Usage, "this conversation is not kept, so that no test can be made of it").Hinting("golem keeps it with files on disk, where GOLEM_HOME is set")
	}
	var err error
	if m.tests, err = m.of.Tests(); err == nil {
		made, err = m.tests.Accept(ctx, conversation)
	}
	if err != nil {
		return "", err
	}
	m.shown = made
	return "a test of the first exchange:\n\n" + made.Text(true) + "/test yes keeps it", nil
}
