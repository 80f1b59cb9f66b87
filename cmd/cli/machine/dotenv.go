package machine

import (
	"bytes"
	"errors"
	"io/fs"

	"github.com/joho/godotenv"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/trace"
)

// maxDotenv is the size limit of .env, in bytes.
const maxDotenv = 64 << 10

// dotenvKeys reads the provider keys from .env in the project root. It ignores every
// other variable, so that a cloned project cannot set endpoints or golem's own
// settings.
func dotenvKeys(files sandbox.FS) (map[string]string, error) {
	info, err := fs.Stat(files, ".env")
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.IsDir() {
		return nil, nil // a directory with that name is not golem's
	}
	data, err := sandbox.ReadFile(files, ".env", maxDotenv)
	if err != nil {
		return nil, fault.New(fault.Config, ".env cannot be read: %w", err).At(".env", 0, 0).
			Hinting("it must be a small regular file of NAME=value lines")
	}
	all, err := godotenv.UnmarshalBytes(data)
	if err != nil {
		// The parser's message quotes the file, which contains secrets, so it is not
		// shown.
		return nil, fault.New(fault.Config, "the file is not a list of NAME=value lines").At(".env", badLine(data), 0).Hinting("write one NAME=value per line; # begins a comment")
	}
	keys := map[string]string{}
	for name, value := range all {
		if trace.KeyVariable(name) && value != "" {
			keys[name] = value
		}
	}
	return keys, nil
}

// mostLines is the most lines that a value in quotes may have for badLine.
const mostLines = 64

// badLine returns the number of the first line that does not begin a valid NAME=value,
// from 1. A value in quotes may span several lines.
func badLine(data []byte) int {
	lines, begin := bytes.Split(data, []byte("\n")), 0
	for end := 1; end <= len(lines) && end-begin <= mostLines; end++ {
		if _, err := godotenv.UnmarshalBytes(append(bytes.Join(lines[begin:end], []byte("\n")), '\n')); err == nil {
			begin = end
		}
	}
	return begin + 1
}
