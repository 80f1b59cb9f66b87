// Unsaved texts of files, by project and path, each with the text of the file when editing
// began. They are kept in the browser's storage, so that they survive a reload and a restart;
// where that has no room, the browser asks before the page is left.
import { effect, signal } from '@preact/signals'
import * as store from './store.js'

const place = 'golem.unsaved.'

/** key → {text, base} */
export const drafts = signal(read())

export const keyOf = (path) => `${store.project.value}\n${path}`

const unkept = new Set() // keys of texts for which the storage had no room
const waiting = new Map() // the timers of texts that are not stored yet

function read() {
  const found = new Map()
  try {
    for (const name of Object.keys(localStorage)) {
      if (!name.startsWith(place)) continue
      const { text, base } = JSON.parse(localStorage.getItem(name))
      if (typeof text === 'string') found.set(name.slice(place.length), { text, base })
    }
  } catch {
    // a browser without storage, or a value that is not golem's
  }
  return found
}

/** Stores the draft of a key, or removes it from the storage. */
function saveDraft(key) {
  clearTimeout(waiting.get(key))
  waiting.delete(key)
  const draft = drafts.peek().get(key)
  try {
    if (draft) localStorage.setItem(place + key, JSON.stringify(draft))
    else localStorage.removeItem(place + key)
    unkept.delete(key)
  } catch {
    try {
      localStorage.removeItem(place + key) // an older text is not the one that was written
    } catch {
      // a browser without storage
    }
    unkept.add(key)
  }
}

const keepAll = () => { for (const key of [...waiting.keys()]) saveDraft(key) }

addEventListener('pagehide', keepAll)
addEventListener('beforeunload', (e) => {
  keepAll()
  if (unkept.size) e.preventDefault()
})

effect(() => {
  const of = `${store.gone.value?.name}\n`
  for (const key of drafts.peek().keys()) if (key.startsWith(of)) put(key, null)
})

/** Moves the texts of a project that was renamed. */
export function move(name, to) {
  for (const [key, draft] of drafts.peek()) {
    if (!key.startsWith(`${name}\n`)) continue
    put(`${to}${key.slice(name.length)}`, draft)
    put(key, null)
  }
}

/** The faults of the open project with the texts that are not saved; null if there are none, or they were not checked yet. */
export const ahead = signal(null)

let asked = 0
const checked = /\.(worker|ya?ml|json|md|txt|jinja2?|j2)$/

effect(() => { // a moment after the person typed
  const of = `${store.project.value}\n`
  const mine = [...drafts.value].filter(([key]) => key.startsWith(of) && checked.test(key))
  const turn = ++asked
  if (!mine.length) {
    ahead.value = null
    return undefined
  }
  const timer = setTimeout(() => {
    const unsaved = Object.fromEntries(mine.map(([key, { text }]) => [key.slice(of.length), text]))
    store.golem.check(store.project.peek(), { ...store.options(), prompts: undefined, unsaved }).then((faults) => { if (turn === asked) ahead.value = faults }, () => {})
  }, 500)
  return () => clearTimeout(timer)
})

/** Keeps a draft; without one, removes the draft of that key. */
export function put(key, draft) {
  const next = new Map(drafts.peek())
  if (draft) next.set(key, draft)
  else next.delete(key)
  drafts.value = next
  clearTimeout(waiting.get(key))
  if (draft) waiting.set(key, setTimeout(saveDraft, 400, key))
  else saveDraft(key)
}
