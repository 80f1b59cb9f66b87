package disk

// OpenNonblock is 0: Windows has no FIFOs in the file system.
const OpenNonblock = 0
