// Shows files as what they are: Markdown, images, tables, JSON that can be folded, and what a
// tool module declares. It is loaded with the first such file.
import { useEffect, useMemo, useState } from 'preact/hooks'
import * as store from './store.js'
import { visible } from './visible.js'
import { Markdown } from './markdown.jsx'
import { Module } from './toolfound.jsx'
import { faultText } from './texts.js'
import { bytes } from './size.js'
import { count } from './usage.js'

const largest = 32 << 20 // bytes of a file that is shown
const types = { png: 'image/png', jpg: 'image/jpeg', jpeg: 'image/jpeg', gif: 'image/gif', webp: 'image/webp', avif: 'image/avif', svg: 'image/svg+xml', ico: 'image/x-icon', bmp: 'image/bmp' }
const rowsAtOnce = 200

/** Reads a whole file, and again when it has changed: {data}, {wrong}, or null while it is read. */
function useData(path) {
  const [state, setState] = useState(null)
  const listed = store.files.value.find((f) => f.path === path)
  useEffect(() => {
    let gone = false
    const told = (s) => gone || setState(s)
    if (listed?.size > largest) told({ wrong: `It has ${bytes(listed.size)}, and files of at most ${bytes(largest)} are shown. Download it to open it.` })
    else store.golem.files(store.project.value).read(path).then((data) => told({ data }), (e) => told({ wrong: faultText(e) }))
    return () => { gone = true }
  }, [path, listed?.size, listed?.modified])
  return state
}

const Wait = ({ state }) => <p class="empty" role={state ? 'alert' : 'status'}>{state ? visible(state.wrong) : 'reading…'}</p>

