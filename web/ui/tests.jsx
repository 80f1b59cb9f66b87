// The tests of a project (tests/*.yaml): the cases, a button that runs them, and the verdicts. On
// recordings and scripts nothing runs but golem; with a real model a case can be recorded.
import { useEffect, useState } from 'preact/hooks'
import * as store from './store.js'
import { NewTests } from './newtests.jsx'
import { visible } from './diff.jsx'
import { faultText } from './texts.js'
import { count } from './usage.js'

const words = { passed: 'passed', failed: 'failed', stale: 'stale', not_judged: 'not judged' }
const tints = { failed: 'error', stale: 'warn', not_judged: 'warn' }
const marks = { passed: '✓', failed: '✗', stale: '●', not_judged: '○' }

const literal = (text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

export function Tests({ leave }) {
  const name = store.project.value
  const [listed, setListed] = useState(null)
  const [report, setReport] = useState(null)
  const [busy, setBusy] = useState('')
  const [making, setMaking] = useState(false)
  useEffect(() => {
    if (making) return undefined
    let gone = false
    store.attempt('reading the tests', async () => {
      const read = await store.golem.test(name, { list: true }, store.options())
      if (!gone) setListed(read)
    })
    return () => { gone = true }
  }, [name, making])
  const run = async (what, doing) => {
    setBusy(doing)
    await store.attempt(doing, async () => setReport(await store.golem.test(name, what, store.options())))
    setBusy('')
  }
  if (!listed) return <div class="empty" role="status"><span class="mark running" />reading the tests…</div>
  const verdicts = new Map((report?.verdicts ?? []).map((v) => [`${v.file}\n${v.case}`, v]))
  return (
    <div class="split workers"><section class="pane" aria-label="Tests">
      <header class="row tests">
        <button class="button" onClick={leave}>Back</button>
        <h2>Tests</h2>
        <span class="small muted grow" role="status">{busy || (report ? summary(report) : count(listed.cases.length, 'case'))}</span>
        <button class="button" disabled={busy !== ''} aria-pressed={making} title="make cases of the runs of this project" onClick={() => setMaking(!making)}>From runs</button>
        <button class="button primary" disabled={busy !== '' || listed.cases.length === 0} onClick={() => run({}, 'running the tests…')}>Run all</button>
      </header>
      <div class="scroll grow stack card-body" tabIndex={0} role="group" aria-label="Cases and faults">
        {making && <NewTests what={{ all: true }} leave={() => setMaking(false)} />}
        {listed.faults.map((f, i) => (f.where?.file
          ? <button class={`note small ${f.severity === 'warning' ? 'warn' : 'error'}`} key={i} onClick={() => store.edit(f.where.file, f.where.line)}>{faultText(f)}</button>
          : <p class={`note small ${f.severity === 'warning' ? 'warn' : 'error'}`} key={i}>{faultText(f)}</p>))}
        {listed.cases.length === 0 && listed.faults.length === 0 && <p class="empty">This project has no tests yet. A test is a file tests/NAME.yaml: it says what a worker must answer to an input.</p>}
        <ul class="stack" aria-label="Cases">
          {listed.cases.map((c) => <Case key={`${c.file}\n${c.case}`} of={c} verdict={verdicts.get(`${c.file}\n${c.case}`)} busy={busy !== ''} run={run} />)}
        </ul>
      </div>
    </section></div>
  )
}

function Case({ of, verdict, busy, run }) {
  const filter = `^${literal(`${of.file}: ${of.case}`)}$`
  return (
    <li class={`note small ${tints[verdict?.status] ?? ''}`}>
      <div class="row">
        <span class="grow">{verdict ? `${marks[verdict.status]} ` : ''}{of.file}:{of.line}: <strong>{visible(of.case)}</strong>{verdict && verdict.status !== 'passed' && ` (${words[verdict.status]})`}</span>
        <button class="button" disabled={busy} aria-label={`Run ${of.case}`} onClick={() => run({ filter }, `running ${of.case}…`)}>Run</button>
        {verdict?.status === 'stale' && <button class="button" disabled={busy} aria-label={`Record ${of.case}`} onClick={() => run({ filter, record: true }, `recording ${of.case}…`)}>Record</button>}
      </div>
      {verdict?.misses?.map((m, i) => <Miss key={i} of={m} />)}
      {verdict?.error && <p>{faultText(verdict.error)}</p>}
    </li>
  )
}

const Miss = ({ of }) => (
  <dl class="small">
    <dt>{of.what}: expected</dt><dd><pre>{visible(of.want)}</pre></dd>
    <dt>{of.what}: got</dt><dd><pre>{visible(of.got)}</pre></dd>
  </dl>
)

const unread = (r) => new Set((r.faults ?? []).filter((f) => f.severity !== 'warning' && f.where?.file).map((f) => f.where.file)).size

const summary = (r) => [[r.passed, 'passed'], [r.failed, 'failed'], [r.stale, 'stale'], [r.not_judged, 'not judged']].filter(([n]) => n > 0).map(([n, what]) => `${n} ${what}`)
  .concat(unread(r) > 0 ? [`${count(unread(r), 'file')} not read`] : []).join(', ') || 'no case was run'
