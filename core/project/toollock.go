package project

import (
	"maps"

	"golem/core/config"
	"golem/core/fault"
)

// lockFile returns what tools.lock says; its digests are nil if there is no such file. It
// reads the file once.
func (ms *Modules) lockFile() config.ToolLock {
	ms.readLock.Do(func() {
		l := Location{Name: config.ToolLockFile}
		if !ms.trees.Exists(l) {
			return
		}
		data, f := ms.trees.read(l, config.MaxFile)
		if f != nil {
			ms.lock = config.ToolLock{Digests: map[string]string{}, Faults: fault.List{f}} // even a broken lock locks
		} else {
			ms.lock = config.ReadToolLock(data)
		}
	})
	return ms.lock
}

// Lock returns what tools.lock says: the digest of each module by its path, and the
// address it was fetched from; nil if there is no such file. Faults are those of the file.
func (ms *Modules) Lock() (digests, from map[string]string, faults fault.List) {
	lock := ms.lockFile()
	return maps.Clone(lock.Digests), maps.Clone(lock.From), lock.Faults
}
