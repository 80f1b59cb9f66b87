// The view of a project's workers: a graph of which worker may call which, and the description
// of the chosen one, with forms to try it or one of its tools.
import { useEffect, useRef, useState } from 'preact/hooks'
import * as store from './store.js'
import { Description } from './describe.jsx'
import { visible } from './diff.jsx'
import { Icon } from './icons.jsx'
import { layered } from './layers.js'
import { faultText } from './texts.js'
import { tryTool, tryWorker } from './start.js'
import { Tests } from './tests.jsx'
import { later } from './later.jsx'
import { count } from './usage.js'

const Offer = later(() => import('./offer.jsx').then((m) => m.Offer), true)

const phone = matchMedia('(max-width: 860px)')

function useNarrow() {
  const [narrow, set] = useState(phone.matches)
  useEffect(() => {
    const changed = () => set(phone.matches)
    phone.addEventListener('change', changed)
    return () => phone.removeEventListener('change', changed)
  }, [])
  return narrow
}

export function Workers() {
  const name = store.project.value
  const about = store.about.value
  const [tree, setTree] = useState(null)
  const [testing, setTesting] = useState(false)
  useEffect(() => {
    let gone = false
    if (!about) return undefined
    store.attempt('reading the workers', async () => {
      const read = await store.golem.tree(name, store.options())
      if (!gone) setTree(read)
    })
    return () => { gone = true }
  }, [name, about])
  if (!tree) return <div class="empty" role="status"><span class="mark running" />reading the workers…</div>
  if (testing) return <Tests leave={() => setTesting(false)} />
  const chosen = tree.workers.find((w) => w.path === store.looking.value)
  return (
    <div class={`split workers ${chosen ? 'chosen-one' : ''}`}>
      <section class="pane" aria-label="Who may call whom" data-away={chosen !== undefined}>
        <header><h2>Workers</h2><span class="small muted grow">{count(tree.workers.length, 'worker')}{!chosen && tree.workers.length > 0 && ': choose one to see what it may do, and to try it'}</span><button class="button phone-only" onClick={() => (store.view.value = 'batches')}>Batches</button><button class="button" onClick={() => setTesting(true)}>Tests</button></header>
        {tree.faults?.map((f, i) => <div class={`note small row ${f.severity === 'warning' ? 'warn' : 'error'}`} key={i}><span class="grow">{faultText(f)}</span>{f.where?.file && <button class="button small" onClick={() => store.edit(f.where.file, f.where.line)}>Open {visible(f.where.file)}</button>}</div>)}
        {tree.workers.length === 0
          ? <p class="empty">This project has no worker yet. A worker is a file that ends in .worker: make one in Files.</p>
          : <Graph tree={tree} />}
        <Legend />
        {'modelContext' in document && tree.workers.length > 0 && <Offer />}
      </section>
      {chosen && <section class="pane side" aria-label="The chosen worker"><Chosen key={chosen.path} worker={chosen} tree={tree} /></section>}
    </div>
  )
}

const Legend = () => (
  <ul class="row small muted legend" aria-label="What the lines say">
    {[['runs', 'calls at once'], ['asks', 'asks you first'], ['refused', 'refused']].map(([call, says]) => (
      <li class="row" key={call}><svg width="34" height="10" aria-hidden="true" focusable="false"><path class={`link ${call}`} d="M2 5h30" /></svg>{says}</li>
    ))}
  </ul>
)

const ANY = '*' // the node that stands for every other worker of the project

/** Returns the boxes and lines of the graph of a call tree. */
function drawn(tree) {
  const byID = new Map(tree.workers.map((w) => [w.id, w.path]))
  const lines = tree.workers.flatMap((w) => w.calls.map((c) => ({ from: w.path, to: c.worker === ANY ? ANY : c.path || byID.get(c.worker), call: c })))
    .filter((l) => l.to)
  const ids = tree.workers.map((w) => w.path)
  if (lines.some((l) => l.to === ANY)) ids.push(ANY)
  return { lines, ids, ...layered(ids, lines.map((l) => [l.from, l.to])) }
}

