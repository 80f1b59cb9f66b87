package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// serviceWorker writes sw.js with the digests of all files and a version that is a digest of
// their content, but not those of the documentation.
func serviceWorker() error {
	source, err := os.ReadFile("web/ui/sw.js")
	if err != nil {
		return err
	}
	sums, later, whole := map[string][]string{}, []string{}, sha256.New()
	err = fs.WalkDir(os.DirFS(dist), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) == ".txt" || strings.HasPrefix(name, documentationDir) {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dist, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		if strings.HasPrefix(name, "golem-wazero-") || strings.HasPrefix(name, "repository-") || strings.HasPrefix(name, "javascript-") {
			later = append(later, name)
		}
		fmt.Fprintf(whole, "%s %d\n", name, len(data))
		whole.Write(data)
		sums[name], err = digests(data)
		return err
	})
	if err != nil {
		return err
	}
	out := string(source)
	for word, value := range map[string]any{"= VERSION": hex.EncodeToString(whole.Sum(nil))[:16], "= SUMS": sums, "= LATER": later} {
		data, err := json.Marshal(value)
		if err != nil {
			return err
		}
		out = strings.Replace(out, word, "= "+string(data), 1)
	}
	return write("sw.js", []byte(out))
}

// digests returns the first half of the SHA-256 of a file and, if it is compressed, that of
// what it decompresses to: some servers and sw.js decompress it.
func digests(data []byte) ([]string, error) {
	sum := sha256.Sum256(data)
	out := []string{hex.EncodeToString(sum[:16])}
	if !gzipped(data) {
		return out, nil
	}
	plain, err := unpacked(data)
	sum = sha256.Sum256(plain)
	return append(out, hex.EncodeToString(sum[:16])), err
}
