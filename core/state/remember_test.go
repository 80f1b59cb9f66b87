package state

import (
	"errors"
	"testing"
)

// A disk that was full for a moment does not take the key away from the whole run.
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
