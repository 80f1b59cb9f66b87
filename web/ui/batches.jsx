// The view of batches: starts one worker for many inputs, and lists the batches of the project.
import { useEffect, useState } from 'preact/hooks'
import * as store from './store.js'
import { Batch } from './batch.jsx'
import { begin, keyOf, live, options } from './batchruns.js'
import { Mark, stateOf } from './batchstate.jsx'
import { visible } from './diff.jsx'
import { faultText } from './texts.js'

export function Batches() {
  const name = store.project.value
  const [list, setList] = useState(null)
  const [starting, setStarting] = useState(false)
  const read = () => store.attempt('listing the batches', async () => {
    const all = await store.golem.batches(name).list()
    if (name === store.project.value) setList(all)
  })
  useEffect(() => { read() }, [name, live.value.size, store.batching.value])
  if (!list) return <div class="empty" role="status"><span class="mark running" />reading the batches…</div>
  if (store.batching.value) return <Batch key={keyOf(name, store.batching.value)} name={store.batching.value} />
  const shown = (batch) => {
    setStarting(false)
    store.batching.value = batch
  }
  return (
    <div class="page"><div class="inner">
      <div class="row">
        <h2 class="grow">Batches</h2>
        {list.length > 0 && !starting && <button class="button primary" onClick={() => setStarting(true)}>Start a batch</button>}
      </div>
      {starting || list.length === 0 ? <Start shown={shown} leave={list.length > 0 && (() => setStarting(false))} /> : <List of={list} project={name} />}
    </div></div>
  )
}

const List = ({ of, project }) => (
  <table class="list" aria-label="Batches">
    <thead><tr><th scope="col">Batch</th><th scope="col" class="wide-only">Began</th><th scope="col" class="nowrap">Items</th><th scope="col">State</th></tr></thead>
    <tbody>{of.map((b) => {
      const state = stateOf(b, live.value.has(keyOf(project, b.name)))
      return (
        <tr key={b.name}>
          <td><button class="button quiet" onClick={() => (store.batching.value = b.name)}>{visible(b.name)}</button></td>
          <td class="wide-only">{b.begun && new Date(b.begun).toLocaleString()}</td>
          <td class="nowrap">{b.counts.ok + b.counts.failed + b.counts.cancelled} of {b.counts.total}</td>
          <td><span class="row state"><Mark of={state.mark} />{state.word}</span></td>
        </tr>
      )
    })}</tbody>
  </table>
)

/** Returns the name of a file for inputs that were pasted: the same text is the same batch again. */
async function pasted(text) {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
  const table = !/^[\s\ufeff]*["{]/.test(text)
  return { name: `pasted-${[...digest.slice(0, 5)].map((b) => b.toString(16).padStart(2, '0')).join('')}.${table ? 'csv' : 'jsonl'}`, data: text }
}

/** Returns the files and folders of the project that can be inputs. */
const inputsIn = () => {
  const outs = store.files.value.filter((f) => f.path.endsWith('.out/results.jsonl')).map((f) => f.path.slice(0, -'results.jsonl'.length))
  return store.files.value.filter((f) => (f.dir ? !f.path.includes('/') && !outs.includes(`${f.path}/`) : /\.(jsonl|ndjson|csv)$/i.test(f.path) && !outs.some((o) => f.path.startsWith(o))))
}

function Start({ shown, leave }) {
  const [text, setText] = useState('')
  const [file, setFile] = useState(null)
  const [path, setPath] = useState('')
  const [given, setGiven] = useState({ key: '', cost: '', jobs: '', name: '' })
  const [busy, setBusy] = useState(false)
  const [wrong, setWrong] = useState('')
  const files = inputsIn()
  const pick = async (e) => {
    const one = e.target.files[0]
    e.target.value = ''
    if (one) setFile({ name: one.name, data: new Uint8Array(await one.arrayBuffer()) })
  }
  const start = async (e) => {
    e.preventDefault()
    setBusy(true)
    setWrong('')
    try {
      const inputs = path || file || await pasted(text)
      const { limits, ...rest } = options()
      const wanted = { ...rest, inputs, key: given.key.trim() || undefined, name: given.name.trim() || undefined, jobs: given.jobs ? Number(given.jobs) : undefined }
      if (limits || given.cost) wanted.limits = { ...limits, ...(given.cost && { cost: given.cost.trim() }) }
      shown(await begin(store.project.value, store.golem.batch(store.project.value, wanted)))
    } catch (e) {
      setWrong(e.code ? faultText(e) : e.message)
    }
    setBusy(false)
  }
  const field = (name, label, hint, more) => (
    <div class="field"><label for={`batch-${name}`}>{label} <span class="hint">{hint}</span></label><input id={`batch-${name}`} class="input" autocomplete="off" spellcheck={false} value={given[name]} onInput={(e) => setGiven({ ...given, [name]: e.target.value })} {...more} /></div>
  )
  return (
    <form class="stack" onSubmit={start}>
      <p class="muted">Runs {store.about.value?.entry ? <code>{visible(store.about.value.entry)}</code> : 'the entry'} once for each input. Each item works on its own copy of the files, in memory. What it writes is in BATCH.out of the project afterwards, with all results in results.jsonl.</p>
      {file
        ? <p class="row"><span>Inputs from <b>{visible(file.name)}</b></span><button type="button" class="button" onClick={() => setFile(null)}>Take another</button></p>
        : <>
          {files.length > 0 && <div class="field"><label for="batch-path">Inputs from the project</label>
            <select id="batch-path" class="input" value={path} onChange={(e) => setPath(e.target.value)}><option value="">none: the text below</option>{files.map((f) => <option key={f.path} value={f.path}>{visible(f.path)}{f.dir ? '/ (each file is attached)' : ''}</option>)}</select></div>}
          {!path && <div class="field">
            <label for="batch-inputs">Inputs <span class="hint">JSON Lines (a text or an object a line), or a table in CSV with a line of names</span></label>
            <textarea id="batch-inputs" class="input mono" rows={7} spellcheck={false} value={text} placeholder={'{"id": 1, "text": "…"}\n{"id": 2, "text": "…"}'} onInput={(e) => setText(e.target.value)} />
            <span><label class="button">Choose a file…<input class="sr" type="file" accept=".jsonl,.ndjson,.csv" onChange={pick} /></label></span>
          </div>}
        </>}
      <div class="fields">
        {field('key', 'Key', 'the field that names an item', { placeholder: 'none: its SHA-256' })}
        {field('cost', 'Limit in US dollars', 'in all', { inputmode: 'decimal', placeholder: 'none' })}
        {field('jobs', 'At once', 'items beside each other', { inputmode: 'numeric', placeholder: '4' })}
        {field('name', 'Name', 'of the batch', { placeholder: 'made by golem' })}
      </div>
      {wrong && <p class="note error" role="alert">{visible(wrong)}</p>}
      <p class="row">
        {leave && <button type="button" class="button" onClick={leave}>Back</button>}
        <button class="button primary" disabled={busy || !(path || file || text.trim())}>{busy ? 'Starting…' : 'Start'}</button>
      </p>
    </form>
  )
}
