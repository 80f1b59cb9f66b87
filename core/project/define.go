package project

import (
	"path"

	"golem/core/config"
	"golem/core/fault"
)

// Definition is a worker file with its place.
type Definition struct {
	Location
	*config.WorkerFile
}

// define reads and checks one worker file, and the prompt file that it may have. Faults do
// not stop it: what could be read is returned with them.
func (ws *Workers) define(l Location) (*Definition, fault.List) {
	data, f := ws.trees.read(l, config.MaxFile)
	if f != nil {
		return nil, fault.List{f}
	}
	id, rooted := ws.trees.TreeOf(l).identity(l.Name)
	text, faults := config.ReadWorkerFile(l.String(), id, rooted, data)
	if text == nil {
		return nil, faults
	}
	d := &Definition{l, text}
	if text.Promptless {
		faults = append(faults, ws.prompt(d)...)
	}
	return d, faults
}

var promptExtensions = []string{".jinja2", ".j2", ".jinja", ".txt", ".md"}

// prompt reads the instructions from a prompt file (S2-60). The file's name is the ID,
// which has no "..", so it is below the prompts root.
func (ws *Workers) prompt(d *Definition) fault.List {
	var tried []string
	for _, ext := range promptExtensions {
		l := d.In(path.Join(ws.trees.TreeOf(d.Location).Prompts, d.ID+ext))
		tried = append(tried, l.String())
		if !ws.trees.Exists(l) {
			continue
		}
		data, text, f := ws.trees.ReadText(l)
		if f != nil {
			return fault.List{f}
		}
		d.SetPrompt(l.String(), text, data)
		return nil
	}
	return fault.List{d.NoPrompt(tried)}
}
