// Reads a folder that a person picked.

/** The files that are left out, as from a zip: git's, golem's own state, and files with keys. */
const left = /^(\.git|\.golem)(\/|$)|(^|\/)\.env(\.[^/]*)?$/i

/** Resolves to the contents of the picked files, by their paths below the folder top. */
export async function filesOf(picked, top) {
  const files = {}
  for (const f of picked) {
    const path = f.webkitRelativePath.slice(top.length + 1)
    if (!left.test(path)) files[path] = new Uint8Array(await f.arrayBuffer())
  }
  return files
}
