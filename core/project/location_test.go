package project

import "testing"

// A tree that is added as a source is used as the others are: its workers have
// IDs, their prompts and schemas are looked for in it, paths begin with its name
// and "*" leaves them out.
func TestSourcesAreAlike(t *testing.T) {
	p := open(t, demo("-- main.worker --\n---\nallow_workers: '*'\n---\nhi\n-- workers/own.worker --\n---\n---\nown\n-- in.json --\n{\"type\": \"string\"}\n"))
	p.sources = append(p.sources, source{
		name: "far/", label: "far", roots: []string{"workers"}, prompts: "texts",
		fs: tree("-- workers/far/away.worker --\ninput_schema: in.json\n-- texts/far/away.md --\nfar\n-- schemas/in.json --\n{\"$ref\": \"more.json\"}\n" +
			"-- schemas/more.json --\n{\"type\": \"object\"}\n-- workers/own.worker --\n---\n---\ntheirs\n"),
	})
	p.sources[0].needs = []string{"far/"}
	w, err := p.Worker("far/away")
	if err != nil {
		t.Fatal(err)
	}
	if w.File != "far/workers/far/away.worker" || w.Source != "far" || w.Instructions != "far\n" || len(w.Input) == 0 {
		t.Errorf("%+v", w)
	}
	rows, faults := p.List()
	if len(faults) > 0 {
		t.Error(faults)
	}
	for _, row := range rows {
		if row.ID == "own" && (row.Source != "project" || len(row.Shadowed) != 1 || row.Shadowed[0] != "far/workers/own.worker") {
			t.Errorf("%+v", row)
		}
	}
	entry, err := p.Entry()
	if err != nil {
		t.Fatal(err)
	}
	allowed, err := p.Delegates(entry)
	if err != nil || len(allowed) != 1 || allowed[0].File != "workers/own.worker" {
		t.Errorf("'*' allows %v, %v", allowed, err)
	}
}
