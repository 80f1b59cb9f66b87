package run

import (
	"context"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"golem/core/fault"
)

// A call that waits for its turn when the time of its worker ends has E_TIMEOUT, and not
// E_INTERRUPTED.
func TestWaitingKeepsTheCause(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(fault.New(fault.Timeout, "worker main ran longer than 1s"))
	s := newSchedule()
	if err := s.open(ctx); !errors.Is(err, fault.Timeout) {
		t.Errorf("open: %v", err)
	}
	if _, err := s.enter(ctx, false); !errors.Is(err, fault.Timeout) {
		t.Errorf("enter: %v", err)
	}
	if _, err := s.enter(ctx, true); !errors.Is(err, fault.Timeout) {
		t.Errorf("enter alone: %v", err)
	}
}

// read_result returns whole characters, whatever offset a model asks for.
func TestPagesAreText(t *testing.T) {
	text := strings.Repeat("aé€😀", 200)
	for offset := range len(text) {
		if p := page("0.1", text, offset, 200); !utf8.ValidString(p) {
			t.Fatalf("the page at %d is not UTF-8: %q", offset, p)
		}
	}
}

// A value whose opening panicked is not there for ever after.
func TestPanicLeavesNoEmptyValue(t *testing.T) {
	var o onces[*int]
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic is lost")
			}
		}()
		_, _ = o.get(t.Context(), "k", true, func() (*int, error) { panic("defect") })
	}()
	if v, err := o.get(t.Context(), "k", true, func() (*int, error) { return new(int), nil }); v == nil || err != nil {
		t.Errorf("%v, %v", v, err)
	}
}
