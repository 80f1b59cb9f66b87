// Package workspace works on projects as trees of files that no worker sees,
// over afero, so that the same code runs on a disk, in memory and in OPFS: zip
// in and out (SPEC §13); making a project from a template and installing
// libraries have their place here (SPEC §4, §12).
package workspace
