// The keyboard shortcuts of the page. They do not work while the person types in a field,
// and a setting turns all of them off.
import { signal } from '@preact/signals'
import { useState } from 'preact/hooks'
import * as store from './store.js'
import { settings } from './settings.js'
import { Dialog } from './ask.jsx'

const shown = signal(false)

const go = (view) => () => {
  if (store.project.value || ['projects', 'trace', 'settings'].includes(view)) store.view.value = view
}

const map = [
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
  ['t', 'Trace', go('trace')],
  ['s', 'Settings', go('settings')],
  ['n', 'begins a new conversation', () => !store.running.value && store.project.value && store.fresh()],
]

const others = [
  ['Enter, Shift+Enter', 'in the task: sends it, begins a new line'],
  ['F6, Escape', 'go to the question that waits; Escape in the question is no'],
  ['Ctrl+S', 'in a file: saves it'],
  ['Ctrl+F', 'in a file: searches it'],
  ['Ctrl+Space', 'in a file: completes what is written'],
  ['Escape, Tab', 'in a file: leaves the editor'],
  ['↑ ↓', 'in the tree of calls and in lists of files'],
  ['↑ ↓ ← →', 'in the graph of workers'],
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

export function Keys() {
  const [on, setOn] = useState(settings.keys)
  if (!shown.value) return null
  const leave = () => (shown.value = false)
  return (
    <Dialog title="Keys" leave={leave} submit={leave} cancel="Close">
      <p>What golem does, and how: <a href="docs/" target="_blank" rel="noopener">the documentation</a>.</p>
      <label class="row"><input type="checkbox" checked={on} onChange={(e) => { settings.keys = e.target.checked; setOn(e.target.checked) }} /><span class="grow">Single keys work where nobody types</span></label>
      <dl class="facts">{[...(on ? map : []), ...others].map(([key, does]) => <><dt><kbd>{key}</kbd></dt><dd>{does}</dd></>)}</dl>
    </Dialog>
  )
}

/** Shows the list of shortcuts. */
export const showKeys = () => (shown.value = true)
