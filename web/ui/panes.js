// Which parts of the Run view are shown: its panes and its menu.
import { signal } from '@preact/signals'

export const side = signal('talk') // the pane that a phone shows: talk or beside
export const beside = signal('calls') // the content of the pane beside: calls or history
export const menu = signal(false)
export const undoing = signal('') // what is to be undone of the conversation that is shown: one (its last exchange that wrote), all, redo; '' nothing

const actions = signal([])
import('./actions.js').then((m) => (actions.value = m.actions), () => {}) // they are only titles: the page works without them

/** Returns the help text of an action, as core/ui has it; undefined until actions.js is loaded. */
export const helpOf = (name) => actions.value.find((a) => a.name === name)?.help
