package tool

// Limits of one call of a module, in bytes (SPEC §6). Usual… are the defaults, Most…
// the largest values that a person can allow.
const (
	UsualMemory   = 64 << 20
	UsualOutput   = 1 << 20
	UsualRequest  = 4 << 20 // the body of an HTTP request
	UsualResponse = 8 << 20 // the body of its response
	MostMemory    = 1 << 30
	UsualTotal    = 1 << 30 // of all modules that run at the same time
	MostOutput    = 32 << 20
	MostRequest   = 32 << 20
	MostResponse  = 32 << 20
)
