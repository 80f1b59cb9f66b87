package main

import "golem/docs/site"

// documentationDir is where the documentation is, below web/dist. Neither the service worker
// nor the copy of the page in the binary has it: golem web makes it of the pages that the
// binary has.
const documentationDir = "docs/"

// documentation makes the pages of the documentation.
func documentation() error {
	files, err := site.Files("../")
	if err != nil {
		return err
	}
	for name, data := range files {
		if err := write(documentationDir+name, data); err != nil {
			return err
		}
	}
	return nil
}
