// Package workspace is the room for work on projects as trees of files, over
// afero: making one from a template, installing libraries, zip in and out
// (SPEC §4, §12, §13). This version has zip in and out.
package workspace
