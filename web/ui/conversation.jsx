// One run or conversation: what was said, and beside it what every worker does.
import { signal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import * as store from './store.js'
import { settings } from './settings.js'
import { chooseModel, lacking } from './modelchoice.jsx'
import { faultText, seconds } from './run.js'
import { spent } from './usage.js'
import { Markdown } from './markdown.jsx'
import { CallCard } from './call.jsx'
import { Callers, Plan } from './describe.jsx'
import { Tree } from './tree.jsx'
import { fillInput, hasForm, startTool } from './start.jsx'
import { Icon } from './icons.jsx'
import { visible } from './diff.jsx'

const side = signal('talk') // on a phone one of the two is seen: talk or tree

export function Conversation() {
  store.tick.value
  const run = store.run.value
  return (
    <div class="split">
      <section class="pane" aria-label="Conversation" data-away={side.value !== 'talk'}>
        <header>
          <div class="titles grow">
            <h2 class="ellipsis">{store.about.value?.description || store.project.value}</h2>
            <Summary run={run} />
          </div>
          <button class="button phone-only" onClick={() => (side.value = 'tree')}>Workers</button>
        </header>
        <Talk run={run} />
        <Composer />
      </section>
      <section class="pane side" aria-label="Workers" data-away={side.value !== 'tree'}>
        <header>
          <h2 class="grow">Workers</h2>
          <button class="button phone-only" onClick={() => (side.value = 'talk')}>Conversation</button>
        </header>
        <Tree run={run} />
      </section>
    </div>
  )
}

function Summary({ run }) {
  store.tick.value
  if (run.status === 'idle') return null
  const text = run.status === 'running' ? 'running' : run.status === 'waiting' ? 'your turn' : `${run.status}, ${seconds(run.ms)}`
  return <span class="small muted" role="status">{[text, spent(run.usage)].filter(Boolean).join(' · ')}</span>
}

function Talk({ run }) {
  store.tick.value
  const box = useRef(null)
  const pinned = useRef(true)
  useLayoutEffect(() => {
    if (pinned.current && box.current) box.current.scrollTop = box.current.scrollHeight
  })
  const scrolled = () => {
    const b = box.current
    if (!b) return // it is just going away
    pinned.current = b.scrollHeight - b.scrollTop - b.clientHeight < 60
  }
  return (
    <div class="talk" ref={box} onScroll={scrolled} tabIndex={0} role="log" aria-label="What was said" aria-live="polite">
      {run.transcript.length === 0 && <Start />}
      {run.transcript.map((item) => <Item key={item.key} item={item} run={run} />)}
      {run.error && <div class="note error" role="alert">{faultText(run.error)}</div>}
      {run.denied.length > 0 && <div class="note warn">{run.denied.length === 1 ? 'One call was' : `${run.denied.length} calls were`} denied because nobody could be asked.</div>}
      {run.failed.length > 0 && <div class="note warn">{run.failed.length === 1 ? 'A worker' : `${run.failed.length} workers`} failed: {run.failed.slice(0, 5).join(', ')}{run.failed.length > 5 && ' …'}</div>}
    </div>
  )
}

function Item({ item, run }) {
  store.tick.value
  switch (item.kind) {
    case 'you':
      return item.text ? <div class="bubble you"><div class="who row"><span class="grow">You</span>{item.n && store.talking.value && !store.running.value && <button class="button quiet square" title="go back to before this message; what was stays as a conversation of its own" aria-label={`go back to before message ${item.n}`} onClick={() => back(item)}><Icon name="rewind" /></button>}</div>{item.text}</div> : null
    case 'golem':
      return (
        <div class="bubble golem">
          <div class="who">Golem</div>
          <Markdown text={item.said.text} live={item.said.live} />
        </div>
      )
    case 'call':
      return <CallCard run={run} id={item.id} />
    case 'notice':
      return <div class={`note small ${item.level}`}>{item.worker && item.depth > 0 ? `${item.worker}: ` : ''}{item.text}</div>
  }
  return null
}

/** What an empty conversation offers: the project's own suggestions. */
function Start() {
  const about = store.about.value
  const [plan, setPlan] = useState(null)
  useEffect(() => setPlan(null), [about])
  const ahead = () => plan ? setPlan(null) : store.attempt('looking ahead', async () => {
    const [run, tree] = await Promise.all([store.golem.plan(store.project.value, store.options()), store.golem.tree(store.project.value, store.options())])
    setPlan({ run, tree })
  })
  if (!about) return <div class="empty" role="status"><span class="mark running" />reading the project…</div>
  const faults = (about.faults ?? []).filter((f) => f.severity !== 'warning')
  if (faults.length) return <Faults faults={faults} />
  const from = settings.project(store.project.value)
  const made = store.golem.templates.find((t) => t.name === from.template)
  const example = store.examples.value.find((e) => e.name === from.example) ?? (made && about.model === `script:${made.name}` ? { inputs: [made.input] } : null)
  const lacks = lacking(about)
  return (
    <div class="empty">
      {lacks
        ? <><h3>One thing is missing</h3><p>{lacks}</p><button class="button primary" onClick={chooseModel}>Choose a model</button></>
        : <h3>{about.entry ? `${about.entry} is ready` : 'Ready'}</h3>}
      {!lacks && <p>{example?.about ?? 'Write a task below. Files it may change and calls that leave the sandbox wait for your answer.'}</p>}
      <div class="row">
        {(example?.inputs ?? []).map((text) => (
          <button class="button" key={text} onClick={() => store.send(text)}><Icon name="run" />{text}</button>
        ))}
      </div>
      <div class="row"><button class="button quiet small" aria-expanded={plan !== null} title="workers, models, tools, what asks, files and hosts; nothing runs" onClick={ahead}>What would happen?</button></div>
      {plan && <><Plan of={plan.run} /><Callers of={plan.tree} /></>}
      <Kept />
    </div>
  )
}

/** The conversations that were kept, to go on with. */
function Kept() {
  const [list, setList] = useState([])
  const name = store.project.value
  useEffect(() => {
    store.attempt('listing the conversations', async () => setList(await store.golem.conversations(name)))
  }, [name, store.running.value])
  if (!list.length) return null
  const save = (c) => store.attempt(c.id, async () => store.download(`${c.id}.md`, new TextEncoder().encode(await store.golem.exportConversation(name, c.id))))
  return (
    <section class="stack" aria-label="Conversations">
      <h3>Conversations</h3>
      <table class="list">
        <thead><tr><th scope="col">Title</th><th scope="col" class="wide-only">When</th><th scope="col">Status</th><th scope="col" class="nowrap">Cost</th><td /></tr></thead>
        <tbody>{list.slice(0, 100).map((c) => (
          <tr key={c.id}>
            <td><button class="button quiet" disabled={!!c.error} title={c.error ? faultText(c.error) : `go on with ${c.id}`} onClick={() => store.attempt(c.id, () => store.resume(c))}>{visible(c.title || c.id)}</button>{c.from && <span class="small muted"> branch, before message {c.from.at}</span>}</td>
            <td class="wide-only">{new Date(c.time).toLocaleString()}</td>
            <td>{c.error ? c.error.code : states[c.status] ?? c.status}</td>
            <td class="nowrap">{spent({ ...c.usage, cost_usd: c.usage.cost, cost_partial: c.usage.unpriced })}</td>
            <td><button class="button quiet square" aria-label={`download ${visible(c.title || c.id)} as Markdown`} onClick={() => save(c)}><Icon name="down" /></button></td>
          </tr>
        ))}</tbody>
      </table>
    </section>
  )
}

const states = { open: 'not finished', new: 'empty', needs_input: 'asked you' }
const drafts = (name) => `golem.draft.${name}`

/** Goes back to before a message, and puts its text where it can be changed. */
function back(item) {
  store.rewind(item.n)
  draft.value = { text: item.text }
}

const draft = signal(null) // a text for the composer

function Faults({ faults }) {
  return (
    <div class="stack">
      <h3>This project cannot run yet</h3>
      {faults.map((f, i) => (
        <div class="note error" key={i}>
          {faultText(f)}{' '}
          {f.where?.file && <button class="button" onClick={() => store.edit(f.where.file)}>Open {f.where.file}</button>}
        </div>
      ))}
    </div>
  )
}

/** What is typed and not sent yet outlives a reload, where the browser stores it. */
function keepDraft(name, text) {
  try {
    if (text) sessionStorage.setItem(drafts(name), text)
    else sessionStorage.removeItem(drafts(name))
  } catch {
    // a browser without storage
  }
}

function keptDraft(name) {
  try {
    return sessionStorage.getItem(drafts(name)) ?? ''
  } catch {
    return ''
  }
}

function Composer() {
  const name = store.project.value
  const [text, put] = useState('')
  const setText = (t) => {
    put(t)
    keepDraft(name, t)
  }
  useEffect(() => put(keptDraft(name)), [name])
  useEffect(() => {
    if (draft.value) setText(draft.value.text)
  }, [draft.value])
  const [attached, setAttached] = useState([])
  const field = useRef(null)
  const busy = store.running.value
  const talking = store.talking.value
  const about = store.about.value
  useEffect(() => {
    if (!busy) field.current?.focus({ preventScroll: true })
  }, [busy])
  const send = (e) => {
    e?.preventDefault()
    if (busy || !about?.entry) return
    if (!text.trim() && !attached.length && !about.emptyInput) return
    const given = text
    setText('')
    setAttached([])
    store.attempt('the run', async () => {
      if ((await store.send(given, attached)) || keptDraft(name)) return
      setText(given) // it was refused: nothing is lost
      setAttached(attached)
    })
  }
  const keys = (e) => {
    if (e.key === 'Enter' && !e.shiftKey && !e.isComposing) send(e)
  }
  const attach = async (e) => {
    const picked = [...e.target.files]
    e.target.value = ''
    const read = await Promise.all(picked.map(async (f) => ({ name: f.name, data: new Uint8Array(await f.arrayBuffer()) })))
    setAttached([...attached, ...read])
  }
  return (
    <form class="composer" onSubmit={send}>
      <label class="sr" for="task">Task</label>
      <textarea id="task" class="input" ref={field} rows={2} value={text} onInput={(e) => setText(e.target.value)} onKeyDown={keys}
        placeholder={talking ? 'Answer, or go on' : about?.input ? 'Input as JSON or text' : 'What should be done?'} />
      {attached.length > 0 && (
        <ul class="row small" aria-label="Attachments">
          {attached.map((f, i) => (
            <li key={i} class="button quiet">{f.name}
              <button type="button" class="button quiet square" aria-label={`remove ${f.name}`} onClick={() => setAttached(attached.filter((_, n) => n !== i))}><Icon name="close" /></button>
            </li>
          ))}
        </ul>
      )}
      <div class="row">
        <Choices disabled={busy || talking} talking={talking} />
        {!talking && <label class="button quiet" title="give files to the worker">
          <Icon name="plus" />Attach<input type="file" multiple class="sr" onChange={attach} disabled={busy} />
        </label>}
        {!busy && !talking && hasForm(about?.input) && <button type="button" class="button quiet" title="fill in the input, a field at a time" onClick={fillInput}>Form</button>}
        {!busy && <button type="button" class="button quiet" title="start a tool yourself" disabled={!about?.entry} onClick={startTool}>Tools</button>}
        <span class="grow" />
        {talking && !busy && <button type="button" class="button" onClick={() => store.endTalk()}>End</button>}
        {busy
          ? <button type="button" class="button primary" onClick={() => store.stop()}><Icon name="stop" />Stop</button>
          : <button class="button primary" disabled={!about?.entry}><Icon name="run" />{talking ? 'Send' : 'Run'}</button>}
      </div>
    </form>
  )
}

/** The model and the approval mode of the next run. */
function Choices({ disabled, talking }) {
  const name = store.project.value
  const [, again] = useState(0)
  const mine = settings.project(name)
  const about = store.about.value
  const scripts = store.files.value.filter((f) => !f.dir && /(^|\/)[^/]*script[^/]*\.ya?ml$/.test(f.path)).map((f) => `script:${f.path}`)
  const known = [...new Set([...scripts, mine.model].filter(Boolean))]
  const set = (choice) => {
    if (!settings.setProject(name, choice)) store.tell('this browser cannot store the choice: it is lost when the page is closed', 'warn')
    again((n) => n + 1)
    store.attempt('reading the project', store.inspect)
  }
  const model = (e) => {
    if (e.target.value !== 'other') return set({ model: e.target.value })
    chooseModel()
    again((n) => n + 1)
  }
  return (
    <>
      <label class="sr" for="model">Model</label>
      <select id="model" class="input pick" title={about?.model} value={mine.model ?? ''} onChange={model} disabled={disabled}>
        <option value="">{about?.model && !mine.model ? `project: ${about.model}` : 'model: the project’s own'}</option>
        {known.map((m) => <option key={m} value={m}>{m}</option>)}
        <option value="other">another model…</option>
      </select>
      <label class="sr" for="approval">Approvals</label>
      <select id="approval" class="input pick" value={mine.approval ?? ''} onChange={(e) => set({ approval: e.target.value })} disabled={disabled}>
        <option value="">approvals: as set</option>
        <option value="interactive">approvals: ask me</option>
        <option value="auto_deny">approvals: deny</option>
        <option value="approve_all">approvals: yes to all</option>
      </select>
      {!talking && <label class="button quiet small" title="go on talking after the first answer"><input type="checkbox" checked={about?.mode === 'chat' || mine.talk === true} disabled={disabled || about?.mode === 'chat'} onChange={(e) => set({ talk: e.target.checked })} />Conversation</label>}
    </>
  )
}

