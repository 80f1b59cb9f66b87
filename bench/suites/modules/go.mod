// Modules whose source carries the test suites of other projects. Nothing of golem imports
// them: the tests of bench/suites read their files in Go's module cache. "go mod tidy" would
// remove the lines; to change a version, edit this file and run "go mod download".
module golem/bench/suites/modules

go 1.26.0

require (
	github.com/go-faster/jx v1.2.0
	github.com/goccy/go-yaml v1.19.2
)
