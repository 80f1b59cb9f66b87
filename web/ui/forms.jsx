// A form made from a JSON Schema, for an input or the arguments of a tool.
import { useRef, useState } from 'preact/hooks'
import * as store from './store.js'
import { Dialog } from './ask.jsx'
import { visible } from './diff.jsx'
import { asked } from './start.js'

/** Returns the values that a field offers; null for a field in which the person types. */
const choices = (p) => (Array.isArray(p.enum) && p.enum.length ? p.enum : p.type === 'boolean' ? [true, false] : null)

/** Returns the object that the person entered in a form, as JSON text on one line in which numbers are as they were written, or what is wrong with a field. */
export function read({ properties = {}, required = [] }, given) {
  const parts = []
  const put = (name, json) => parts.push(`${JSON.stringify(name)}:${json}`)
  for (const [name, p] of Object.entries(properties)) {
    const text = given[name] ?? ''
    const all = choices(p)
    if (all) {
      if (text !== '') put(name, JSON.stringify(all[Number(text)]))
      else if (required.includes(name)) return { fault: `${name} is missing: choose one` }
      continue
    }
    if (text === '' && required.includes(name)) return { fault: `${name} is missing: write it` }
    if (text === '') continue
    try {
      if (p.type !== 'string') JSON.parse(text)
      put(name, p.type === 'string' ? JSON.stringify(text) : text.replaceAll('\n', ' ').trim())
    } catch {
      return { fault: `${name} is not JSON: write it like ["a"] or 3` }
    }
  }
  return { text: `{${parts.join(',')}}` }
}

const kinds = { string: '', integer: ', a whole number', number: ', a number' }

const Fields = ({ schema: { properties = {}, required = [] }, given, set }) => Object.entries(properties).map(([name, p], i) => {
  const id = `arg-${name}`
  const all = choices(p)
  const put = (e) => set({ [name]: e.target.value })
  return (
    <div class="field" key={name}>
      <label for={id}>{visible(name)}{all ? '' : kinds[p.type] ?? ', as JSON'}{required.includes(name) ? '' : ' (optional)'}</label>
      {all
        ? <select id={id} class="input" value={given[name] ?? ''} onChange={put}><option value="">{required.includes(name) ? 'choose one' : 'not given'}</option>{all.map((v, n) => <option key={n} value={n}>{visible(String(v))}</option>)}</select>
        : <textarea id={id} class="input" data-first={i === 0} rows={p.rows ?? 1} value={given[name] ?? ''} required={required.includes(name) && p.type !== 'string'} onInput={put} />}
      {p.description && <span class="hint">{visible(p.description)}</span>}
    </div>
  )
})

/** The dialog with the form. If there are several tools, it also lets the person choose one. */
export function Form({ of: { title, action, tools, schema, send } }) {
  const [tool, setTool] = useState(tools?.[0])
  const given = useRef({}) // the entered texts; a ref, because they count before the next drawing
  const [, again] = useState(0)
  const set = (more) => {
    given.current = more ? { ...given.current, ...more } : {}
    again((n) => n + 1)
  }
  const [wrong, setWrong] = useState('')
  const fields = tool ? tool.input ?? {} : schema
  const leave = () => (asked.value = null)
  const submit = () => {
    const { text, fault } = read(fields, given.current)
    if (fault) return setWrong(fault)
    leave()
    store.attempt(tool?.name ?? 'the run', () => send(text, tool))
  }
  return (
    <Dialog title={visible(title)} leave={leave} submit={submit} buttons={<button class="button primary" disabled={store.framed}>{action}</button>}>
      {tools?.length > 1 && (
        <div class="field">
          <label for="tool">Tool</label>
          <select id="tool" class="input" data-first value={tool.name} onChange={(e) => { setTool(tools.find((t) => t.name === e.target.value)); set(null); setWrong('') }}>
            {tools.map((t) => <option key={t.name} value={t.name}>{t.name}{t.call === 'manual' ? ' (only you can start it)' : ''}</option>)}
          </select>
        </div>
      )}
      {tool?.description && <p class="small muted">{visible(tool.description)}</p>}
      {tool && Object.keys(fields.properties ?? {}).length === 0 && <p class="muted">It takes no arguments.</p>}
      <Fields key={tool?.name} schema={fields} given={given.current} set={set} />
      {wrong && <p class="note error" role="alert">{wrong}</p>}
    </Dialog>
  )
}
