package main

import (
	"os"
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"
)

// cmdFlip copies a file with one bit changed: flip IN OUT BYTE, from the end if
// BYTE is negative.
func cmdFlip(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: flip IN OUT BYTE")
	}
	data := []byte(ts.ReadFile(args[0]))
	at, err := strconv.Atoi(args[2])
	ts.Check(err)
	data[(at+len(data))%len(data)] ^= 1
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), data, 0o644))
}

// cmdCut copies the beginning of a file: cut IN OUT BYTES.
func cmdCut(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: cut IN OUT BYTES")
	}
	n, err := strconv.Atoi(args[2])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(ts.ReadFile(args[0])[:n]), 0o644))
}
