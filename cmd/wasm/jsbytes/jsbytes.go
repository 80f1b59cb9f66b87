// Package jsbytes carries bytes and promises across the border between Go and
// JavaScript, for the programs that run in workers of the page. It is empty
// outside js/wasm.
package jsbytes
