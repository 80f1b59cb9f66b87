package sdk

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// Error is golem's answer to a call that failed: an error code, what went
// wrong, and what to do.
type Error struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint"`
}

// Error returns the code and the message.
func (e *Error) Error() string { return e.Code + ": " + e.Message }

// Call calls a tool or worker that the worker which called this tool may call;
// it goes through the same approval gate (S3-15). args can be anything that can
// be written as JSON. The result is a text or JSON. An error from golem is an
// *Error. A running call cannot be interrupted, so ctx is only checked before
// it.
func Call(ctx context.Context, name string, args any) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	raw, err := json.Marshal(args)
	if err != nil {
		return "", fmt.Errorf("the arguments for %s: %w", name, err)
	}
	if golem, _ := ctx.Value(standIn{}).(func(name, args string) (string, error)); golem != nil {
		return golem(name, string(raw))
	}
	answer, err := callBack(name, raw)
	if err != nil {
		return "", err
	}
	var failed struct {
		Error *Error `json:"error"`
	}
	if json.Unmarshal(answer, &failed) == nil && failed.Error != nil && strings.HasPrefix(failed.Error.Code, "E_") {
		return "", failed.Error
	}
	return string(answer), nil
}

// Config returns a value that the worker's file gives the module under config:,
// and whether there is one.
func Config(key string) (string, bool) { return config(key) }

// Log shows a line to the person who runs golem.
func Log(format string, args ...any) { log(fmt.Sprintf(format, args...)) }
