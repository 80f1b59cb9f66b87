package wasmtool

import (
	"context"
	"time"

	"golem/core/fault"
	"golem/core/wasmtool/guard"
)

// Ungranted calls an export of a module without any grant. It is for modules that golem made
// itself of sources (package jstool): "describe" has the limits of a run for a description;
// "call" those of linking, which reads up to a megabyte and is bounded by the time of ctx: the
// guard counts all of an interpreter's big loop for each of its steps, 28 million units for a
// short line of JavaScript that is read. answer answers golem_call; with nil nothing can be called.
func (l *Library) Ungranted(ctx context.Context, module []byte, export string, input []byte, answer func(ctx context.Context, name string, args []byte) []byte) ([]byte, error) {
	leave, err := l.enter()
	if err != nil {
		return nil, err
	}
	defer leave()
	if _, err := guard.Inspect(module); err != nil {
		return nil, err
	}
	c, err := l.compile(ctx, digestOf(module), module, guard.MaxMemoryPages, nil)
	if err != nil {
		return nil, err
	}
	limits := Limits{Time: describeTime, Fuel: describeFuel, Output: maxLinked}
	if export == "call" {
		limits.Time, limits.Fuel = callTime, DefaultFuel
	}
	res, err := c.Call(ctx, Invocation{Form: Extism, Export: export, Input: input, Limits: limits}, Host{Call: answer})
	if err != nil {
		return nil, fault.Of(err, fault.Tool)
	}
	return res.Output, nil
}

// callTime bounds a call of the linker whose context does not end.
const callTime = time.Minute

// maxLinked is the most bytes that an export called without grants may return.
const maxLinked = 8 << 20

// Kept returns a value of the library's cache that was made of JavaScript sources; ok is false
// if there is none.
func (l *Library) Kept(key string) (value []byte, ok bool) { return l.cached(key) }

// Keep keeps a value in the library's cache.
func (l *Library) Keep(key string, value []byte) { l.cacheValue(key, value) }
