package sdk

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// Error is golem's answer to a call that failed: a code (E_…), a message, and a hint
// that says what to do.
type Error struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint"`
}

// Error returns the code and the message.
func (e *Error) Error() string { return e.Code + ": " + e.Message }

// Call calls another tool or a worker, if the worker that called this tool may call
// it; the call goes through the same approval gate (S3-15). args is written with
// encoding/json. The result is a text or JSON. An error from golem is an *Error.
// ctx must be the one that the tool's function got. A running call cannot be
// interrupted, so ctx is only checked before it.
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

// Config returns the value of key in the configuration that the worker's file gives
// the module under config:, and whether there is one.
func Config(key string) (string, bool) { return config(key) }

// Log shows a line to the person who runs golem. The format is that of fmt.Sprintf.
func Log(format string, args ...any) { log(fmt.Sprintf(format, args...)) }