function Graph({ tree }) {
  const narrow = useNarrow()
  const box = useRef(null)
  const { lines, layers, back } = drawn(tree)
  const [w, h, across, along] = narrow ? [166, 66, 16, 44] : [226, 66, 26, 76] // pixels: width and height of a box, the gap within a layer, and the gap between layers
  const step = narrow ? w + across : h + across
  const at = new Map(layers.flatMap((layer, n) => layer.map((id, i) => {
    const beside = 10 + i * step
    const deep = 10 + n * ((narrow ? h : w) + along)
    return [id, narrow ? { x: beside, y: deep } : { x: deep, y: beside }]
  })))
  const size = { width: 20 + Math.max(...[...at.values()].map((p) => p.x)) + w, height: 34 + Math.max(...[...at.values()].map((p) => p.y)) + h }
  const keys = (e, id) => {
    const n = layers.findIndex((l) => l.includes(id))
    const i = layers[n].indexOf(id)
    const beside = (l) => l?.[Math.min(Math.round((i * (l.length - 1)) / Math.max(1, layers[n].length - 1)), l.length - 1)]
    const moves = { ArrowRight: [beside(layers[n + 1]), layers[n][i + 1]], ArrowLeft: [beside(layers[n - 1]), layers[n][i - 1]], ArrowDown: [layers[n][i + 1], beside(layers[n + 1])], ArrowUp: [layers[n][i - 1], beside(layers[n - 1])] }
    const to = moves[e.key]?.[narrow ? 1 : 0]
    if (!moves[e.key]) return
    e.preventDefault()
    if (to) [...box.current.querySelectorAll('[data-worker]')].find((b) => b.dataset.worker === to)?.focus()
  }
  const curve = (l) => {
    const [a, b] = [at.get(l.from), at.get(l.to)]
    if (back.has(`${l.from}\n${l.to}`)) { // a line of a cycle goes around the boxes, back to the caller
      return narrow
        ? `M${a.x + w} ${a.y + h / 2}h8V${b.y + h / 2 + 8}h-6`
        : `M${a.x + w / 2} ${a.y + h}v14H${b.x + w / 2 + 8}v-12`
    }
    const far = layers.findIndex((n) => n.includes(l.to)) - layers.findIndex((n) => n.includes(l.from)) > 1
    const [x, y, u, v] = narrow ? [a.x + w / 2, a.y + h, b.x + w / 2, b.y - 4] : [a.x + w, a.y + h / 2, b.x - 4, b.y + h / 2]
    if (far && narrow) { // the line goes between the boxes of the layers that it crosses
      const lane = a.x + w + across / 2
      return `M${x} ${y}C${x} ${y + along / 2} ${lane} ${y + along / 2} ${lane} ${y + along}V${v - along}C${lane} ${v - along / 2} ${u} ${v - along / 2} ${u} ${v}`
    }
    if (far) {
      const lane = a.y + h + across / 2
      return `M${x} ${y}C${x + along / 2} ${y} ${x + along / 2} ${lane} ${x + along} ${lane}H${u - along}C${u - along / 2} ${lane} ${u - along / 2} ${v} ${u} ${v}`
    }
    return narrow ? `M${x} ${y}C${x} ${y + along / 2} ${u} ${v - along / 2} ${u} ${v}` : `M${x} ${y}C${x + along / 2} ${y} ${u - along / 2} ${v} ${u} ${v}`
  }
  return (
    <div class="scroll grow" tabIndex={0} role="region" aria-label="Graph of the workers">
      <div class="graph" ref={box} style={{ width: `${size.width}px`, height: `${size.height}px` }}>
        <svg width={size.width} height={size.height} aria-hidden="true" focusable="false">
          <defs>{['runs', 'asks', 'refused', 'manual'].map((c) => <marker key={c} id={`tip-${c}`} viewBox="0 0 8 8" refX="4" refY="4" markerWidth="8" markerHeight="8" orient="auto-start-reverse"><path class={`tip ${c}`} d="M0 0L8 4L0 8z" /></marker>)}</defs>
          {lines.map((l, i) => <path key={i} class={`link ${l.call.call}`} d={curve(l)} marker-end={`url(#tip-${l.call.call})`} />)}
        </svg>
        <ul aria-label="Workers">
          {layers.flat().map((id) => <Box key={id} id={id} worker={tree.workers.find((t) => t.path === id)} entry={tree.entry} narrow={narrow} style={{ left: `${at.get(id).x}px`, top: `${at.get(id).y}px`, width: `${w}px`, height: `${h}px` }} keys={keys} />)}
        </ul>
      </div>
    </div>
  )
}

const levels = { read: 'low', write: 'medium', network: 'medium' }
const level = (risk) => levels[risk] ?? 'high'

/** Returns the highest risk among tools as {risk, level}; null if there are no tools. */
export function riskiest(tools) {
  const rank = ['low', 'medium', 'high']
  const worst = tools.filter((t) => t.call !== 'refused').sort((a, b) => rank.indexOf(level(b.risk)) - rank.indexOf(level(a.risk)))[0]
  return worst ? { risk: worst.risk, level: level(worst.risk) } : null
}

