package main

import (
	"errors"
	"fmt"
	"os"
)

// ringThere says why there can be no keyring. Without the session's bus the keyring's
// library would start one.
func ringThere() error {
	if os.Getenv("DBUS_SESSION_BUS_ADDRESS") != "" {
		return nil
	}
	if _, err := os.Stat(fmt.Sprintf("/run/user/%d/bus", os.Getuid())); err == nil {
		return nil
	}
	return errors.New("this session has no D-Bus")
}
