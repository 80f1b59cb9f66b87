// The keyboard shortcuts of the page; keylist.jsx lists them. They do not work while the person types in a field,
// and a setting turns all of them off.
import { signal } from '@preact/signals'
import * as store from './store.js'
import { settings } from './settings.js'

/** Whether the list of shortcuts is shown. */
export const shown = signal(false)

const go = (view) => () => {
  if (store.project.value || ['projects', 'trace', 'settings'].includes(view)) store.view.value = view
}

/** The single keys: [key, what it does, the function]. */
export const map = [
  ['?', 'shows these keys', () => (shown.value = true)],
  ['/', 'goes to the field for the task', () => {
    go('run')()
    requestAnimationFrame(() => document.getElementById('task')?.focus())
  }],
  ['p', 'Projects', go('projects')],
  ['r', 'Run', go('run')],
  ['w', 'Workers', go('workers')],
  ['f', 'Files', go('files')],
  ['g', 'Staged', go('staged')],
  ['b', 'Batches', go('batches')],
  ['t', 'Trace', go('trace')],
  ['s', 'Settings', go('settings')],
  ['n', 'begins a new conversation', () => !store.running.value && store.project.value && store.fresh()],
]

/** Reports whether a key event is not for a shortcut: the person types in a field, or a dialog is open. */
const taken = (e) => e.ctrlKey || e.metaKey || e.altKey || e.defaultPrevented || e.isComposing || document.querySelector('dialog:modal')
  || e.composedPath().some((n) => n.matches?.('input:not([type=checkbox]), textarea, select, dialog, [contenteditable]'))

/** Reports whether a key event is an Enter that a person means: not one that ends a composition of an input method. */
export const entered = (e) => e.key === 'Enter' && !e.shiftKey && !e.isComposing && e.keyCode !== 229

/** Reports whether an element is one in which a person writes. */
export const inText = (e) => Boolean(e?.shadowRoot || e?.matches?.('textarea, [contenteditable], input:not([type=checkbox], [type=radio], [type=file], [type=button])'))

let lastKey = 0 // when a key was pressed in a field

addEventListener('keydown', () => {
  if (inText(document.activeElement)) lastKey = Date.now()
}, true)

/** Reports whether the person is writing: the focus is in a field that has a text, or in which a key was pressed within two seconds. */
export const typedJustNow = () => inText(document.activeElement) && Boolean(document.activeElement.value || Date.now() - lastKey < 2000)

export function listen() {
  addEventListener('keydown', (e) => {
    if (!settings.keys || taken(e)) return
    const found = map.find(([key]) => key === e.key)
    if (!found) return
    e.preventDefault()
    found[2]()
  })
}

/** Shows the list of shortcuts. */
export const showKeys = () => (shown.value = true)
