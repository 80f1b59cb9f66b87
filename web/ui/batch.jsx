// One batch: how far it is, the questions of its items, the items with their results.
import { useEffect, useState } from 'preact/hooks'
import * as store from './store.js'
import { askYes } from './ask.jsx'
import { Questions } from './batchquestions.jsx'
import { begin, ended, ends, keyOf, live, options } from './batchruns.js'
import { Mark, stateOf } from './batchstate.jsx'
import { visible } from './diff.jsx'
import { Icon } from './icons.jsx'
import { faultText, seconds } from './texts.js'
import { count, dollars, spent } from './usage.js'

const between = 1000 // ms between two looks at a batch that runs

export function Batch({ name }) {
  const project = store.project.value
  const of = store.golem.batches(project)
  const [about, setAbout] = useState(null)
  const [gone, setGone] = useState('')
  const key = keyOf(project, name)
  const running = live.value.get(key)
  const end = ends.value.get(key)
  const look = () => of.show(name).then(setAbout, (e) => setGone(faultText(e)))
  const elsewhere = about?.listing.running && !running
  const tick = running ? Math.floor(running.at.ms / between) : end
  useEffect(() => { look() }, [key, tick])
  useEffect(() => {
    if (!elsewhere) return undefined
    const timer = setInterval(look, 2 * between)
    return () => clearInterval(timer)
  }, [elsewhere])
  const back = () => (store.batching.value = '')
  if (gone) return <div class="page"><div class="inner"><p class="note error" role="alert">{gone}</p><p><button class="button" onClick={back}>All batches</button></p></div></div>
  if (!about) return <div class="empty" role="status"><span class="mark running" />reading the batch…</div>
  const { listing, summary } = about
  const n = running?.at.counts ?? listing.counts
  const state = stateOf({ ...listing, counts: n }, !!running)
  const go = (run) => store.attempt(name, () => begin(project, run))
  const act = (what, doing) => store.attempt(what, async () => { await doing(); await look() })
  const goOn = () => go(store.golem.batch(project, { ...options(), name }))
  const retry = () => go(of.retry(name, { ...options(), failed: n.failed > 0 }))
  const cancel = async () => await askYes('Cancel the batch?', 'Items that have not ended are not run any more. What is done stays.', 'Cancel it', true) && act('cancelling', () => of.cancel(name))
  const remove = async () => {
    const left = n.open + n.parked
    if (!await askYes('Remove the batch?', `${left ? `${count(left, 'item')} did not end: what they did so far is lost. ` : ''}The traces of all items are lost. The outputs stay in ${visible(listing.out)}.`, 'Remove it', true)) return
    await act('removing', async () => { await of.remove(name); back() })
  }
  const results = () => store.attempt('results.jsonl', async () => store.download(`${name}-results.jsonl`, await of.results(name)))
  const idle = !running && !listing.running
  return (
    <div class="page"><div class="inner batch">
      <div class="row">
        <button class="button quiet square" aria-label="all batches" title="all batches" onClick={back}><Icon name="back" /></button>
        <h2 class="grow ellipsis">{visible(name)}</h2>
        {running && <button class="button" onClick={() => running.run.stop()}>Stop</button>}
        {idle && n.open > 0 && <button class="button primary" onClick={goOn}>Go on</button>}
        {idle && n.open === 0 && n.failed + n.cancelled > 0 && <button class="button" onClick={retry}>{n.failed ? 'Run failed ones again' : 'Run cancelled ones again'}</button>}
      </div>
      <section class="stack" aria-label="Progress">
        <div class="row" role="status"><Mark of={state.mark} /><b>{state.word}</b>{idle && ['stopped', 'interrupted', 'cancelled'].includes(end?.status) && <span class="muted">{ended[end.status]}</span>}</div>
        <Bar of={n} />
        <Figures n={n} at={running?.at} summary={summary} />
        {end?.error && idle && <p class="note error" role="alert">{faultText(end.error)}</p>}
        {idle && n.open > 0 && !end && <p class="note warn">Nobody runs this batch now. It goes on where it was: what is done is not asked again.</p>}
        {end?.staged > 0 && <p class="note info">{count(end.staged, 'item')} of clearance wait in <button class="button quiet small" onClick={() => (store.view.value = 'staged')}>Staged</button>{end.shared?.map((s) => <span key={s.path}><br />{visible(s.path)} is changed by several items: {s.items.map(visible).join(', ')}. If you push one, golem refuses the others.</span>)}</p>}
      </section>
      {n.parked > 0 && <Questions of={of} batch={name} round={n.parked} changed={look} running={!idle} />}
      <Items of={of} batch={name} counts={n} failures={running?.at.failures ?? summary.failures ?? {}} turn={tick} />
      <div class="row">
        <button class="button" onClick={results}><Icon name="down" />results.jsonl</button>
        <button class="button" onClick={() => { store.edit(`${listing.out}/results.jsonl`) }}>Outputs</button>
        <span class="grow" />
        {n.open + n.parked + n.running > 0 && <button class="button" onClick={cancel}>Cancel the batch…</button>}
        {idle && <button class="button danger" onClick={remove}>Remove…</button>}
      </div>
    </div></div>
  )
}

const parts = [['ok', 'done'], ['failed', 'failed'], ['parked', 'wait for you'], ['cancelled', 'cancelled'], ['running', 'run'], ['open', 'to do']]

