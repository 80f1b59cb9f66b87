package state

// What a Store belongs to is in every MAC of its files, as Store.Project. There are three
// forms, and no text is two of them: a directory is its real path, which is absolute.

// PackIdentity returns the Project of a packed project. It depends on the content only, so
// that the packed file can lie anywhere. digest is that of the index, "sha256:…".
func PackIdentity(digest string) string { return "pack:" + digest }

// ItemIdentity returns the Project of one item of a batch (SPEC §19). Both are names of
// directories, so they have no slash.
func ItemIdentity(batch, item string) string { return "batch:" + batch + "/" + item }
