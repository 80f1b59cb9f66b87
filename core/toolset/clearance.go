package toolset

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"strings"
	"sync"

	"golem/core/clearance"
	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/tool"
)

// Desk decides on the staged changes of a run.
type Desk interface {
	// Stage makes an item of the files.
	Stage(ctx context.Context, files []clearance.File, message, target string) (clearance.Item, error)
	// Show returns what a push of an item would write: the digest of the snapshot, and the
	// diff.
	Show(item, target string) (digest, diff string, err error)
	// Decide carries out a person's decision: action is "push", "discard" or "defer".
	Decide(ctx context.Context, action, item string, how clearance.Push) (clearance.Item, error)
}

// Clearance returns the factory of the tool stage, which takes a snapshot of files for a
// person, and of the manual tools push, discard and defer, which no model can call (SPEC §9).
// Without a desk, which golem check does not have, the tools return E_PLATFORM.
func Clearance(d Desk) Factory {
	return Factory{Name: "clearance", Open: func(_ context.Context, env Env, _ any) (tool.Toolset, error) {
		s := &stager{files: files{fs: env.Files}, desk: d}
		stage := &fsTool[stageArgs]{spec: tool.Spec{
			Name: "stage", Risk: tool.Write, Toolset: "clearance", Provider: "builtin", Input: schemaOf(reflect.TypeFor[stageArgs]()),
			Description:   "Stage files for a person, who decides whether they are pushed. The files stay as they are; the result has the id of the snapshot.",
			NeedsApproval: func(json.RawMessage) bool { return false },
		}, run: s.stage, preview: s.preview}
		p := &pusher{desk: d}
		return Tools{
			stage,
			manual("push", "Writes a staged item to its place or to a target.", p.push, p.preview),
			manual("discard", "Gives a staged item up.", func(ctx context.Context, _ string, in itemArgs) (tool.Output, error) {
				return decide(ctx, d, "discard", in.Item, clearance.Push{})
			}, nothingShown),
			manual("defer", "Keeps a staged item for later and announces it no more.", func(ctx context.Context, _ string, in itemArgs) (tool.Output, error) {
				return decide(ctx, d, "defer", in.Item, clearance.Push{})
			}, nothingShown),
		}, nil
	}}
}

type stageArgs struct {
	Paths   []string `json:"paths" jsonschema:"files and directories in the sandbox, like /out/report.md"`
	Message string   `json:"message" jsonschema:"what the change is, in one line"`
	Target  string   `json:"target,omitempty" jsonschema:"a target that the project names; otherwise the files' own place"`
}

type itemArgs struct {
	Item string `json:"item" jsonschema:"the number of the item"`
}

type pushArgs struct {
	itemArgs
	Target      string   `json:"target,omitempty" jsonschema:"a target that the project names; otherwise the item's own"`
	Definitions []string `json:"definitions,omitempty" jsonschema:"files that define the project and are to be written too"`
}

// manual returns a tool that only a person can call.
func manual[In any](name, description string, run func(context.Context, string, In) (tool.Output, error), preview use[In]) tool.Tool {
	return &fsTool[In]{spec: tool.Spec{
		Name: name, Description: description, Risk: tool.Write, Exec: tool.ExecManual, Toolset: "clearance", Provider: "builtin", Input: schemaOf(reflect.TypeFor[In]()),
	}, run: run, preview: preview}
}

func nothingShown(string, *itemArgs) (tool.Preview, error) { return tool.Preview{}, nil }

// pusher is the tool push of one worker. It pushes only the snapshot that the preview showed.
type pusher struct {
	desk  Desk
	shown sync.Map // digests of snapshots, by call id
}

// preview shows the diff of the item. If it cannot be shown, push passes a digest that does
// not match, so that nothing is pushed.
func (p *pusher) preview(id string, in *pushArgs) (out tool.Preview, err error) {
	digest := "not shown"
	if p.desk != nil {
		var shown string
		if shown, out.Diff, err = p.desk.Show(in.Item, in.Target); err == nil {
			digest = shown
		}
	}
	p.shown.Store(id, digest)
	return out, nil
}

func (p *pusher) push(ctx context.Context, id string, in pushArgs) (tool.Output, error) {
	how := clearance.Push{Target: in.Target, Definitions: in.Definitions, Digest: "not shown"}
	if digest, ok := p.shown.LoadAndDelete(id); ok {
		how.Digest = digest.(string)
	}
	return decide(ctx, p.desk, "push", in.Item, how)
}

func decide(ctx context.Context, d Desk, action, item string, how clearance.Push) (tool.Output, error) {
	if d == nil {
		return tool.Output{}, errNoDesk
	}
	it, err := d.Decide(ctx, action, item, how)
	if err != nil {
		return tool.Output{}, err
	}
	return tool.Text("%s: item %s %s", it.State, it.ID, it.Message), nil
}

var errNoDesk = fault.New(fault.Platform, "golem cannot keep staged changes here").
	Hinting("run it where .golem can be written and GOLEM_HOME is set")

// stager is the tool stage of one worker.
type stager struct {
	files files
	desk  Desk
}

// preview makes the paths canonical. A path that does not exist is an error.
func (s *stager) preview(_ string, in *stageArgs) (tool.Preview, error) {
	var p tool.Preview
	if len(in.Paths) == 0 || strings.TrimSpace(in.Message) == "" {
		return p, fault.New(fault.ToolInput, "stage needs at least one path, and a message").Hinting("say in the message what the change is")
	}
	in.Paths = slices.Clone(in.Paths) // the call's arguments may have the same list
	for n := range in.Paths {
		one, err := s.files.readingAll(&in.Paths[n])
		if err == nil {
			_, err = fs.Stat(s.files.fs, nameOf(in.Paths[n]))
		}
		if err != nil {
			return p, explain(err)
		}
		p.Paths = append(p.Paths, one.Paths...)
	}
	return p, nil
}

func (s *stager) stage(ctx context.Context, _ string, in stageArgs) (tool.Output, error) {
	if s.desk == nil {
		return tool.Output{}, errNoDesk
	}
	seen := map[string]bool{}
	var found []clearance.File
	for _, at := range in.Paths {
		err := fs.WalkDir(s.files.fs, nameOf(at), func(name string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || seen[name] {
				return err
			}
			if seen[name] = true; len(seen) > maxStagedFiles {
				return fault.New(fault.Limit, "%s has more than %d files", at, maxStagedFiles).Hinting("name fewer files, or a smaller directory")
			}
			place, err := sandbox.PlaceOf(s.files.fs, name)
			found = append(found, clearance.File{Source: place.Source, Path: place.Path, Staged: place.Staged, Read: func() ([]byte, error) {
				return fs.ReadFile(s.files.fs, name)
			}})
			return err
		})
		if err != nil {
			return tool.Output{}, explain(err)
		}
	}
	if len(found) == 0 {
		return tool.Output{}, fault.New(fault.NotFound, "there is no file in %s", strings.Join(in.Paths, ", ")).Hinting("write the files first")
	}
	it, err := s.desk.Stage(ctx, found, in.Message, in.Target)
	if err != nil {
		return tool.Output{}, explain(err)
	}
	return tool.JSON(struct {
		Staged   bool   `json:"staged"`
		CommitID string `json:"commitId"`
	}{true, it.ID}, fmt.Sprintf("staged %d file(s) as item %s", len(it.Changes), it.ID))
}

// maxStagedFiles is how many files the tool stage puts into one item at most.
const maxStagedFiles = 10_000
