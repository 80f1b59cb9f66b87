package main

import (
	"crypto/rand"
	"encoding/hex"
	"time"
)

// newRunID returns the ID of a new run: its time in UTC, which makes IDs sortable, and
// random digits.
func newRunID() string {
	var b [3]byte
	rand.Read(b[:])
	return time.Now().UTC().Format("20060102-150405-") + hex.EncodeToString(b[:])
}
