// Compares two runs: their usage, and each call in which they differ.
import { visible } from './diff.jsx'
import { brief } from './call.jsx'
import { byID, seconds, shown } from './run.js'
import { count, spent } from './usage.js'

const most = 500 // calls that are drawn at most

/** Returns the parts of a call that are compared, by name. */
const parts = (c) => ({ tool: c.name, arguments: shown(c.args), status: c.status, result: shown(c.result), model: c.model })

/** Returns all calls in order, each with the names of the parts that differ. A call that only one run made has the one name call. */
function differences(a, b) {
  const ids = [...new Set([...a.calls.keys(), ...b.calls.keys()])].sort(byID)
  return ids.map((id) => {
    const [x, y] = [a.calls.get(id), b.calls.get(id)]
    const of = x && y ? Object.keys(parts(x)).filter((name) => parts(x)[name] !== parts(y)[name]) : ['call']
    return { id, x, y, of }
  })
}

export function Compare({ a, b, leave }) {
  const [x, y] = [a.run, b.run]
  const all = differences(x, y)
  const other = all.filter((d) => d.of.length > 0)
  const facts = (run) => [visible(run.status), run.ms ? seconds(run.ms) : '', spent(run.usage) || 'no tokens', count(run.calls.size, 'call'), visible(shown(run.transcript.find((i) => i.kind === 'you')?.text).slice(0, 200))]
  const rows = ['Status', 'Duration', 'Used', 'Calls', 'Input'].map((name, i) => [name, facts(x)[i], facts(y)[i]])
  const cell = (c) => (c ? `${c.name} ${brief(c)}` : 'not called')
  return (
    <section class="stack" aria-label="Two runs compared">
      <div class="row"><h3 class="grow">Two runs compared</h3><button class="button" onClick={leave}>Leave</button></div>
      <div class="wide" tabIndex={0} role="region" aria-label="What they are"><table class="list">
        <thead><tr><td /><th scope="col" class="mono">{visible(a.name)}</th><th scope="col" class="mono">{visible(b.name)}</th></tr></thead>
        <tbody>
          {rows.map(([name, p, q]) => <tr key={name}><th scope="row">{name}</th><td>{p}</td><td>{p === q ? <span class="muted">the same</span> : q}</td></tr>)}
          <tr><th scope="row">Answer</th><td>{visible(shown(x.output).slice(0, 400))}</td><td>{shown(x.output) === shown(y.output) ? <span class="muted">the same</span> : visible(shown(y.output).slice(0, 400))}</td></tr>
        </tbody>
      </table></div>
      {other.length === 0
        ? <p>All {count(all.length, 'call')} are alike: tools, arguments, results and models.</p>
        : <>
            <p>{count(other.length, 'call')} of {all.length.toLocaleString()} {other.length === 1 ? 'differs' : 'differ'}.</p>
            <div class="wide" tabIndex={0} role="region" aria-label="What differs"><table class="list">
              <thead><tr><th scope="col">Call</th><th scope="col">Differs in</th><th scope="col">First</th><th scope="col">Second</th></tr></thead>
              <tbody>{other.slice(0, most).map((d) => <tr key={d.id}><th scope="row" class="mono">{visible(d.id)}</th><td>{d.of.join(', ')}</td><td class="small">{visible(cell(d.x))}</td><td class="small">{visible(cell(d.y))}</td></tr>)}</tbody>
            </table></div>
          </>}
    </section>
  )
}
