package wazeroengine

// unwind ends a call from inside a host function. wazero has no other way out
// of a running module than a panic, which it recovers: a host function cannot
// return an error, and closing the module does not stop it. The fault stands
// in the instance; what is thrown only carries the way. errUnwound itself is no
// fault: proc_exit ends a call so.
//
// This is the one panic outside tests (core/arch_style_test.go).
func unwind(i *instance, err error) {
	if i.fault == nil && err != errUnwound {
		i.fault = err
	}
	panic(errUnwound)
}
