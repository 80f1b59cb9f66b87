package wazeroengine

// unwind ends a call from inside a host function. wazero has no other way out of a
// running module than a panic, which it recovers: a host function cannot return an
// error, and closing the module does not stop it. The error is stored in the instance;
// the value of the panic means nothing. If err is errUnwound, there is no fault:
// proc_exit ends a call in this way.
//
// This is the one panic outside tests (core/arch_style_test.go).
func unwind(i *instance, err error) {
	if i.fault == nil && err != errUnwound {
		i.fault = err
	}
	panic(errUnwound)
}
