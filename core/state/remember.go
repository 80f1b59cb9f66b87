package state

import "sync"

// Remember is a key that is got once. An error is not kept: the next call tries again.
// It is safe for concurrent use.
func Remember(get func() ([]byte, error)) func() ([]byte, error) {
	var mu sync.Mutex
	var key []byte
	return func() ([]byte, error) {
		mu.Lock()
		defer mu.Unlock()
		if key != nil {
			return key, nil
		}
		got, err := get()
		if err == nil {
			key = got
		}
		return got, err
	}
}
