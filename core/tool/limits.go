package tool

// Limits in bytes of what one call of a module uses: what holds where nobody says
// otherwise, and the most that a person can allow (SPEC §6).
const (
	UsualMemory   = 64 << 20
	UsualOutput   = 1 << 20
	UsualRequest  = 4 << 20 // the body of an HTTP request
	UsualResponse = 8 << 20 // the body of its response
	MostMemory    = 1 << 30
	MostOutput    = 32 << 20
	MostRequest   = 32 << 20
	MostResponse  = 32 << 20
)
