package config

import (
	"time"

	"golem/core/money"
	"golem/core/yamltree"
)

// Without returns a mapping, or nil, without some keys.
func Without(n *yamltree.Node, keys ...string) *yamltree.Node {
	for _, key := range keys {
		if n.Get(key) != nil {
			n = n.With(key, nil)
		}
	}
	return n
}

// ReadLimits returns the limits of a checked mapping, with the default of each that it does
// not have; nil has none.
func ReadLimits(n *yamltree.Node) Limits {
	l := Limits{
		Turns: n.Get("turns").Count(200), Tokens: n.Get("tokens").Count(0),
		ToolTimeout: 30 * time.Second, WorkerTimeout: 10 * time.Minute, ModelTimeout: 2 * time.Minute, ToolOutput: 50_000,
	}
	for key, target := range map[string]*time.Duration{
		"tool_timeout": &l.ToolTimeout, "worker_timeout": &l.WorkerTimeout, "model_timeout": &l.ModelTimeout,
	} {
		if v := n.Get(key); v != nil {
			*target, _ = v.Duration()
		}
	}
	l.Cost = dollars(n.Get("cost"), 0)
	if v := n.Get("tool_output"); v != nil {
		l.ToolOutput, _ = v.Size()
	}
	return l
}

// ReadDelegation does for delegation what ReadLimits does for limits.
func ReadDelegation(n *yamltree.Node) Delegation {
	return Delegation{
		MaxDepth: n.Get("max_depth").Count(5), WarnDepth: n.Get("warn_depth").Count(3),
		Parallel: n.Get("parallel").Count(8), AllowRecursion: n.Get("allow_recursion").Flag(),
	}
}

// ReadAttachments does for attachment_policy what ReadLimits does for limits.
func ReadAttachments(n *yamltree.Node) AttachmentPolicy {
	a := AttachmentPolicy{
		Set:            n != nil,
		MaxAttachments: n.Get("max_attachments").Count(4), MaxTotalBytes: 10_000_000,
		AllowedSuffixes: Suffixes(n.Get("allowed_suffixes")), DeniedSuffixes: Suffixes(n.Get("denied_suffixes")),
	}
	if v := n.Get("max_total_bytes"); v != nil {
		a.MaxTotalBytes, _ = v.Size()
	}
	return a
}

// AttachmentPolicy bounds what may be attached to a call (SPEC §5).
type AttachmentPolicy struct {
	Set             bool  // a file says attachment_policy
	MaxAttachments  int   // default 4
	MaxTotalBytes   int64 // default 10 MB (10,000,000)
	AllowedSuffixes []string
	DeniedSuffixes  []string
}

// Limits bound a run of a worker together with the workers that it calls. A zero
// duration, zero Tokens and zero Cost mean no limit.
type Limits struct {
	Turns         int // default 200
	ToolTimeout   time.Duration
	WorkerTimeout time.Duration
	ModelTimeout  time.Duration
	Tokens        int
	ToolOutput    int64 // bytes
	Cost          money.USD
	// OwnCost is the limit that a person sets, in their configuration or for the run;
	// if it is set, Cost is never above it. Prices that only the project gives do not
	// count for it.
	OwnCost money.USD
}

// Retry is the model retry policy. Attempts counts the first one; default 3.
type Retry struct {
	Attempts int
}

// Delegation bounds calls of workers by workers (S0-07, S0-08).
type Delegation struct {
	MaxDepth       int // deepest permitted depth, root 0; default 5
	WarnDepth      int // default 3
	Parallel       int // default 8
	AllowRecursion bool
}
