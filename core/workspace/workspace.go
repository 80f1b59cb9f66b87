// Package workspace works on whole projects as trees of files, outside any
// worker's sandbox. It uses afero, so that the same code runs on a disk, in
// memory and in OPFS. Today it packs and unpacks zip files (SPEC §13); creating
// a project from a template and installing libraries will be added here (SPEC
// §4, §12).
package workspace
