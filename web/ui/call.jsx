// A call as a card: one line that says what happens; a click opens the rest.
import { useEffect, useState } from 'preact/hooks'
import { Arguments, ordered } from './arguments.jsx'
import { Diff, visible } from './diff.jsx'
import { Icon } from './icons.jsx'
import { Markdown } from './prose.jsx'
import { isOver } from './calls.js'
import { faultText, plain, seconds, shown } from './texts.js'
import { count, spent } from './usage.js'
import { download, tick } from './store.js'

const signs = { ok: '✓', error: '!', denied: '✕', stopped: '✕', interrupted: '✕', not_run: '–', needs_input: '?', cut: '…' }
/** Returns how long a call took, or for a running call, how long it runs; "" in the first second of a running call. For a worker in a conversation it is the time of one answer. */
export function took(call) {
  if (call.lasted && (isOver(call.status) || (call.status === 'pending' && !call.turned))) return seconds(call.lasted)
  if (isOver(call.status)) return call.ms === null ? '' : seconds(call.ms) // null: a conversation that was opened again does not have it
  const since = call.begun && call.status === 'running' ? Math.floor((Date.now() - (call.turned || call.begun)) / 1000) : 0
  return since > 0 ? seconds(since * 1000).replace('.0', '') : ''
}

const words = { ok: 'done', error: 'failed', denied: 'denied', stopped: 'stopped', not_run: 'not run', needs_input: 'asks', running: 'running', pending: 'waiting', interrupted: 'interrupted', cut: 'without an end in this trace' }

/** The status of a call as a sign, and as a word for screen readers. */
export function Status({ call }) {
  if (!isOver(call.status)) tick.value
  const status = call.asking ? 'asking' : call.status
  return <span class={`mark ${status}`} role="img" aria-label={status === 'asking' ? 'waits for you' : words[status] ?? status}>{status === 'asking' ? '?' : signs[status] ?? ''}</span>
}

/** Returns the arguments on one line, each with its name, at most 160 characters. If the only argument is the text input, as of a worker, it returns that text. */
export function brief(call) {
  const args = plain(call.args)
  if (!args || typeof args !== 'object') return shown(args)
  const entries = ordered(args)
  const text = entries.length === 1 && typeof args.input === 'string' ? args.input : entries.map(([k, v]) => `${k}: ${JSON.stringify(v)}`).join(', ')
  return visible(text.length > 160 ? text.slice(0, 160) + '…' : text)
}

/** Returns what the calls below a call came to, if some were denied or failed: "1 denied, 2 failed"; '' if none. */
export function below(run, call) {
  let [denied, failed] = [0, 0]
  const look = (c) => {
    for (const id of c.children) {
      const child = run.calls.get(id)
      if (child.status === 'denied') denied++
      if (child.status === 'error') failed++
      look(child)
    }
  }
  look(call)
  return [denied && `${denied} denied`, failed && `${failed} failed`].filter(Boolean).join(', ')
}

export function CallCard({ run, id, open = false }) {
  const call = run.calls.get(id)
  if (!isOver(call?.status)) tick.value // draw again with each tick: calls change in place
  const [seen, setSeen] = useState(open)
  if (!call) return null
  const meta = [took(call), call.kind === 'worker' ? spent(call.usage) : ''].filter(Boolean).join(' · ')
  return (
    <details class="call" open={open} onToggle={(e) => setSeen(e.target.open)}>
      <summary>
        <span class="chev"><Icon name="chevron" /></span>
        <Status call={call} />
        <strong>{visible(call.name)}</strong>
        <span class="args ellipsis grow">{brief(call)}</span>
        {call.error && call.status !== 'stopped' && <span class="small bad">{call.error.code}</span>}
        {call.kind === 'worker' && <span class="small bad" title="calls below this one">{below(run, call)}</span>}
        <span class="small muted">{meta}</span>
      </summary>
      {seen && <Detail run={run} call={call} />}
    </details>
  )
}

