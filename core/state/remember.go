package state

import "sync"

// Remember returns a function that calls get until it succeeds and then returns the same
// key each time. An error is not kept: the next call calls get again. The function is safe
// for concurrent use.
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
