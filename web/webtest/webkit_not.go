//go:build !webkit

package webtest

import (
	"context"
	"errors"
)

func (b *Browser) startWebKit(string) (func(context.Context) (tab, error), error) {
	return nil, errors.New("built without the tag webkit: run make webkit")
}
