// The report of golem harden: how good the code is that takes the place of a worker.
import { visible } from './diff.jsx'
import { seconds } from './texts.js'
import { count, dollars } from './usage.js'

const most = 10 // differences that are shown of each part

const json = (v) => visible(typeof v === 'string' ? v : JSON.stringify(v) ?? '')
const brief = (v) => { const text = json(v); return text.length > 300 ? text.slice(0, 300) + '…' : text }

export function Report({ of }) {
  const failed = Object.entries(of.mutated.failed ?? {})
  const why = new Map()
  for (const l of of.left_out ?? []) why.set(l.why, (why.get(l.why) ?? 0) + 1)
  return (
    <>
      {of.nothing_new
        ? <p class="note good" role="status"><b>Nothing new:</b> the code answers {of.shown.same === of.shown_cases ? 'all' : `${of.shown.same} of`} {count(of.shown_cases, 'case')} that a model would see as the worker did{of.shown.same === of.shown_cases ? '' : '; the others were there when it was written'}. No model was asked, and nothing was written.{of.new_unseen > 0 && ` ${count(of.new_unseen, 'new case')}, which the code does not answer as the worker did, would not be shown to a model. More cases of this kind let it learn: run the worker on other inputs like it, or write tests.`}</p>
        : of.warning
        ? <p class="note warn" role="status"><b>Do not apply it unread:</b> {visible(of.warning)}.</p>
        : <p class="note good" role="status"><b>Nothing found speaks against it.</b> Of {count(of.held_cases, 'case')} that the model did not see, the code answers {of.held.same} as the worker did. What it leaves open, the worker answers.</p>}
      {(of.source || of.nothing_new) && <Table name="Cases" head={['Cases', 'same', 'differ', 'fail', 'unsure']} rows={[['that the model saw', of.shown], ['that it did not see', of.held]].map(([name, p]) => [name, `${p.same} of ${p.cases}`, p.differ, p.fail, p.unsure])} />}
      <ul class="small muted">{of.rounds.map((r, i) => <li key={i}>Round {i + 1}: {r.problem ? `cannot be used: ${visible(r.problem)}` : `${r.shown.same} of ${r.shown.cases} the same`}</li>)}</ul>
      {of.source && <>
        <Differences name="Cases that the model did not see" part={of.held} />
        <Differences name="Cases that the model saw" part={of.shown} />
        {of.mutated.inputs > 0 && <p>{count(of.mutated.inputs, 'changed input')} (shortened, repeated, empty, Unicode, huge): {failed.length ? failed.map(([code, n]) => `${n} ${n === 1 ? 'fails' : 'fail'} with ${visible(code)}`).join(', ') : 'none fails'}, {of.mutated.unsure} unsure, {of.mutated.refused} that the worker refuses as input.</p>}
        {of.changing > 0 && !of.may_call?.length && <p class="note warn">In {count(of.changing, 'case')} the worker changes files, and its code may not. Give it rights first: write hardened: {'{module: …, calls: [write_file]}'} into the worker, then harden it again.</p>}
        <Table name="Costs" head={['A call', 'Cost', 'Tokens in, out', 'Time', 'Fuel']} rows={[costs('before', of.before), costs('after', of.after)]} />
      </>}
      {of.nothing_new && <>
        <Differences name="Cases that no model sees" part={of.held} />
        <Differences name="Cases that a model would see" part={of.shown} />
      </>}
      {!of.nothing_new && <p class="small muted">Writing the code used {of.spent.in} tokens in, {of.spent.out} out: {price(of.spent, of.spent.cost_partial)}.</p>}
      {(of.conflicts ?? []).slice(0, most).map((c, i) => <p key={i} class="small">Left out, because the worker gave several answers: {brief(c.input)}</p>)}
      {of.conflicts?.length > most && <p class="small">And {count(of.conflicts.length - most, 'more input')} with several answers.</p>}
      {[...why].map(([text, n]) => <p key={text} class="small">Left out, {n}: {visible(text)}</p>)}
    </>
  )
}

const price = (c, unknown) => (c.in + c.out > 0 && unknown ? 'price not known' : dollars(c.cost_usd ?? 0))

const costs = (name, c) => (c.calls === 0 ? [name, 'not measured', '', '', ''] : [
  name, price({ in: 0, out: 0, ...c }, c.unpriced), c.in || c.out ? `${c.in ?? 0}, ${c.out ?? 0}` : '0, 0',
  c.ms > 0 || c.fuel > 0 ? (c.ms ? seconds(c.ms) : 'less than 1 ms') : 'not recorded', c.fuel > 0 ? `${(c.fuel / 1e6).toFixed(1)} million` : '',
])

const Table = ({ name, head, rows }) => (
  <div class="wide" role="region" aria-label={name} tabIndex={0}><table class="list small">
    <thead><tr>{head.map((h) => <th key={h} scope="col">{h}</th>)}</tr></thead>
    <tbody>{rows.map((row) => <tr key={row[0]}>{row.map((cell, n) => (n ? <td key={n}>{cell}</td> : <th key={n} scope="row">{cell}</th>))}</tr>)}</tbody>
  </table></div>
)

const Differences = ({ name, part }) => part.differences?.length > 0 && (
  <section class="stack" aria-label={name}>
    <h3>{name}: {part.differences.length} not the same</h3>
    {part.differences.slice(0, most).map((d, i) => (
      <dl key={i} class="note small facts">
        <dt>Input</dt><dd class="mono">{brief(d.input)}</dd>
        <dt>Worker</dt><dd class="mono">{brief(d.expected)}</dd>
        <dt>Code</dt><dd class="mono">{d.unsure ? `unsure: ${visible(d.unsure)}` : d.error ? `fails: ${visible(d.error)}` : brief(d.got)}</dd>
        {d.files?.map((f) => <><dt>{visible(f.path)}</dt><dd>worker: <span class="mono">{fileState(f.expected)}</span>; code: <span class="mono">{fileState(f.got)}</span></dd></>)}
      </dl>
    ))}
    {part.differences.length > most && <p class="small muted">And {part.differences.length - most} more.</p>}
  </section>
)

const fileState = (s) => (s.state === 'written' ? brief(s.text ?? '') : s.state)
