// Shows a run turn by turn: what a model was given, its text and calls, its usage and time.
import { useState } from 'preact/hooks'
import { visible } from './diff.jsx'
import { Icon } from './icons.jsx'
import { seconds, shown } from './texts.js'
import { count, spent, thinking } from './usage.js'

const most = 1000 // turns that are drawn at most

/** The turns of one worker. prompt has its messages, if they were kept. */
export const Turns = ({ call, prompt }) => <div class="stack" role="group" aria-label={`turns of ${visible(call.name)}`}>{call.rounds.map((r, i) => <Turn key={i} call={call} at={i} prompt={prompt} />)}</div>

/** The turns of all workers, in the order in which they began. */
export function AllTurns({ calls, prompts }) {
  const all = calls.flatMap((call) => call.rounds.map((r, at) => ({ call, at, begun: r.begun ?? 0 }))).sort((a, b) => a.begun - b.begun)
  if (!all.length) return <p class="muted">No model was asked in this run.</p>
  return (
    <div class="stack turns">
      {Object.keys(prompts ?? {}).length === 0 && <p class="small muted">The prompts of this run were not kept. Settings has a switch that keeps those of later runs; of a run of the command line, open the trace together with the files of its --artifacts folder.</p>}
      {all.slice(0, most).map((t) => <Turn key={`${t.call.id} ${t.at}`} call={t.call} at={t.at} prompt={prompts?.[t.call.id]} named />)}
      {all.length > most && <p class="note">The first {most.toLocaleString()} of {count(all.length, 'turn')} are shown.</p>}
    </div>
  )
}

function Turn({ call, at, prompt, named }) {
  const [open, setOpen] = useState(false)
  const r = call.rounds[at]
  const then = r.calls.length ? r.calls.map((c) => c?.name).join(', ') : r.finish === 'stop' || !r.finish ? 'answers' : r.finish
  return (
    <details class="call" onToggle={(e) => setOpen(e.target.open)}>
      <summary>
        <span class="chev"><Icon name="chevron" /></span><strong>{named && `${visible(call.name)}, `}turn {visible(r.turn)}</strong>
        <span class="args ellipsis grow">{visible(then)}</span>
        <span class="small muted">{[r.reasoning?.ms > 0 ? `thought for ${seconds(r.reasoning.ms)}` : '', thinking(r.reasoning), Number.isFinite(r.ms) ? seconds(r.ms) : '', spent(r.usage)].filter(Boolean).join(' · ')}</span>
      </summary>
      {open && (
        <div class="detail">
          <Given prompt={prompt} rounds={call.rounds} at={at} />
          {shown(r.text) !== '' && <Block title="Answer" text={shown(r.text)} />}
          {r.calls.length > 0 && <p class="small">Calls {visible(r.calls.map((c) => c?.name).join(', '))}</p>}
        </div>
      )}
    </details>
  )
}

/** The messages that were new for the model in a turn, with a button that shows the earlier ones too. */
function Given({ prompt, rounds, at }) {
  const [all, setAll] = useState(false)
  if (!Array.isArray(prompt)) return null
  const upto = rounds[at].messages
  // After the conversation was compacted or begun again, the messages are no longer those of this turn.
  if (!(upto > 0) || upto > prompt.length || (prompt[upto] && prompt[upto].role !== 'assistant')) return <p class="small muted">What this turn was given is not kept: the conversation was shortened after it.</p>
  const before = at > 0 && rounds[at - 1].messages < upto ? rounds[at - 1].messages + 1 : 0
  const from = all ? 0 : before
  return (
    <>
      {before > 0 && <div><button class="button quiet small" aria-expanded={all} onClick={() => setAll(!all)}>{all ? 'Only what is new in this turn' : `With the ${count(before, 'message')} before`}</button></div>}
      {prompt.slice(from, upto).map((m, i) => <Block key={from + i} title={[m?.role, m?.tool].filter(Boolean).join(' ')} text={[m?.text, ...(m?.calls ?? []).map((c) => `→ ${c.name} ${c.args}`)].filter(Boolean).join('\n')} />)}
    </>
  )
}

const Block = ({ title, text }) => <div><h3>{visible(title)}</h3><pre class="block" tabIndex={0} role="region" aria-label={visible(title)}>{visible(text)}</pre></div>
