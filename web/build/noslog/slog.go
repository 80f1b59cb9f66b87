//go:build js && wasm

// Package slog has, in the page, the one name of log/slog that is used: the package
// jsonschema knows the type Level. This file is laid over the standard library's
// package, which sets up loggers and handlers before main.
package slog

// Level is the importance of a log entry.
type Level int