/** An image. An SVG is drawn as an image too, in which no script runs. */
function Picture({ path }) {
  const state = useData(path)
  const [url, setUrl] = useState('')
  const [size, setSize] = useState('')
  useEffect(() => {
    if (!state?.data) return undefined
    const made = URL.createObjectURL(new Blob([state.data], { type: types[path.split('.').at(-1).toLowerCase()] }))
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [state])
  if (!state?.data) return <Wait state={state} />
  return (
    <figure class="picture">
      {size === 'bad' ? <p class="note warn">The browser cannot read this image. Download it to open it.</p>
        : url && <img src={url} alt={path.split('/').at(-1)} onLoad={(e) => setSize(`${e.target.naturalWidth} × ${e.target.naturalHeight}`)} onError={() => setSize('bad')} />}
      <figcaption class="small muted">{[size !== 'bad' && size, bytes(state.data.length)].filter(Boolean).join(', ')}</figcaption>
    </figure>
  )
}

/** Reads the rows of comma- or tab-separated text (RFC 4180): fields in quotes may have separators, line breaks and doubled quotes. */
export function rowsOf(text, separator) {
  const rows = []
  let row = []
  const field = new RegExp(`"((?:[^"]|"")*)"?([^${separator}\\r\\n]*)|([^${separator}\\r\\n]*)`, 'y')
  for (let at = text.startsWith('\ufeff') ? 1 : 0; at < text.length;) {
    field.lastIndex = at
    const m = field.exec(text)
    row.push(m[1] === undefined ? m[3] : m[1].replaceAll('""', '"') + m[2])
    at = field.lastIndex
    if (text[at] === separator) {
      at++
      if (at < text.length && !/[\r\n]/.test(text[at])) continue
      row.push('')
    }
    rows.push(row)
    row = []
    at += text.startsWith('\r\n', at) ? 2 : 1
  }
  return rows
}

function Table({ path, text }) {
  const [most, setMost] = useState(rowsAtOnce)
  const rows = useMemo(() => {
    const first = text.slice(0, text.search(/[\r\n]|$/))
    return rowsOf(text, path.endsWith('.tsv') ? '\t' : !first.includes(',') && first.includes(';') ? ';' : ',')
  }, [text])
  if (!rows.length) return <p class="empty">This table is empty.</p>
  const [head, ...body] = rows
  const width = Math.min(200, Math.max(...rows.slice(0, 1000).map((r) => r.length)))
  const cells = [...Array(width).keys()]
  return (
    <div class="stack">
      <p class="small muted" role="status">{count(body.length, 'row')}, {count(width, 'column')}{most < body.length && `; ${most} of them are shown`}</p>
      <div class="wide"><table class="list csv">
        <thead><tr><td class="muted" />{cells.map((i) => <th scope="col">{visible(head[i])}</th>)}</tr></thead>
        <tbody>{body.slice(0, most).map((r, n) => <tr key={n}><td class="small muted">{n + 2}</td>{cells.map((i) => <td>{visible(r[i])}</td>)}</tr>)}</tbody>
      </table></div>
      {most < body.length && <button class="button" onClick={() => setMost(most + 5 * rowsAtOnce)}>Show more</button>}
    </div>
  )
}

class Exact { // a number as it is written: JavaScript does not keep all digits
  constructor(source) { this.source = source }
}

const opened = 2 // levels of JSON that are open at first
const members = 100 // members that are listed at once

/** A value of JSON, whose members can be folded. */
function Value({ name, value, depth }) {
  const [open, setOpen] = useState(depth < opened)
  const [most, setMost] = useState(members)
  const label = name !== undefined && <span class="tok-propertyName">{visible(name)}: </span>
  if (value === null || typeof value !== 'object' || value instanceof Exact) {
    const kind = typeof value === 'string' ? 'string' : 'keyword'
    return <li class="mono">{label}<span class={`tok-${kind}`}>{value instanceof Exact ? value.source : visible(JSON.stringify(value))}</span></li>
  }
  const all = Object.entries(value)
  const list = Array.isArray(value)
  return (
    <li class="mono"><details open={open} onToggle={(e) => setOpen(e.target.open)}>
      <summary>{label}<span class="muted">{list ? `[${count(all.length, 'element')}]` : `{${count(all.length, 'key')}}`}</span></summary>
      {open && <ul>{all.slice(0, most).map(([k, v]) => <Value key={k} name={k} value={v} depth={depth + 1} />)}
        {most < all.length && <li><button class="button small" onClick={() => setMost(most + 10 * members)}>{all.length - most} more</button></li>}</ul>}
    </details></li>
  )
}

function Json({ text }) {
  const found = useMemo(() => {
    try {
      return { value: JSON.parse(text, (_, v, context) => (typeof v === 'number' && context?.source ? new Exact(context.source) : v)) }
    } catch (e) {
      return { wrong: e.message }
    }
  }, [text])
  if (found.wrong) return <p class="note warn" role="alert">This is not JSON: {visible(found.wrong)}. Edit shows the text.</p>
  return <ul class="json"><Value value={found.value} depth={0} /></ul>
}

/** What a module declares, as golem tool inspect shows it. Nothing of it runs. */
function Wasm({ path }) {
  const state = useData(path)
  const [found, setFound] = useState(null)
  useEffect(() => {
    if (!state?.data) return
    const name = path.split('/').at(-1).replace(/\.wasm$/i, '')
    store.golem.addTool(store.project.value, state.data, { ...store.options(), name, look: true }).then((seen) => setFound(seen), (e) => setFound({ wrong: faultText(e) }))
  }, [state])
  if (!state?.data) return <Wait state={state} />
  if (!found || found.wrong) return <Wait state={found} />
  return <><p class="small muted">What the module declares. Nothing of it has run.</p><Module module={found.module} /></>
}

/** @param {{path: string, kind: string, text: ?string}} props text: of a file that is text */
export function Preview({ path, kind, text }) {
  return (
    <div class="scroll grow preview" tabIndex={0} role="region" aria-label={`${path}, shown`}>
      {kind === 'image' ? <Picture path={path} /> : kind === 'wasm' ? <Wasm path={path} />
        : kind === 'csv' ? <Table path={path} text={text} /> : kind === 'json' ? <Json text={text} /> : <Markdown text={text} />}
    </div>
  )
}
