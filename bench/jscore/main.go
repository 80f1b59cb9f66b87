// Command jscore links the whole core and runs a project in memory on the script model: it
// reads, calls a child worker and writes, all through approval and sandbox. `make check`
// builds it for js/wasm, compares its size with the budget, and runs it in Node, where it
// must print one line.
package main

import (
	"context"
	"embed"
	"fmt"
	"io/fs"

	"golem/core"
	"golem/core/options"
	"golem/core/run"
	"golem/core/ui"
)

//go:embed project
var files embed.FS

func main() {
	answer, err := ask()
	if err != nil {
		fmt.Println("jscore:", err)
		return
	}
	fmt.Println(answer)
}

func ask() (string, error) {
	project, err := fs.Sub(files, "project")
	if err != nil {
		return "", err
	}
	golem, err := core.Open(
		core.Platform{
			Name: "browser", Version: "jscore",
		},
		core.Options{Files: project, Name: "jscore", Opening: options.Opening{Sandbox: options.Memory}},
	)
	if err != nil {
		return "", err
	}
	res := golem.Run(context.Background(), run.Input{Text: "Go"}, &ui.Script{}, core.RunOptions{})
	if res.Error != nil {
		return "", res.Error
	}
	return res.Output.Text, nil
}
