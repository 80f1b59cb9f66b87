//go:build !js && unix

package project

import "syscall"

func mkfifo(name string) error { return syscall.Mkfifo(name, 0o644) }
