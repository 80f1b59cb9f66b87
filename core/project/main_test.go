package project_test

import (
	"testing"

	"golem/core/fault"
	"golem/core/project"
	"golem/core/project/check"
)

func TestMain(m *testing.M) {
	project.Check = func(p *project.Project, platform string) fault.List { return check.Project(p, platform, nil) }
	m.Run()
}
