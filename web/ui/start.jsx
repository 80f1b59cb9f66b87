// Forms from JSON Schemas: the entry's input, and the tools that a person starts.
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

const filling = signal(null) // the schema of the input that is asked for; null: no dialog

/** Asks for the entry's input, a field for each property of its schema, and runs it. */
export const fillInput = () => (filling.value = store.about.value.input)

/** Whether a form can be made from a schema. */
export const hasForm = (schema) => Object.keys(schema?.properties ?? {}).length > 0

export const FillInput = () => filling.value && <InputForm schema={filling.value} />

function InputForm({ schema }) {
  const [given, setGiven] = useState({})
  const [wrong, setWrong] = useState('')
  const leave = () => (filling.value = null)
  const submit = () => {
    const { value, fault } = read(schema, given)
    if (fault) return setWrong(fault)
    leave()
    store.attempt('the run', () => store.send(JSON.stringify(value)))
  }
  return (
    <Dialog title="Input" leave={leave} submit={submit} buttons={<button class="button primary">Run</button>}>
      <Fields schema={schema} given={given} set={setGiven} />
      {wrong && <p class="note error" role="alert">{wrong}</p>}
    </Dialog>
  )
}

/** The object that a form was filled in with, or what is wrong with a field. */
function read({ properties = {}, required = [] }, given) {
  const value = {}
  for (const [name, p] of Object.entries(properties)) {
    const text = given[name] ?? ''
    if (text === '' && !(required.includes(name) && p.type === 'string')) continue
    try {
      value[name] = p.type === 'string' ? text : JSON.parse(text)
    } catch {
      return { fault: `${name} is not JSON: write it like ["a"] or 3` }
    }
  }
  return { value }
}

const Fields = ({ schema: { properties = {}, required = [] }, given, set }) => Object.entries(properties).map(([name, p]) => (
  <div class="field" key={name}>
    <label for={`arg-${name}`}>{visible(name)}{p.type === 'string' ? '' : ', as JSON'}{required.includes(name) ? '' : ' (optional)'}</label>
    <textarea id={`arg-${name}`} class="input" rows={1} value={given[name] ?? ''} required={required.includes(name) && p.type !== 'string'} onInput={(e) => { const text = e.target.value; set((now) => ({ ...now, [name]: text })) }} />
    {p.description && <span class="hint">{visible(p.description)}</span>}
  </div>
))

function Choice({ tools }) {
  const [tool, setTool] = useState(tools[0])
  const [given, setGiven] = useState({})
  const [wrong, setWrong] = useState('')
  const leave = () => (offered.value = null)
  const submit = () => {
    const { value, fault } = read(tool.input ?? {}, given)
    if (fault) return setWrong(fault)
    leave()
    store.attempt(tool.name, () => store.callTool(tool.name, value))
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
      <Fields key={tool.name} schema={tool.input ?? {}} given={given} set={setGiven} />
      {wrong && <p class="note error" role="alert">{wrong}</p>}
    </Dialog>
  )
}