/** All that the trace has about a call. */
export function Detail({ run, call, whole = false, turns = null }) {
  tick.value
  return (
    <div class="detail">
      {call.kind === 'worker' && call.model && <p class="small muted">{call.model}{call.source && ` · ${call.source}`} · {count(call.turns, 'turn')}{call.own && ` · of its own ${spent(call.own) || 'nothing'}`}</p>}
      {call.module && <p class="small muted">{visible(call.module)}{call.fuel ? ` · ${call.fuel.toLocaleString()} fuel` : ''}</p>}
      {call.args !== undefined && call.args !== null && <><h3>Arguments</h3><Arguments args={recorded(call.args)} closed={call.diffs.length > 0} /></>}
      {call.approvals.map((a, i) => <p class="small muted" key={i}>{approvalText(a)}{a.source === 'user' && call.waited ? `, answered after ${seconds(call.waited)}` : ''}</p>)}
      {turns}
      {call.notices.map((n, i) => <div class={`note small ${n.level}`} key={i}>{n.text}</div>)}
      {(whole || call.id !== '0') && (turns ? [] : call.says).filter((s) => s.text && !repeats(s.text, call.result)).map((s, i) => (
        <div key={i}><h3>{visible(call.name)} says</h3><Markdown text={s.text} /></div>
      ))}
      {call.children.map((id) => <CallCard key={id} run={run} id={id} />)}
      {call.diffs.map((d, i) => <div key={i}><h3>{visible(d.path)}</h3><Diff patch={d.patch} label={`changes to ${d.path}`} /></div>)}
      {call.error && <div class={`note small ${call.status === 'stopped' ? 'info' : 'error'}`}>{visible(faultText(call.error))}</div>}
      {call.result !== undefined && (whole || call.id !== '0' || call.kind !== 'worker') && <Block title="Result" text={shown(call.result)} />}
      {call.parts.map((p, i) => <Part key={i} part={p ?? {}} name={`${call.name}-${i + 1}`} />)}
    </div>
  )
}

/** Returns the arguments of a trace for display: a long string that is missing is shown as its beginning and a note. */
const recorded = (args) => (args && typeof args === 'object' && plain(args) === args ? Object.fromEntries(Object.entries(args).map(([k, v]) => [k, plain(v)])) : plain(args))

/** Reports whether the last text of a worker is the same as its result, which is shown below. */
function repeats(text, result) {
  if (result === undefined) return false
  try {
    return text === plain(result) || JSON.stringify(JSON.parse(text)) === JSON.stringify(result)
  } catch {
    return false // it is no JSON
  }
}

function approvalText(a) {
  const how = { setting: 'by its setting', cache: 'remembered', mode: 'by the mode', user: 'by you' }[a.source] ?? a.source
  return `${a.decision === 'run' ? 'Approved' : 'Denied'} ${how}${a.rule ? ` (${a.rule})` : ''}${a.reason ? `: ${a.reason}` : ''}`
}

const pictures = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

/** A part of a result that is not text: images are shown, other parts can be saved as a file. */
function Part({ part, name }) {
  const [url, setURL] = useState('')
  const type = String(part.mimeType ?? '')
  const title = visible(String(part.name || name))
  useEffect(() => {
    const data = pictures.includes(type) && bytesOf(part)
    if (!data) return undefined
    const made = URL.createObjectURL(new Blob([data], { type }))
    setURL(made)
    return () => URL.revokeObjectURL(made)
  }, [part])
  return (
    <div>
      <h3>{title}</h3>
      {url && <img class="part" src={url} alt={title} onError={() => setURL('')} />}
      <p class="row small muted"><span>{visible(type)}, {count(Number(part.bytes || 0), 'byte')}</span>
        <button class="button quiet square" disabled={!bytesOf(part)} aria-label={`download ${title}`} onClick={() => download(String(part.name || name).split('/').at(-1), bytesOf(part))}><Icon name="down" /></button></p>
    </div>
  )
}

/** Returns a part's bytes; null if they are missing beside the trace, or a secret was removed from them. */
function bytesOf(part) {
  try {
    return Uint8Array.from(atob(part.data), (c) => c.charCodeAt(0))
  } catch {
    return null
  }
}

function Block({ title, text }) {
  return (
    <div>
      <h3>{title}</h3>
      <pre class="block" tabIndex={0} role="region" aria-label={title}>{visible(text)}</pre>
    </div>
  )
}
