package state

import (
	"errors"
	"testing"
)

// An error of get, such as a full disk, does not prevent later calls from getting the key.
func TestRememberForgetsErrors(t *testing.T) {
	calls := 0
	key := Remember(func() ([]byte, error) {
		if calls++; calls == 1 {
			return nil, errors.New("full")
		}
		return []byte("k"), nil
	})
	if _, err := key(); err == nil {
		t.Error("the error is lost")
	}
	for range 2 {
		if got, err := key(); string(got) != "k" || err != nil {
			t.Error(got, err)
		}
	}
	if calls != 2 {
		t.Error(calls)
	}
}
