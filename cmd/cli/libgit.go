package main

import (
	"context"

	"golem/core/workspace"
)

const gitPrefix = "git+"

func (h *host) fetchGit(ctx context.Context, source string) (workspace.Content, workspace.Origin, error) {
	return workspace.Content{}, workspace.Origin{}, usage("%s: not in this version", source).Hinting("clone it and install the directory")
}
