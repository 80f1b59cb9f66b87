package wasmtool

// FetchWith sets the fetcher of the library of b's module, for tests.
func FetchWith(b *Bound, f Fetcher) { b.Module.library.Fetch = f }
