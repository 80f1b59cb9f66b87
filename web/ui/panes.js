// What is seen of the Run view: which of its panes, and its menu.
import { signal } from '@preact/signals'

export const side = signal('talk') // on a phone one of the two is seen: talk or beside
export const beside = signal('calls') // calls or history
export const menu = signal(false)

const actions = signal([])
import('./actions.js').then((m) => (actions.value = m.actions), () => {}) // they are titles: without them the page works

/** What an action does, in the words of core/ui; undefined until they are loaded. */
export const helpOf = (name) => actions.value.find((a) => a.name === name)?.help
