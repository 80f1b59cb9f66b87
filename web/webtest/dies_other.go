//go:build !linux

package webtest

import "os/exec"

func diesWithUs(*exec.Cmd) {}
