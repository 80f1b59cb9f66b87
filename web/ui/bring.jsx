// Files of this computer come into the page: a folder or files, picked or
// dropped, many at once, with progress and a way to stop.
import { signal } from '@preact/signals'
import * as store from './store.js'
import { visible } from './diff.jsx'
import { askYes } from './ask.jsx'
import { count } from './usage.js'

/** What is being copied: {what, done, total, stop}, or null. */
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

/** Runs what copies files; it gets a signal and tells how many are done. */
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

/** What is left out, as from a zip: git's, golem's own state, keys. */
const left = /^(\.git|\.golem)(\/|$)|(^|\/)\.env(\.[^/]*)?$/i

/** What a new project is given nevertheless: its repository, of which core/workspace keeps what runs nothing. */
const repository = /^\.git\//

const stopped = () => Object.assign(new Error('it was stopped; nothing was made'), { stopped: true })

/** A new project of picked files {path, file}; nothing is made if it is stopped. */
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

/** How many entries a zip says that it has; 0 if it does not say so at its end. */
function entries(zip) {
  const end = zip.length < 22 ? null : new DataView(zip.buffer, zip.byteOffset + zip.length - 22)
  return end?.getUint32(0, true) === 0x06054b50 ? end.getUint16(10, true) : 0
}

/** A new project of a zip; nothing is made if it is stopped. */
export const zipped = (name, zip) => counted(`copying ${visible(name)}`, entries(zip), (signal, tell) => store.golem.importZip(name, zip, { repository: true, signal, progress: tell }).catch((e) => {
  throw signal.aborted ? stopped() : e
}))

/** Files {path, file} into the open project. What is there is replaced after a yes, for all of them at once. */
export async function add(picked) {
  picked = picked.filter((f) => !/(^|\/)\.git(\/|$)/i.test(f.path))
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

/** The files of an input, by their paths below a picked folder or by their names. */
export const picked = (input) => [...input.files].map((file) => ({ path: file.webkitRelativePath ? file.webkitRelativePath.split('/').slice(1).join('/') : file.name, file }))

/** The files that were dropped, folders with all in them: {path, file}. */
export async function dropped(transfer) {
  const out = []
  const roots = [...transfer.items].map((i) => i.webkitGetAsEntry?.()).filter(Boolean)
  if (!roots.length) return [...transfer.files].map((file) => ({ path: file.name, file }))
  const walk = async (entry) => {
    const path = entry.fullPath.replace(/^\/+/, '')
    if (entry.isFile) return void out.push({ path, file: await new Promise((ok, no) => entry.file(ok, no)) })
    const reader = entry.createReader()
    for (;;) { // it gives a hundred at a time
      const some = await new Promise((ok, no) => reader.readEntries(ok, no))
      if (!some.length) return
      for (const e of some) await walk(e)
    }
  }
  for (const e of roots) await walk(e)
  return out.filter((f) => !left.test(f.path))
}