/** Returns a text that says which workers a worker may call, for screen readers. */
const callsOf = (w) => w.calls.map((c) => `${c.worker === ANY ? 'every other worker' : visible(c.worker)}${c.call === 'runs' ? '' : `, ${c.call}`}${c.cycle ? ', a circle' : ''}`).join('; ')

function Box({ id, worker: w, entry, style, narrow, keys }) {
  if (!w) return <li class="any" style={style}>every other worker</li>
  const worst = riskiest(w.tools)
  const asks = w.tools.filter((t) => t.call === 'asks').length
  const says = [count(w.tools.length, 'tool'), asks && !narrow ? `${asks} ${asks === 1 ? 'asks' : 'ask'}` : ''].filter(Boolean).join(' · ')
  return (
    <li style={style}>
      <button class="box" data-worker={id} aria-pressed={store.looking.value === id} onKeyDown={(e) => keys(e, id)} onClick={() => (store.looking.value = store.looking.value === id ? '' : id)}>
        <span class="row"><b class="ellipsis grow">{visible(w.id)}</b>{w.id === entry && <span class="small muted">entry</span>}</span>
        <span class="row small muted says"><span class="ellipsis grow">{says}</span>{worst && <span class={`risk ${worst.level}`} title={`the highest risk of its tools: ${worst.risk}`}>{worst.risk}</span>}</span>
        <span class="sr">{w.calls.length ? `may call ${callsOf(w)}` : 'calls no worker'}</span>
      </button>
    </li>
  )
}

/** Returns the reference by which golem finds a worker. */
const reference = (w) => (w.source === 'project' ? `./${w.path}` : w.id)

const becomes = { runs: 'runs', asks: 'asks', refused: 'refused', manual: 'only you' }

function Chosen({ worker: w, tree }) {
  const [of, setOf] = useState(null)
  useEffect(() => {
    store.attempt(`reading ${w.id}`, async () => setOf(await store.golem.describe(store.project.value, reference(w), store.options())))
  }, [tree])
  const busy = store.running.value || store.framed
  const callers = tree.workers.filter((o) => o.calls.some((c) => c.path === w.path || (c.worker === ANY && o !== w)))
  const Links = ({ title, all }) => all.length > 0 && <p class="row"><span class="muted">{title}</span>{all.map((o) => <button key={o.path} class="button quiet small" onClick={() => (store.looking.value = o.path)}>{visible(o.id)}</button>)}</p>
  const called = w.calls.map((c) => tree.workers.find((o) => o.path === c.path)).filter(Boolean)
  return (
    <>
      <header>
        <button class="button quiet square" aria-label="back to the graph" onClick={() => (store.looking.value = '')}><Icon name="close" /></button>
        <h2 class="ellipsis grow">{visible(w.id)}</h2>
        {w.source === 'project' && <button class="button quiet square" aria-label={`open ${w.path}`} title="open its file" onClick={() => store.edit(w.path)}><Icon name="pen" /></button>}
        <button class="button primary" disabled={busy || !of} title={busy ? 'something runs: stop it first' : 'run this worker alone'} onClick={() => tryWorker(reference(w), w.id, of.input)}><Icon name="run" />Try it</button>
      </header>
      <div class="scroll grow stack card-body" tabIndex={0} role="region" aria-label={`What ${visible(w.id)} is`}>
        {w.description && <p>{visible(w.description)}</p>}
        <Links title="May call" all={called} />
        {w.calls.some((c) => c.worker === ANY) && <p>May call every other worker of the project.</p>}
        {w.calls.some((c) => c.cycle && !c.recursion) && <p class="note warn small">It is part of a circle of calls: a run refuses the call that closes it.</p>}
        <Links title="Called by" all={callers} />
        <h3>Tools</h3>
        {w.tools.length === 0 && <p class="muted">none</p>}
        <ul>
          {w.tools.map((t) => {
            const spec = of?.tools.find((s) => s.name === t.name)
            return (
              <li key={t.name} class="row">
                <Icon name="tool" /><b class="mono">{visible(t.name)}</b>
                <span class={`risk ${level(t.risk)}`}>{visible(t.risk)}</span>
                <span class="small muted grow" title={visible(t.why)}>{becomes[t.call] ?? visible(t.call)}</span>
                {t.call !== 'refused' && <button class="button quiet small" disabled={busy || !spec} aria-label={`try ${t.name}`} onClick={() => tryTool(reference(w), spec)}>Try</button>}
              </li>
            )
          })}
        </ul>
        {of && <details class="call"><summary><span class="chev"><Icon name="chevron" /></span><strong class="grow">Prompt, files and settings</strong></summary><Description of={of} /></details>}
      </div>
    </>
  )
}
