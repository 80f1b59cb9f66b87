package core_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"golem/core"
	"golem/core/coretest"
)

// Uses lists what the calls of a tool may call: for a worker's tool the worker, for worker_call
// every allowed worker, and for a module that imports golem_call everything that its worker may
// call, except tools that only a person can start (S3-15, S4-04).
func TestToolsTellWhatTheyCanCall(t *testing.T) {
	bare, err := coretest.Fixture("bare", false)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		"tools/manual.wasm":       string(bare),
		"main.worker":             "---\nallow_workers: [helper]\ntoolsets: {filesystem: {}, workers: {style: both}}\n---\nM.\n",
		"workers/helper.worker":   "---\ndescription: Helps.\n---\nH.\n",
		"tools/manual.tools.yaml": "tools:\n  - {name: by_hand, exec: manual}\n",
	}
	w := newWorkshop(t, files, map[string]string{"tools/p.wasm": "pipeline", "tools/mul.wasm": "mul"})
	inst := w.open(t, core.Options{})
	main, err := inst.Project().Workers.Find("main")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range inst.Tools(t.Context(), main) {
		if s.Toolset != "filesystem" {
			got = append(got, fmt.Sprint(s.Name, " ", s.Uses))
		}
	}
	const files10 = "read_file list_files search_files file_info file_exists write_file edit_file move_file make_directory delete_file"
	want := []string{
		"by_hand []", "mul []",
		"pipeline [mul forward " + files10 + " helper worker_call]",
		"forward [mul pipeline " + files10 + " helper worker_call]",
		"helper [helper]", "worker_call [helper]",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the tools can call others (-want +got; files10 has the tools of the toolset filesystem):\n%s", cmp.Diff(want, got))
	}
	if w.made.Load() != 0 {
		t.Error("an engine was made to tell it")
	}
}
