package project

// The tables below have what SPEC names and this version does not have yet, with what
// there is in its place. Such a key is refused as one of a later version: for an unknown
// key, golem would name the known one with the nearest letters.

// laterWorkerKeys are keys of a worker file.
var laterWorkerKeys = map[string]string{
	"hardened":     "remove it; a custom tool can do the work without a model: allow the tool instead of the worker",
	"context":      `remove it; {{ file("AGENTS.md") }} in the instructions inserts a file of prompts/ or templates/`,
	"server_tools": "write toolsets: {web: {}} for web_search and web_fetch, which golem itself runs",
}

// laterToolsets are toolsets by name.
var laterToolsets = map[string]string{
	"skills": "toolsets: {filesystem: {}} lets a worker read the files of a skill; name them in its instructions",
}
