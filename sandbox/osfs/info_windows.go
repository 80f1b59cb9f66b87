package osfs

import (
	"io/fs"
	"os"

	win "golang.org/x/sys/windows"
)

// links returns how many names an open file has; 0 means unknown.
func links(_ fs.FileInfo, file *os.File) uint64 {
	var d win.ByHandleFileInformation
	if file == nil || win.GetFileInformationByHandle(win.Handle(file.Fd()), &d) != nil {
		return 0
	}
	return uint64(d.NumberOfLinks)
}
