// The questions of the parked items of a batch: answered one after the other, or by a rule whose
// calls are shown before. The dialog of all questions asks them.
import { useEffect, useState } from 'preact/hooks'
import * as store from './store.js'
import { askText } from './ask.jsx'
import { asks } from './batchruns.js'
import { visible } from './diff.jsx'
import { count } from './usage.js'

const most = 20 // questions that are listed

/** round changes when items are parked; changed is called after an answer. */
export function Questions({ of, batch, round, changed, running }) {
  const [groups, setGroups] = useState(null)
  const read = async () => {
    const now = await of.questions(batch)
    setGroups(now)
    return now
  }
  useEffect(() => { store.attempt('reading the questions', read) }, [batch, round])
  if (!groups?.length) return null
  const n = groups.reduce((sum, g) => sum + g.items.length, 0)
  const give = async (answer) => {
    await of.answer(batch, answer)
    changed()
    return read()
  }
  /** Asks one question. Resolves to false if it is left for later. */
  const one = async (g) => {
    const why = `Yes covers this call in ${count(g.items.length, 'item')} of the batch: ${g.items.slice(0, 3).join(', ')}${g.items.length > 3 ? ', …' : ''}`
    const d = await asks({ ...g.question.request, id: `batch ${g.question.key}`, why })
    if (!d) return false
    await give({ question: g.question.key, answer: d.answer, reason: d.reason, text: d.text })
    return true
  }
  const all = () => store.attempt('answering', async () => {
    for (const g of groups) if (!await one(g)) break
  })
  const rule = (g) => store.attempt('the rule', async () => {
    const { question: { key, request } } = g
    const proposed = await of.covers(batch, key)
    const when = await askText(`Which calls of ${visible(request.tool)}?`, { label: 'ARG=PATTERN, for example path=/out/** text="two words"; *: any arguments', value: proposed.line, action: 'Show what it covers' })
    if (!when) return
    const c = await of.covers(batch, key, when)
    if (!c.covers.length) return store.tell(`The rule covers no question: ${c.text}`, 'warn')
    const items = c.covers.reduce((sum, one) => sum + one.items.length, 0)
    const lines = [
      { path: 'the rule', value: c.text, means: `It covers ${count(c.covers.length, 'question')} of ${count(items, 'item')}, and what items of this batch ask later that it matches.` },
      ...c.covers.map((one) => ({ path: one.question.request.tool, value: JSON.stringify(one.question.request.args), means: count(one.items.length, 'item') })),
    ]
    const d = await asks({ id: `rule ${key} ${c.shown}`, kind: 'rule', risk: request.risk, title: 'One answer for all these calls?', lines })
    if (!d) return
    await give({ question: key, when, shown: c.shown, answer: d.answer, reason: d.reason })
  })
  const ask = (g) => store.attempt('answering', () => one(g))
  return (
    <section class="stack" aria-label="Questions">
      <div class="row">
        <h3 class="grow">{count(groups.length, 'question')} of {count(n, 'item')}</h3>
        <button class="button primary" disabled={store.framed} onClick={all}>{groups.length === 1 ? 'Answer it' : 'Answer one after the other'}</button>
      </div>
      <ul class="stack">{groups.slice(0, most).map((g) => (
        <li key={g.question.key} class="note row">
          <span class="grow mono small">{headline(g.question.request)}</span><span class="small muted nowrap">{count(g.items.length, 'item')}</span>
          {g.question.of && <button class="button small" disabled={store.framed} title="one answer for all calls that a rule covers; they are shown first" onClick={() => rule(g)}>By a rule…</button>}
          {groups.length > 1 && <button class="button small" disabled={store.framed} onClick={() => ask(g)}>Answer…</button>}
        </li>
      ))}</ul>
      {groups.length > most && <p class="small muted">And {groups.length - most} more.</p>}
      {!running && <p class="small muted">The items wait without holding up the others. After your answers the batch goes on by a click on Go on.</p>}
    </section>
  )
}

function headline(r) {
  const text = r.title || `${r.tool} ${JSON.stringify(r.args)}`
  return visible(text.length > 160 ? `${text.slice(0, 160)}…` : text)
}
