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
  ['Escape', 'in a question: no'],
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
      <label><input type="checkbox" checked={on} onChange={(e) => { settings.keys = e.target.checked; setOn(e.target.checked) }} /> Single keys work where nobody types</label>
      <dl class="facts">{[...(on ? map : []), ...others].map(([key, does]) => <><dt><kbd>{key}</kbd></dt><dd>{does}</dd></>)}</dl>
    </Dialog>
  )
}

/** Shows the list of shortcuts. */
export const showKeys = () => (shown.value = true)
