package project

import "golem/core/fault"

// Check is check.Project, which imports this package.
var Check func(p *Project, platform string) fault.List
