// Shows what golem tool inspect and update show: what a tool module is and needs, and what
// changes if it replaces another.
import { visible } from './diff.jsx'
import { Dialog } from './ask.jsx'
import { bytes } from './size.js'
import { count } from './usage.js'

const size = (n) => `${bytes(n)} (${n} bytes)`

const forms = {
  command: 'command: a WASI command',
  exports: 'exports: single exports, with Extism input and output',
  component: 'component: a component, which golem does not run',
}

const sources = { section: 'described in the module', sidecar: 'described beside the module' }

/** A list of names. If there are more than most, the rest is in a part that the person can open. */
function Names({ before = '', all, most = 20 }) {
  const first = visible(before + all.slice(0, most).join(', '))
  if (all.length <= most) return first
  return <details><summary>{first} and {all.length - most} more</summary>{visible(all.slice(most).join(', '))}</details>
}

const imports = (m) => (m.imports ?? []).map((i) => `${i.module} ${i.name}`)

/** A list of imports, grouped by the module that they come from. */
const grouped = (all) => <ul>{[...new Set(all.map((i) => i.module))].map((from) => <li key={from}><Names before={`${from}: `} all={all.filter((i) => i.module === from).map((i) => i.name)} /></li>)}</ul>

/** Returns lines that say which names were added (+), removed (-) or have another text now (~). old and now have the texts by name. */
function changes(what, old, now) {
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])].sort()
  return names.flatMap((n) => !Object.hasOwn(old, n) ? [`${what} + ${n}`] : !Object.hasOwn(now, n) ? [`${what} - ${n}`] : old[n] !== now[n] ? [`${what} ~ ${n}: ${now[n]}`] : [])
}

const byName = (tools) => Object.fromEntries((tools ?? []).map((t) => [t.name, JSON.stringify(t)]))
const set = (names) => Object.fromEntries((names ?? []).map((n) => [n, '']))

/** Returns lines that say how two modules differ. */
export function differences(old, now) {
  return [
    ...(old.form !== now.form ? [`form ${now.form}, was ${old.form}`] : []),
    ...changes('tools', byName(old.tools), byName(now.tools)),
    ...changes('exports', set(old.exports), set(now.exports)),
    ...changes('imports', set(imports(old)), set(imports(now))),
    ...changes('needs', set(old.needs), set(now.needs)),
  ]
}

function Tool({ tool: t }) {
  const facts = [t.risk && `risk: ${t.risk}`, t.exec && `exec: ${t.exec}`, t.timeout && `timeout: ${t.timeout}`, t.stateful && 'state: kept between calls'].filter(Boolean)
  const schemas = [['input', t.inputSchema], ['output', t.outputSchema]].filter(([, schema]) => schema)
  return (
    <li>{visible(t.name)}: {visible(t.description) || '(no description: a model cannot know what it is for)'}
      {facts.map((text) => <div class="small" key={text}>{visible(text)}</div>)}
      {schemas.length > 0 && <details class="small"><summary>schemas of {visible(t.name)}</summary>
        {schemas.map(([what, schema]) => <div key={what}>{what} <span class="mono">{visible(JSON.stringify(schema))}</span></div>)}</details>}
    </li>
  )
}

/** Says where the module's tools are described, and lists them. */
function described(m) {
  if (m.tools?.length) return <>{sources[m.described]}<ul>{m.tools.map((t) => <Tool key={t.name} tool={t} />)}</ul></>
  if (!m.described && m.callable?.length) return `not described: a worker names the exports that are tools, toolsets: {custom: {tools: [NAME]}}, such as ${visible(m.callable.slice(0, 8).join(', '))}`
  return sources[m.described] ?? 'not described'
}

/** Returns what a module is and declares, as pairs of a name and a value. */
const factsOf = (m) => [
  ['form', visible(forms[m.form] ?? m.form)],
  m.built && ['is', visible(m.built)],
  ['needs', m.needs?.length ? <ul>{m.needs.map((n) => <li key={n}>{visible(n)}</li>)}</ul> : 'nothing but its arguments'],
  ['tools', described(m)],
]

const partsOf = (m) => [
  m.memory && ['memory', `${bytes(m.memory.min * 65536)}, at most ${bytes(m.memory.max * 65536)}`],
  m.imports?.length && ['imports', grouped(m.imports)],
  ['exports', m.exports?.length ? <Names all={m.exports} /> : 'no function'],
]

const Facts = ({ facts }) => <dl class="facts">{facts.filter(Boolean).map(([name, value]) => [<dt key={name}>{name}</dt>, <dd key={`${name}:`}>{value}</dd>])}</dl>

/** A module of the project. */
export const Module = ({ module: m }) => <>{m.refused && <p class="note warn">golem refuses this module: {visible(m.refused)}</p>}<Facts facts={[['size', size(m.size)], ['sha256', <span class="mono">{m.sha256}</span>], ...factsOf(m), ...partsOf(m)]} /></>

export function Found({ found, doing, leave, write }) {
  const { module: m, was, taken, beside, pinned, others, from, update } = found
  const list = (all) => <ul>{all.map((n) => <li key={n}>{visible(n)}</li>)}</ul>
  const differs = was ? differences(was, m) : []
  const replaces = taken && was?.sha256 !== m.sha256
  const repins = pinned && pinned !== m.sha256
  const other = replaces || repins || differs.length > 0
  const facts = [
    ['from', from ? visible(from) : 'a file of this computer'],
    ['size', size(m.size) + (was && was.size !== m.size ? `, was ${size(was.size)}` : '')],
    ['sha256', <span class="mono">{m.sha256}</span>],
    replaces && ['it replaces', was ? <span class="mono">{was.sha256}</span> : 'a file that golem cannot read as a module'],
    repins && ['tools.lock has', <span class="mono">{pinned}</span>],
    others > 0 && ['tools.lock', `is new, and pins ${count(others, 'other module')} of the project too`],
    differs.length > 0 && ['changes', list(differs)],
    ...factsOf(m),
    beside && ['description', `a file that the project has already: ${visible(m.path.replace(/wasm$/, 'tools.yaml'))}`],
    ...partsOf(m),
    pinned === m.sha256 && ['pinned', 'this is the module that tools.lock has'],
  ]
  const verb = update ? 'Update' : other ? 'Replace' : 'Add'
  return (
    <Dialog title={m.refused ? `${visible(m.path)} cannot be used` : `${verb} ${visible(m.path)}?`} leave={leave} submit={() => !doing && !m.refused && write()} cancel={m.refused ? 'Close' : 'Cancel'}
      buttons={!m.refused && <button class={`button ${other ? 'danger' : 'primary'}`} disabled={doing !== ''}>{verb} it</button>}>
      {m.refused ? <p class="note error" role="alert">Nothing was written, because golem would refuse the module: {visible(m.refused)}</p>
        : <p>Nothing of it has run. It gets no files, hosts or configuration by being added: a worker file grants those.</p>}
      <div tabIndex={0} role="region" aria-label={visible(m.path)}><Facts facts={facts} /></div>
    </Dialog>
  )
}
