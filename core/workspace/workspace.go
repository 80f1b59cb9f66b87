// Package workspace works on whole projects as trees of files, outside any
// worker's sandbox. It uses afero, so that the same code runs on a disk, in
// memory and in OPFS. It creates projects from templates (Init) and packs and
// unpacks zip files (SPEC §12, §13); installing libraries will be added here
// (SPEC §4).
package workspace
