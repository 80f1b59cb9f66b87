// Copies files of this computer into the page: a folder or files, picked or dropped, with
// progress and a button to stop.
import { signal } from '@preact/signals'
import * as store from './store.js'
import { visible } from './diff.jsx'
import { askYes } from './ask.jsx'
import { count } from './usage.js'

/** The copying that is in progress: {what, done, total, stop}, or null. */
const work = signal(null)

export function Progress() {
  const w = work.value
  if (!w) return null
  return (
    <p class="row note" role="status">
      <span class="grow">{w.what}: {w.total > 0 ? `${w.done} of ${w.total} files` : count(w.done, 'file')}</span>
      <progress max={w.total || undefined} value={w.total ? w.done : undefined} aria-label={w.what} />
      <button class="button small" onClick={w.stop}>Cancel</button>
    </p>
  )
}

/** Runs doing, which copies files, and shows its progress. doing gets an AbortSignal and a function to call with the number of files that are done. */
async function counted(what, total, doing) {
  const end = new AbortController()
  const mine = { what, done: 0, total, stop: () => end.abort() }
  work.value = mine
  try {
    return await doing(end.signal, (done) => (work.value = { ...mine, done }))
  } finally {
    work.value = null
  }
}

/** The files that are left out, as from a zip: git's, golem's own state, and files with keys. */
const left = /^(\.git|\.golem)(\/|$)|(^|\/)\.env(\.[^/]*)?$/i

/** The exception for a new project: its repository. core/workspace leaves out the files of .git that start programs. */
const repository = /^\.git\//

const stopped = () => Object.assign(new Error('it was stopped; nothing was made'), { stopped: true })

/** Makes a project from picked files {path, file}. If the person stops it, nothing is made. */
export async function project(name, picked) {
  const files = picked.filter((f) => !left.test(f.path) || repository.test(f.path))
  await counted(`copying ${visible(name)}`, files.length, async (signal, tell) => {
    const all = {}
    for (let i = 0; i < files.length; i += 64) {
      if (signal.aborted) throw stopped()
      const some = files.slice(i, i + 64)
      const data = await Promise.all(some.map((f) => f.file.arrayBuffer()))
      some.forEach((f, n) => (all[f.path] = new Uint8Array(data[n])))
    }
    await store.golem.create(name, all, { signal, progress: tell }).catch((e) => {
      throw signal.aborted ? stopped() : e
    })
  })
}

/** Returns the number of entries in a zip, as its end record says; 0 if that is not the last 22 bytes. */
function entries(zip) {
  const end = zip.length < 22 ? null : new DataView(zip.buffer, zip.byteOffset + zip.length - 22)
  return end?.getUint32(0, true) === 0x06054b50 ? end.getUint16(10, true) : 0
}

/** Makes a project from a zip. If the person stops it, nothing is made. */
export const zipped = (name, zip) => counted(`copying ${visible(name)}`, entries(zip), (signal, tell) => store.golem.importZip(name, zip, { repository: true, signal, progress: tell }).catch((e) => {
  throw signal.aborted ? stopped() : e
}))

/** Copies files {path, file} into the open project. One question asks whether all existing files may be replaced. */
export async function add(picked) {
  picked = picked.filter((f) => !/(^|\/)\.git(\/|$)/i.test(f.path))
  await store.listFiles()
  const there = new Set(store.files.value.map((f) => f.path))
  const doubles = picked.filter((f) => there.has(f.path))
  const some = doubles.slice(0, 5).map((f) => visible(f.path)).join(', ') + (doubles.length > 5 ? ` and ${doubles.length - 5} more` : '')
  const yes = !doubles.length || (await askYes(doubles.length === 1 ? `Replace ${visible(doubles[0].path)}?` : `Replace ${doubles.length} files?`, doubles.length === 1 ? 'The project has a file of this name.' : `The project has ${some}.`, 'Replace', true))
  const files = yes ? picked : picked.filter((f) => !there.has(f.path))
  if (!files.length) return
  const target = store.golem.files(store.project.value)
  try {
    await counted('copying', files.length, async (signal, tell) => {
      for (const [i, f] of files.entries()) {
        if (signal.aborted) throw new Error(`it was stopped after ${i} of ${files.length} files`)
        await target.write(f.path, new Uint8Array(await f.file.arrayBuffer()))
        tell(i + 1)
      }
    })
  } finally {
    await Promise.all([store.listFiles(), store.inspect()])
  }
}

/** Returns the files of an input element as {path, file}: the path below a picked folder, or the name. */
export const picked = (input) => [...input.files].map((file) => ({ path: file.webkitRelativePath ? file.webkitRelativePath.split('/').slice(1).join('/') : file.name, file }))

/** Resolves to the files that were dropped, with all files in dropped folders, as {path, file}. */
export async function dropped(transfer) {
  const out = []
  const roots = [...transfer.items].map((i) => i.webkitGetAsEntry?.()).filter(Boolean)
  if (!roots.length) return [...transfer.files].map((file) => ({ path: file.name, file }))
  const walk = async (entry) => {
    const path = entry.fullPath.replace(/^\/+/, '')
    if (entry.isFile) return void out.push({ path, file: await new Promise((ok, no) => entry.file(ok, no)) })
    const reader = entry.createReader()
    for (;;) { // readEntries returns at most about a hundred entries
      const some = await new Promise((ok, no) => reader.readEntries(ok, no))
      if (!some.length) return
      for (const e of some) await walk(e)
    }
  }
  for (const e of roots) await walk(e)
  return out.filter((f) => !left.test(f.path))
}
