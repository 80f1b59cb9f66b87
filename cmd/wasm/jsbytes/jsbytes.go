// Package jsbytes converts bytes between Go and JavaScript and waits for promises, for the
// Go programs that run in the page's web workers. It is empty outside js/wasm.
package jsbytes
