package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// digestLength is how many hexadecimal digits of the SHA-256 of its content a late file has in
// its name. web/ui/sw.js compares them with the content.
const digestLength = 20

// lateName returns the name of a file with the digest of its content: golem-tool.js becomes
// golem-tool-DIGEST.js. Files that a page loads later have such names, so that a page that is
// open during an update never gets those of another build.
func lateName(name string, data []byte) string {
	stem, ending, _ := strings.Cut(name, ".")
	sum := sha256.Sum256(data)
	return stem + "-" + hex.EncodeToString(sum[:])[:digestLength] + "." + ending
}

// writeLate writes a file to web/dist under its lateName.
func writeLate(name string, data []byte) error { return write(lateName(name, data), data) }

// late returns the definition of LATE in the scripts of golem.js and its worker: the late files
// that were written, by the names without digests, also those of programs without .gz.
func late() (map[string]string, error) {
	digits := strings.Repeat("[0-9a-f]", digestLength)
	names := map[string]string{}
	for _, name := range []string{"golem-tool.js", "golem-provide.js", "golem-wazero.js", "golem-wazero.wasm.gz", "repository.wasm.gz", "javascript.wasm.gz", "javascript-linker.bin.gz"} {
		stem, ending, _ := strings.Cut(name, ".")
		found, err := filepath.Glob(filepath.Join(dist, stem+"-"+digits+"."+ending))
		if err != nil {
			return nil, err
		}
		if len(found) > 1 {
			return nil, fmt.Errorf("%s is there twice: %s", name, strings.Join(found, ", "))
		}
		for _, file := range found {
			names[name] = filepath.Base(file)
			names[strings.TrimSuffix(name, ".gz")] = strings.TrimSuffix(filepath.Base(file), ".gz")
		}
	}
	data, err := json.Marshal(names)
	return map[string]string{"LATE": string(data)}, err
}

var partName = regexp.MustCompile(`part-[0-9A-Z]{8}\.js"`)

// digested writes the files of a bundle. It gives each part, whose name has a short digest of
// esbuild's, its lateName; a part is named after those that it imports.
func digested(files []api.OutputFile) error {
	named := map[string]string{} // the old names, with a quotation mark at the end
	for len(files) > 0 {
		rest := slices.Clone(files)
		for _, f := range files {
			name := filepath.Base(f.Path)
			missing := false
			data := partName.ReplaceAllFunc(f.Contents, func(old []byte) []byte {
				to, ok := named[string(old)]
				missing = missing || !ok
				return []byte(to + `"`)
			})
			if missing {
				continue
			}
			if partName.MatchString(name + `"`) {
				to := lateName("part.js", data)
				named[name+`"`] = to
				name = to
			}
			if err := write(path.Base(name), data); err != nil {
				return err
			}
			rest = slices.DeleteFunc(rest, func(r api.OutputFile) bool { return r.Path == f.Path })
		}
		if len(rest) == len(files) {
			return fmt.Errorf("the parts of the page import each other in a circle: %s", rest[0].Path)
		}
		files = rest
	}
	return nil
}

// gzipped reports whether data is compressed by gzip.
func gzipped(data []byte) bool { return bytes.HasPrefix(data, []byte{0x1f, 0x8b}) }
