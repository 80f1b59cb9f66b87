// Compares two runs side by side: their usage, their answers, the files that they wrote, and each
// call in which they differ, word by word.
import { useState } from 'preact/hooks'
import { visible } from './diff.jsx'
import { byID } from './calls.js'
import { faultText, plain, seconds, shown } from './texts.js'
import { count, spent } from './usage.js'
import { compared } from './worddiff.js'

const most = 200 // calls that are drawn at most
const context = 160 // characters of a part that is equal, before and after a difference
const longest = 200_000 // characters that are compared

const cost = (run) => spent(run.usage) || 'no tokens'
/** The parts of a call that are compared, by name. */
const parts = (c) => ({
  tool: c.name, arguments: shown(c.args), status: c.status, error: c.error ? faultText(c.error) : '', result: shown(c.result), model: c.model ?? '',
})

/** Returns all calls in order, each with the names of the parts that differ. A call that only one run made has the one name call. */
function differences(a, b) {
  const ids = [...new Set([...a.calls.keys(), ...b.calls.keys()])].sort(byID)
  return ids.map((id) => {
    const [x, y] = [a.calls.get(id), b.calls.get(id)]
    const [p, q] = [x && parts(x), y && parts(y)]
    return { id, x, y, p, q, of: p && q ? Object.keys(p).filter((name) => p[name] !== q[name]) : ['call'] }
  })
}

/** One side of a comparison: what differs is marked, and long equal parts are cut. */
function Side({ list, side, whole }) {
  return list.map((part, i) => {
    const text = visible(part[side])
    if (!part.same) return text && <mark key={i} class={side === 'a' ? 'gone' : 'came'}>{text}</mark>
    if (whole || text.length <= 2 * context + 40) return text
    const before = i > 0 ? text.slice(0, context) : ''
    const after = i < list.length - 1 ? text.slice(-context) : ''
    return <span key={i}>{before}<i class="muted"> … {count(text.length - before.length - after.length, 'character')} alike … </i>{after}</span>
  })
}

/** Two texts side by side. */
function Texts({ name, a, b }) {
  const [whole, setWhole] = useState(false)
  const list = compared(a.slice(0, longest), b.slice(0, longest))
  const cut = list.some((p) => p.same && p.a.length > 2 * context + 40)
  return (
    <div class="beside-texts" role="group" aria-label={name}>
      <div class="row"><h4 class="grow">{name}</h4>{cut && <button class="button quiet small" aria-pressed={whole} onClick={() => setWhole(!whole)}>All of it</button>}</div>
      {['a', 'b'].map((side) => <pre key={side} class="block" tabIndex={0} role="region" aria-label={`${name}, ${side === 'a' ? 'first' : 'second'} run`}><Side list={list} side={side} whole={whole} />{(side === 'a' ? a : b) === '' && <i class="muted">nothing</i>}</pre>)}
      {Math.max(a.length, b.length) > longest && <p class="small muted">Only the first {longest.toLocaleString()} characters are compared.</p>}
    </div>
  )
}

function Call({ d }) {
  const [open, setOpen] = useState(false)
  const c = d.x ?? d.y
  const used = [d.x, d.y].map((one) => (one ? [one.status, seconds(one.ms), one.kind === 'worker' ? spent(one.usage) : ''].filter(Boolean).join(' · ') : 'not called'))
  return (
    <details class="call" onToggle={(e) => setOpen(e.target.open)}>
      <summary><span class="mono small">{visible(d.id)}</span> <strong>{visible(c.name)}</strong><span class="args grow">{d.of[0] === 'call' ? `only in the ${d.x ? 'first' : 'second'} run` : `differs in ${d.of.join(', ')}`}</span></summary>
      {open && <div class="detail">
        <p class="small muted">first run: {visible(used[0])}; second run: {visible(used[1])}</p>
        {d.of[0] === 'call' ? <Texts name="arguments" a={d.p?.arguments ?? ''} b={d.q?.arguments ?? ''} /> : d.of.map((name) => <Texts key={name} name={name} a={String(d.p[name])} b={String(d.q[name])} />)}
      </div>}
    </details>
  )
}