const Bar = ({ of }) => (
  <div class="progress parts" role="img" aria-label={parts.filter(([k]) => of[k]).map(([k, words]) => `${of[k]} ${words}`).join(', ')}>
    {parts.slice(0, 5).map(([k]) => of[k] > 0 && <div key={k} class={k} style={{ width: `${(100 * of[k]) / of.total}%` }} />)}
  </div>
)

function Figures({ n, at, summary }) {
  const cost = at?.cost ?? summary.usage?.cost_usd
  const rows = [
    ...parts.filter(([k]) => n[k] > 0).map(([k, words]) => [n[k], words]),
    at?.rate > 0 && [at.rate < 10 ? at.rate.toFixed(1) : Math.round(at.rate).toLocaleString(), 'items a minute'],
    at?.left_ms > 0 && [seconds(at.left_ms), 'left'],
    !at && summary.ms && [seconds(summary.ms.p50), 'median time'],
    cost > 0 && [dollars(cost), 'cost'],
  ].filter(Boolean)
  return <ul class="row figures" aria-label="Figures">{rows.map(([v, words]) => <li key={words}><b>{v}</b> <span class="muted">{words}</span></li>)}</ul>
}

const step = 50 // items that are drawn at once
const statuses = [['', 'all'], ['ok', 'done'], ['needs_input', 'asked'], ['error', 'failed'], ['parked', 'waiting for you'], ['open', 'to do'], ['cancelled', 'cancelled']]
const marks = { ok: 'ok', error: 'error', parked: 'asking', needs_input: 'needs_input', open: 'pending', cancelled: 'not_run' }

function Items({ of, batch, counts, failures, turn }) {
  const [wanted, setWanted] = useState({ status: '', code: '' })
  const [from, setFrom] = useState(0)
  const [shown, setShown] = useState(null)
  useEffect(() => {
    let gone = false
    of.items(batch, { ...wanted, from, most: step }).then((s) => gone || setShown(s), () => {})
    return () => { gone = true }
  }, [batch, wanted, from, turn, counts.parked, counts.open])
  const want = (to) => { setFrom(0); setWanted({ status: '', code: '', ...to }) }
  const codes = Object.entries(failures).sort((a, b) => b[1] - a[1])
  const trace = (item) => store.attempt('the trace', async () => {
    const [traces, text] = await Promise.all([import('./traces.jsx'), of.trace(batch, item)])
    traces.show(`${batch}/${item}`, new TextDecoder().decode(text), {})
    store.view.value = 'trace'
  })
  return (
    <section class="stack" aria-label="Items">
      <div class="row">
        <h3 class="grow">Items</h3>
        {codes.map(([code, n]) => <button key={code} class="button small" aria-pressed={wanted.code === code} onClick={() => want(wanted.code === code ? {} : { code })}>{visible(code)} {n}</button>)}
        <label class="row small"><span class="muted">Show</span><select class="input" aria-label="items to show" value={wanted.status} onChange={(e) => want({ status: e.target.value })}>{statuses.map(([s, words]) => <option key={s} value={s}>{words}</option>)}</select></label>
      </div>
      {shown && shown.items.length === 0 && <p class="muted">No item.</p>}
      {shown?.items.length > 0 && <table class="list items" aria-label="Items">
        <thead><tr><th scope="col">Item</th><th scope="col">Result</th><th scope="col" class="wide-only">Time, cost</th><td /></tr></thead>
        <tbody>{shown.items.map((r) => (
          <tr key={r.item}>
            <td class="mono" title={visible(r.item)}>{visible(r.item.length > 24 ? `${r.item.slice(0, 20)}…` : r.item)}</td>
            <td><span class="row result"><Mark of={marks[r.status]} label={r.status} /><span>{resultLine(r)}</span></span></td>
            <td class="wide-only nowrap small muted">{[r.ms > 0 && seconds(r.ms), r.usage && spent(r.usage), r.attempt > 1 && `attempt ${r.attempt}`].filter(Boolean).join(' · ')}</td>
            <td class="nowrap">{marks[r.status] && !['open', 'parked', 'cancelled'].includes(r.status) && <button class="button quiet square" aria-label={`trace of ${visible(r.item)}`} title="trace" onClick={() => trace(r.item)}><Icon name="trace" /></button>}</td>
          </tr>
        ))}</tbody>
      </table>}
      {shown && shown.all > step && <p class="row small"><button class="button" disabled={from === 0} onClick={() => setFrom(from - step)}>Before</button><span>{from + 1} to {Math.min(from + step, shown.all)} of {shown.all.toLocaleString()}</span><button class="button" disabled={from + step >= shown.all} onClick={() => setFrom(from + step)}>Next</button></p>}
    </section>
  )
}

const words = { open: 'to do', parked: 'waits for you', cancelled: 'cancelled' }

/** Returns the result of an item on one line. */
function resultLine(r) {
  if (r.error) return visible(`${r.error.code}: ${r.error.message}`)
  if (r.output === undefined) return words[r.status] ?? ''
  const text = typeof r.output === 'string' ? r.output : JSON.stringify(r.output)
  const files = r.files?.length ? ` (${count(r.files.length, 'file')})` : ''
  return visible(text.length > 200 ? `${text.slice(0, 200)}…` : text) + files
}
