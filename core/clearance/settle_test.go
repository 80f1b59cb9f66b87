package clearance_test

import (
	"context"
	"strings"
	"testing"

	"golem/core/clearance"
)

// The item of the tool stage stays if another golem settles meanwhile, sees the item
// open and tries its lock just after the item is complete.
func TestSettleBesideStage(t *testing.T) {
	d := newDisk(before)
	s, other := d.store(), d.store()
	shared := *s.State
	looked, made, settled := make(chan struct{}), make(chan struct{}), make(chan error)
	shared.Host = locking{s.State.Host, func(ctx context.Context, name string) (func(), error) {
		if strings.HasPrefix(name, "clearance-") {
			close(looked)
			<-made
		}
		return s.State.Host.Lock(ctx, name)
	}}
	other.State = &shared
	it, err := d.workOf(s).Commit(context.Background(), []clearance.File{{Source: ".", Path: "a", Read: func() ([]byte, error) {
		go func() { settled <- other.Settle(t.Context()) }()
		<-looked
		return []byte("ONE\n"), nil
	}}}, "Report", "main")
	if err != nil {
		t.Fatal(err)
	}
	close(made)
	if err := <-settled; err != nil {
		t.Fatal(err)
	}
	items := get(t, s)
	if len(items) != 1 || items[0].State != clearance.Pending || items[0].Message != "Report" || items[0].ID != it.ID {
		t.Fatalf("%+v", items)
	}
	if err := push(s, it.ID, clearance.Push{}); err != nil {
		t.Error(err)
	}
}
