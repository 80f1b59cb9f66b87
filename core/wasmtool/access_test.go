package wasmtool

// FetchWith gives the library of a tool another fetcher, for the tests.
func FetchWith(b *Bound, f Fetcher) { b.Module.library.Fetch = f }
