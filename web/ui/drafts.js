// Unsaved texts of files, by project and path, each with the text of the file when editing began.
import { effect, signal } from '@preact/signals'
import * as store from './store.js'

/** key → {text, base} */
export const drafts = signal(new Map())

export const keyOf = (path) => `${store.project.value}\n${path}`

addEventListener('beforeunload', (e) => {
  if (drafts.value.size) e.preventDefault()
})

effect(() => {
  const of = `${store.gone.value?.name}\n`
  drafts.value = new Map([...drafts.peek()].filter(([key]) => !key.startsWith(of)))
})

/** Keeps a draft; without one, removes the draft of that key. */
export function put(key, draft) {
  const next = new Map(drafts.value)
  if (draft) next.set(key, draft)
  else next.delete(key)
  drafts.value = next
}
