package enginetest

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"golem/core/fault"
	"golem/core/wasmtool"
	"golem/core/wasmtool/guard"
)

// Together makes the call of a case eight times at once, with one compiled module. It
// returns an error unless every call has the expected result.
func Together(engine wasmtool.Engine, c Case) error {
	module, err := c.Source()
	if err != nil {
		return err
	}
	if module, err = guard.Weave(module); err != nil {
		return err
	}
	ctx := context.Background()
	code, err := engine.Compile(ctx, module, c.Name)
	if err != nil {
		return err
	}
	defer code.Close()
	problems := make([]error, 8)
	var all sync.WaitGroup
	for i := range problems {
		all.Go(func() {
			host, files := c.host()
			var o Outcome
			var err error
			o.Result, err = code.Call(ctx, c.Invocation(), host)
			o.Fault, o.Files = fault.Of(err, "not a fault"), contents(files)
			for _, problem := range c.Judge(o) {
				problems[i] = errors.Join(problems[i], fmt.Errorf("call %d: %s", i, problem))
			}
		})
	}
	all.Wait()
	return errors.Join(problems...)
}
