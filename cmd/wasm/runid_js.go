package main

import (
	"crypto/rand"
	"encoding/hex"
	"time"
)

// newRunID names a run: sortable by time, and unlike any other.
func newRunID() string {
	var b [3]byte
	rand.Read(b[:])
	return time.Now().UTC().Format("20060102-150405-") + hex.EncodeToString(b[:])
}
