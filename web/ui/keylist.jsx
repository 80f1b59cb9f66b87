// The list of keyboard shortcuts.
import { useState } from 'preact/hooks'
import { settings } from './settings.js'
import { Dialog } from './ask.jsx'
import { map, shown } from './keys.jsx'

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

export function KeyList() {
  const [on, setOn] = useState(settings.keys)
  const leave = () => (shown.value = false)
  return (
    <Dialog title="Keys" leave={leave} submit={leave} cancel="Close">
      <p>What golem does, and how: <a href="docs/" target="_blank" rel="noopener">the documentation</a>.</p>
      <label class="row"><input type="checkbox" checked={on} onChange={(e) => { settings.keys = e.target.checked; setOn(e.target.checked) }} /><span class="grow">Single keys work where nobody types</span></label>
      <dl class="facts">{[...(on ? map : []), ...others].map(([key, does]) => <><dt><kbd>{key}</kbd></dt><dd>{does}</dd></>)}</dl>
    </Dialog>
  )
}