const lines = (sign, text) => (typeof text === 'string' && text ? text.replace(/\n$/, '').split('\n').map((line) => `${sign}${line}`).join('\n') : '')

/** What the tools of the toolset filesystem did to a file, from their arguments: a trace has no diffs. */
const did = {
  write_file: (a) => lines('', a.content),
  edit_file: (a) => [lines('- ', a.old), lines('+ ', a.new)].filter(Boolean).join('\n'),
  delete_file: () => 'deleted',
  move_file: (a) => `moved to ${a.to}`,
}

/** The files that a run wrote with the toolset filesystem, with what was done to them, by path. */
function written(run) {
  const out = new Map()
  for (const c of run.calls.values()) {
    const args = plain(c.args)
    const path = args?.path ?? args?.from
    if (c.status !== 'ok' || c.kind !== 'builtin' || !Object.hasOwn(did, c.name) || typeof path !== 'string') continue
    const now = did[c.name](Object.fromEntries(Object.entries(args).map(([k, v]) => [k, plain(v)])))
    out.set(path, c.name === 'write_file' || !out.has(path) ? now : `${out.get(path)}\n${now}`)
  }
  return out
}

export function Compare({ a, b, leave }) {
  const [x, y] = [a.run, b.run]
  const all = differences(x, y)
  const other = all.filter((d) => d.of.length > 0)
  const input = (run) => shown(run.transcript.find((i) => i.kind === 'you')?.text)
  const facts = (run) => [run.status === 'running' ? 'without an end' : visible(run.status), run.ms ? seconds(run.ms) : '', cost(run), count(run.calls.size, 'call'), visible(run.calls.get('0')?.model ?? '')]
  const rows = ['Status', 'Duration', 'Used', 'Calls', 'Model'].map((name, i) => [name, facts(x)[i], facts(y)[i]])
  const [p, q] = [written(x), written(y)]
  const files = [...new Set([...p.keys(), ...q.keys()])].sort().filter((f) => p.get(f) !== q.get(f))
  const same = (what) => <p class="small muted">{what}: the same in both.</p>
  return (
    <section class="stack" aria-label="Two runs compared">
      <div class="row"><h3 class="grow">Two runs compared</h3><button class="button" onClick={leave}>Leave</button></div>
      <div class="wide" tabIndex={0} role="region" aria-label="What they are"><table class="list" aria-label="What they are">
        <thead><tr><td /><th scope="col" class="mono">{visible(a.name)}</th><th scope="col" class="mono">{visible(b.name)}</th></tr></thead>
        <tbody>{rows.map(([name, p, q]) => <tr key={name}><th scope="row">{name}</th><td>{p}</td><td>{p === q ? <span class="muted">the same</span> : q}</td></tr>)}</tbody>
      </table></div>
      {input(x) === input(y) ? same('Input') : <Texts name="Input" a={input(x)} b={input(y)} />}
      {shown(x.output) === shown(y.output) ? same('Answer') : <Texts name="Answer" a={shown(x.output)} b={shown(y.output)} />}
      {files.length === 0 ? p.size > 0 && same('Files that were written') : <><h3>Files that were written</h3>{files.map((f) => <Texts key={f} name={visible(f)} a={p.get(f) ?? ''} b={q.get(f) ?? ''} />)}</>}
      {other.length === 0
        ? <p>All {count(all.length, 'call')} are alike: tools, arguments, results and models.</p>
        : <div class="stack" role="group" aria-label="What differs">
            <h3>{count(other.length, 'call')} of {all.length.toLocaleString()} {other.length === 1 ? 'differs' : 'differ'}</h3>
            {other.slice(0, most).map((d) => <Call key={d.id} d={d} />)}
            {other.length > most && <p class="small muted">The first {most} are listed.</p>}
          </div>}
    </section>
  )
}
