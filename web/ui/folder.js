// A folder that a person picked, as the files of a project or a library.

/** What is left out, as from a zip: git's, golem's own state, keys. */
const left = /^(\.git|\.golem)(\/|$)|(^|\/)\.env(\.[^/]*)?$/i

/** The contents of the picked files by their path below the folder top. */
export async function filesOf(picked, top) {
  const files = {}
  for (const f of picked) {
    const path = f.webkitRelativePath.slice(top.length + 1)
    if (!left.test(path)) files[path] = new Uint8Array(await f.arrayBuffer())
  }
  return files
}
