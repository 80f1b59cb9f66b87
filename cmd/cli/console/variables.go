package console

// The environment variables of golem whose values are secrets of a batch on many machines.
const (
	JoinVariable  = "GOLEM_JOIN"        // the token of a batch
	QueueVariable = "GOLEM_QUEUE_TOKEN" // the token of the server
)
