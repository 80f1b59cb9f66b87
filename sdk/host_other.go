//go:build !wasip1

package sdk

import "errors"

// Outside golem there is no host. A unit test that calls Call gets an error.

func callBack(string, []byte) ([]byte, error) {
	return nil, errors.New("callbacks work only in golem: build the tool for wasip1")
}

func config(string) (string, bool) { return "", false }

func log(string) {}
