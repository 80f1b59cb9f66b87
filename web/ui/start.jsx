// A tool that a person starts: the entry's tools, and a form from the schema of one.
import { signal } from '@preact/signals'
import { useState } from 'preact/hooks'
import * as store from './store.js'
import { Dialog } from './ask.jsx'
import { visible } from './diff.jsx'

const offered = signal(null) // the tools to choose from; null: no dialog

/** Asks which tool the person starts. */
export const startTool = () => store.attempt('listing the tools', async () => {
  const { tools } = await store.golem.describe(store.project.value, '', store.options())
  const all = tools.filter((t) => t.call !== 'refused' && !t.worker && t.from !== 'golem')
  if (!all.length) return store.tell('The entry has no tool that you may start.')
  offered.value = all.sort((a, b) => (b.call === 'manual') - (a.call === 'manual'))
})

export const StartTool = () => offered.value && <Choice tools={offered.value} />

function Choice({ tools }) {
  const [tool, setTool] = useState(tools[0])
  const [given, setGiven] = useState({})
  const [wrong, setWrong] = useState('')
  const { properties = {}, required = [] } = tool.input ?? {}
  const leave = () => (offered.value = null)
  const submit = () => {
    const args = {}
    for (const [name, p] of Object.entries(properties)) {
      const text = given[name] ?? ''
      if (text === '' && !(required.includes(name) && p.type === 'string')) continue
      try {
        args[name] = p.type === 'string' ? text : JSON.parse(text)
      } catch {
        return setWrong(`${name} is not JSON: write it like ["a"] or 3`)
      }
    }
    leave()
    store.attempt(tool.name, () => store.callTool(tool.name, args))
  }
  return (
    <Dialog title="Start a tool" leave={leave} submit={submit} buttons={<button class="button primary" disabled={store.framed}>Start</button>}>
      <div class="field">
        <label for="tool">Tool</label>
        <select id="tool" class="input" data-first value={tool.name} onChange={(e) => { setTool(tools.find((t) => t.name === e.target.value)); setGiven({}); setWrong('') }}>
          {tools.map((t) => <option key={t.name} value={t.name}>{t.name}{t.call === 'manual' ? ' (only you can start it)' : ''}</option>)}
        </select>
        {tool.description && <span class="hint">{visible(tool.description)}</span>}
      </div>
      {Object.entries(properties).map(([name, p]) => (
        <div class="field" key={tool.name + name}>
          <label for={`arg-${name}`}>{visible(name)}{p.type === 'string' ? '' : ', as JSON'}{required.includes(name) ? '' : ' (optional)'}</label>
          <textarea id={`arg-${name}`} class="input" rows={1} value={given[name] ?? ''} required={required.includes(name) && p.type !== 'string'} onInput={(e) => setGiven({ ...given, [name]: e.target.value })} />
          {p.description && <span class="hint">{visible(p.description)}</span>}
        </div>
      ))}
      {wrong && <p class="note error" role="alert">{wrong}</p>}
    </Dialog>
  )
}
