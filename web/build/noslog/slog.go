//go:build js && wasm

// Package slog stands in for log/slog in the page. It has the one name that is used: the
// package jsonschema refers to the type Level. web/build lays it over the standard library's
// package, which sets up loggers and handlers before main.
package slog

// Level is the importance of a log entry.
type Level int
