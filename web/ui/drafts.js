// Texts that are not saved, by project and path, each with the text that it began from.
import { signal } from '@preact/signals'
import * as store from './store.js'

/** key → {text, base} */
export const drafts = signal(new Map())

export const keyOf = (path) => `${store.project.value}\n${path}`

addEventListener('beforeunload', (e) => {
  if (drafts.value.size) e.preventDefault()
})

/** Keeps a draft; none removes it. */
export function put(key, draft) {
  const next = new Map(drafts.value)
  if (draft) next.set(key, draft)
  else next.delete(key)
  drafts.value = next
}
