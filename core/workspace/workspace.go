// Package workspace works on whole projects as trees of files, outside any
// worker's sandbox. It uses afero, so that the same code runs on a disk, in
// memory and in OPFS. It creates projects from templates (Init), packs and
// unpacks zip files and packed projects (SPEC §12, §13), and installs libraries
// (SPEC §4).
package workspace
