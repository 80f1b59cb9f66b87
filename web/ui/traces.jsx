// The view of traces: those of the project's runs, or any trace file of the command line. It
// shows a run as a tree of calls, as a timeline, or turn by turn.
import { signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import * as store from './store.js'
import { visible } from './diff.jsx'
import { Status, brief } from './call.jsx'
import { Boundary } from './boundary.jsx'
import { Chosen } from './tree.jsx'
import { Icon } from './icons.jsx'
import { bytes } from './size.js'
import { NewTests } from './newtests.jsx'
import { Compare } from './compare.jsx'
import { AllTurns, Turns } from './turns.jsx'
import { dropped } from './bring.jsx'
import { byID } from './calls.js'
import { readTrace } from './run.js'
import { faultText, seconds, shown } from './texts.js'
import { spent } from './usage.js'

const shownTrace = signal(null) // {n, name, run, prompts, project, read}: read resolves to its bytes, n counts the traces that were shown, project was open

export function Traces() {
  const name = store.project.value
  const trace = shownTrace.value?.project === name ? shownTrace.value : null // the trace of another project is not shown
  const [two, setTwo] = useState(null)
  const wanted = store.tracing.value
  useEffect(() => setTwo(null), [name, wanted])
  useEffect(() => {
    if (!name || !wanted || shownTrace.value?.name === wanted && shownTrace.value.run.status !== 'running') return
    store.attempt(wanted, () => showKept(name, wanted))
  }, [name, wanted, goesOn(wanted)])
  return (
    <div class="page" onDragOver={(e) => e.preventDefault()} onDrop={(e) => { e.preventDefault(); store.attempt('opening what was dropped', async () => openFiles(await dropped(e.dataTransfer))) }}><div class="inner">
      <div class="row">
        <h2 class="grow">Trace</h2>
        <label class="button"><Icon name="up" />Open a trace file<input class="sr" type="file" accept=".jsonl,.txt,.json,application/x-ndjson" multiple onChange={openFile} /></label>
      </div>
      {name && <Runs compare={setTwo} compares={two !== null} />}
      {two ? <Compare a={two[0]} b={two[1]} leave={() => setTwo(null)} /> : trace ? <Boundary key={trace.n}><Shown trace={trace} /></Boundary> : !name && <p class="muted">A trace is the record of a run, one event per line. The command line writes them to <code>.golem/runs</code>; open one here.</p>}
    </div></div>
  )
}

/** Formats a time for the browser's language. */
const timeText = (t) => (Number.isNaN(Date.parse(t)) && typeof t !== 'number' ? visible(t) : new Date(t).toLocaleString())

/** Opens the chosen trace file, with the files of its folder if they were chosen too. */
async function openFile(e) {
  const files = [...e.target.files]
  e.target.value = ''
  await openFiles(files.map((file) => ({ path: file.name, file })))
}

/** Opens the newest trace among files {path, file}, with the texts and prompts that belong to it. */
async function openFiles(all) {
  const of = all.filter((f) => f.path.endsWith('.jsonl')).sort((a, b) => (a.path < b.path ? 1 : -1))[0] ?? all[0]
  if (!of) return
  await store.attempt(of.file.name, async () => {
    const folder = of.file.name.replace(/\.jsonl$/, '') + '.d/'
    const beside = all.filter((f) => f !== of && !f.path.endsWith('.jsonl') && (!f.path.includes('.d/') || f.path.includes(folder)))
    const given = beside.filter((f) => prompt.test(f.file.name))
    const prompts = Object.fromEntries(await Promise.all(given.map(async (f) => [prompt.exec(f.file.name)[1], JSON.parse(await f.file.text())])))
    const texts = beside.filter((f) => !given.includes(f))
    if (!texts.length) return show(of.file.name, await of.file.text(), prompts)
    const [trace, ...rest] = await Promise.all([of, ...texts].map(async ({ file }) => ({ name: file.name, data: new Uint8Array(await file.arrayBuffer()) })))
    show(of.file.name, new TextDecoder().decode(await store.golem.wholeTrace(trace.data, rest)), prompts)
  })
}

/** The name of a file of golem run --artifacts that has the messages of one worker. */
const prompt = /^([0-9.]+)\.prompt\.json$/

/** Shows a trace; to see it, open the view trace. */
export function show(name, text, prompts, read = () => new TextEncoder().encode(text)) {
  shownTrace.value = { n: (shownTrace.peek()?.n ?? 0) + 1, name, run: readTrace(text), prompts, project: store.project.value, read }
  if (store.tracing.value !== name) store.tracing.value = ''
}

/** Shows a run of a project, with its prompts if it kept them. */
async function showKept(project, run) {
  const [text, prompts] = await Promise.all([traceText(project, run), store.golem.prompts(project, run)])
  if (project === store.project.value && run === store.tracing.value) show(run, text, prompts, () => store.golem.readRun(project, run)) // else another one was chosen meanwhile
}

/** Reports whether the run of a trace is in progress in this tab. */
const goesOn = (name) => (store.running.value || store.talking.value) && name === `${store.run.value.header?.run}.jsonl`

const inputOf = (run) => shown(run.transcript.find((i) => i.kind === 'you')?.text)

const traceText = async (project, run) => new TextDecoder().decode(await store.golem.readRun(project, run))

const large = 4_000_000 // bytes; a larger trace is read only when it is opened
const known = new Map() // summaries of traces, by project, name and size

/** Resolves to the summary of a trace for the list; null if the trace is too large to read for that. */
async function summary(project, r) {
  const key = `${project}\n${r.name}\n${r.size}`
  if (r.size > large) return null
  if (!known.has(key)) {
    try {
      const run = readTrace(await traceText(project, r.name))
      known.set(key, { input: inputOf(run).slice(0, 120), status: run.status === 'running' ? 'without an end' : run.status, ms: run.ms, usage: run.usage })
    } catch {
      known.set(key, { input: '', status: 'not readable', ms: 0, usage: null })
    }
  }
  return known.get(key)
}

function Runs({ compare, compares }) {
  const [runs, setRuns] = useState(null)
  const [told, setTold] = useState({})
  const [marked, setMarked] = useState([])
  const name = store.project.value
  useEffect(() => setMarked([]), [name])
  useEffect(() => {
    let gone = false
    store.attempt('listing the runs', async () => {
      const list = await store.golem.runs(name)
      if (gone) return
      setRuns(list)
      for (const r of list.slice(0, 100)) {
        const says = await summary(name, r)
        if (gone) return
        setTold((before) => ({ ...before, [r.name]: says }))
      }
    })
    return () => { gone = true }
  }, [name, store.running.value])
  if (!runs) return null
  if (!runs.length) return <p class="muted">No run of {name} yet. Each one leaves its trace here.</p>
  const read = (r) => {
    if (store.tracing.value === r.name) store.attempt(r.name, () => showKept(name, r.name))
    store.tracing.value = r.name
    compare(null)
  }
  const both = () => store.attempt('comparing', async () => compare(await Promise.all(marked.map(async (run) => ({ name: run, run: readTrace(await traceText(name, run)) })))))
  const mark = (run, on) => setMarked((was) => (on ? [...was, run].slice(-2) : was.filter((m) => m !== run)))
  return (
    <details class="call" open={shownTrace.value?.project !== name && !compares}>
      <summary><span class="chev"><Icon name="chevron" /></span><strong class="grow">Runs of {name}</strong><span class="small muted">{runs.length}</span></summary>
      <div class="detail">
        <div class="row"><span class="small muted grow">Mark two runs to compare them.</span><button class="button" disabled={marked.length !== 2} onClick={both}>Compare</button></div>
        <table class="list" aria-label={`Runs of ${visible(name)}`}>
        <thead><tr><td /><th scope="col">Run</th><th scope="col" class="wide-only">When</th><th scope="col" class="nowrap">Status</th><th scope="col" class="nowrap wide-only">Took</th><th scope="col" class="wide-only">Used</th><th scope="col" class="nowrap wide-only">Size</th><td /></tr></thead>
        <tbody>{runs.slice(0, 100).map((r) => (
          <tr key={r.name}>
            <td><input type="checkbox" aria-label={`mark ${visible(r.name)}`} checked={marked.includes(r.name)} onChange={(e) => mark(r.name, e.target.checked)} /></td>
            <td><button class="button quiet wraps titled" onClick={() => read(r)}>{told[r.name]?.input && <span>{visible(told[r.name].input)}</span>}<span class="mono small muted">{visible(r.name)}</span></button></td>
            <td class="wide-only">{timeText(r.modified)}</td>
            <td class="nowrap">{goesOn(r.name) ? 'goes on' : told[r.name]?.status ?? ''}</td>
            <td class="nowrap wide-only">{told[r.name]?.ms ? seconds(told[r.name].ms) : ''}</td>
            <td class="wide-only">{spent(told[r.name]?.usage)}</td>
            <td class="nowrap wide-only">{bytes(r.size)}</td>
            <td><button class="button quiet square" aria-label={`download ${r.name}`} onClick={() => store.attempt(r.name, async () => store.download(r.name, await store.golem.readRun(name, r.name)))}><Icon name="down" /></button></td>
          </tr>
        ))}</tbody>
      </table></div>
    </details>
  )
}

const most = 2000 // calls that are drawn at most

function Shown({ trace }) {
  const [as, setAs] = useState('tree')
  const [id, setID] = useState('')
  const pick = (to) => setID(to === id ? '' : to)
  const { run } = trace
  const all = [...run.calls.values()].sort((a, b) => byID(a.id, b.id))
  const calls = all.slice(0, most)
  const whole = (c) => <Chosen run={run} call={c} whole turns={c.rounds.length > 0 && <Turns call={c} prompt={trace.prompts?.[c.id]} />} />
  const waited = waitedFor(all)
  return (
    <div class="stack">
      <dl class="facts">
        <dt>Run</dt><dd class="mono">{visible(run.header.run)}</dd>
        <dt>Project</dt><dd>{visible(`${run.header.project}, entry ${run.header.entry}`)}</dd>
        <dt>Where</dt><dd>{visible(`${run.header.platform}, golem ${run.header.version}`)}, {timeText(run.header.started)}</dd>
        {inputOf(run) && <><dt>Input</dt><dd>{visible(inputOf(run).slice(0, 2000))}</dd></>}
        <dt>Ended</dt><dd>{goesOn(trace.name) ? 'not yet: it goes on, and this is what happened until now' : run.status === 'running' ? 'the trace is incomplete: the run was stopped before its end' : `${run.status}, exit ${run.exit}, ${[seconds(run.ms), spent(run.usage)].filter(Boolean).join(', ')}`}</dd>
        {waited > 0 && <><dt>Waited</dt><dd>{seconds(waited)} for your answers</dd></>}
      </dl>
      {run.missing > 0 && <p class="note">{run.missing === 1 ? 'Of one long text there is' : `Of ${run.missing.toLocaleString()} long texts there is`} only the beginning: the rest lies in the folder {visible(trace.name.replace(/\.jsonl$/, ''))}.d beside the trace. Open the trace together with the files in it.</p>}
      {run.error && <div class="note error">{visible(faultText(run.error))}</div>}
      {run.output !== undefined && <details class="call"><summary><span class="chev"><Icon name="chevron" /></span><strong>Answer</strong></summary><div class="detail"><pre class="block" tabIndex={0}>{visible(shown(run.output))}</pre></div></details>}
      {all.length > most && <p class="note">The first {most.toLocaleString()} of {all.length.toLocaleString()} calls are shown.</p>}
      <div class="row"><TestOf trace={trace} /><Spans trace={trace} /></div>
      <div class="row" role="group" aria-label="How to show it">
        <button class="button" aria-pressed={as === 'tree'} onClick={() => setAs('tree')}>Tree</button>
        <button class="button" aria-pressed={as === 'timeline'} onClick={() => setAs('timeline')}>Timeline</button>
        <button class="button" aria-pressed={as === 'turns'} onClick={() => setAs('turns')}>Turns</button>
      </div>
      <div class="scroll" tabIndex={0} role="region" aria-label={as}>
        {as === 'tree' ? <TraceTree calls={calls} id={id} pick={pick} whole={whole} />
          : as === 'turns' ? <AllTurns calls={calls} prompts={trace.prompts} />
          : <Timeline calls={calls} id={id} pick={pick} whole={whole} />}
      </div>
    </div>
  )
}

/** A button that makes a test of a run of the open project. */
function TestOf({ trace }) {
  const [open, setOpen] = useState(false)
  if (!trace.project || store.tracing.value !== trace.name || goesOn(trace.name)) return null
  return open
    ? <NewTests what={{ runs: [trace.run.header.run] }} leave={() => setOpen(false)} />
    : <div class="row"><button class="button" onClick={() => setOpen(true)}>Make a test of this</button></div>
}

/** A button that downloads a trace for a collector of OpenTelemetry. */
function Spans({ trace }) {
  const [contents, setContents] = useState(false)
  const save = () => store.attempt(trace.name, async () => store.download(`${trace.name.replace(/\.jsonl$/, '')}.otlp.jsonl`, new TextEncoder().encode(await store.golem.otlp(await trace.read(), { contents }))))
  return (
    <div class="row">
      <button class="button" onClick={save}>Export for OpenTelemetry</button>
      <label class="small"><input type="checkbox" checked={contents} onChange={(e) => setContents(e.target.checked)} /> with what was said</label>
    </div>
  )
}

/** Returns how long calls waited for the person, in ms. Time in which several waited counts once. */
export function waitedFor(calls) {
  let [sum, until] = [0, 0]
  for (const c of calls.filter((c) => c.waited > 0).sort((a, b) => a.begun - b.begun)) {
    const to = c.begun + c.waited
    sum += Math.max(0, to - Math.max(c.begun, until))
    until = Math.max(until, to)
  }
  return sum
}

function TraceTree({ calls, id, pick, whole }) {
  return (
    <ul class="tree">
      {calls.map((c) => (
        <li key={c.id} aria-level={c.id.split('.').length}>
          <button class="node" style={{ paddingLeft: `${8 + (c.id.split('.').length - 1) * 18}px` }} aria-expanded={c.id === id} onClick={() => pick(c.id)}>
            <Status call={c} /><span class="name">{visible(c.name)}</span>
            <span class="args">{[c.error?.code, brief(c)].filter(Boolean).join(' ')}</span>
            <span class="meta">{[seconds(c.ms), spent(c.usage)].filter(Boolean).join(' · ')}</span>
          </button>
          {c.id === id && whole(c)}
        </li>
      ))}
    </ul>
  )
}

function Timeline({ calls, id, pick, whole }) {
  const timed = calls.filter((c) => c.begun)
  const first = Math.min(...timed.map((c) => c.begun))
  const last = Math.max(...timed.map((c) => c.ended || c.begun), first + 1)
  const at = (t) => `${(100 * (t - first)) / (last - first)}%`
  return (
    <div class="lanes">
      <div class="lane scale" aria-hidden="true"><span /><span class="track">{[0, 0.25, 0.5, 0.75, 1].map((part) => <span key={part} style={{ left: `${100 * part}%` }}>{seconds(part * (last - first))}</span>)}</span></div>
      {timed.map((c) => (
        <div key={c.id}><button class="lane" aria-expanded={c.id === id} onClick={() => pick(c.id)}>
          <span class="ellipsis" style={{ paddingLeft: `${(c.id.split('.').length - 1) * 12}px` }}>{visible(c.name)}</span>
          <span class="track" role="img" aria-label={`${visible(c.name)}: from ${seconds(c.begun - first)} for ${seconds(c.ms)}${c.waited ? `, of that ${seconds(c.waited)} waiting for a person` : ''}`}>
            <span class={`bar ${c.kind} ${c.status}`} style={{ left: at(c.begun), width: at(Math.max((c.ended || last) - c.begun, 0) + first) }} />
            {c.waited > 0 && <span class="bar waits" title={`waited ${seconds(c.waited)} for you`} style={{ left: at(c.begun), width: at(c.waited + first) }} />}
          </span>
        </button>{c.id === id && whole(c)}</div>
      ))}
    </div>
  )
}
