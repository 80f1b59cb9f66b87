// The view of one run or conversation: the messages, and beside them either the calls of all
// workers or the earlier conversations.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import * as store from './store.js'
import { settings } from './settings.js'
import { chooseModel, lacking } from './models.js'
import { isOver } from './calls.js'
import { faultText, seconds, titled } from './texts.js'
import { spent, thinking } from './usage.js'
import { visible } from './diff.jsx'
import { Entries, Long, Markdown } from './prose.jsx'
import { CallCard, below } from './call.jsx'
import { Copy } from './copy.jsx'
import { later } from './later.jsx'
import { still } from './still.js'
import { beside, helpOf, menu, side } from './panes.js'
import { Composer, attach, draft } from './composer.jsx'
import { Tree } from './tree.jsx'
import { Icon } from './icons.jsx'
import { assist } from './making.js'
import { bytes } from './size.js'
import { titleOf } from './transcript.js'

const Ahead = later(() => import('./describe.jsx').then((m) => m.Ahead))
const UndoHere = later(() => import('./undo.jsx').then((m) => m.UndoHere), true)
const History = later(() => import('./history.jsx').then((m) => m.History), true)
const Onward = later(() => import('./onward.jsx').then((m) => m.Onward), true)
const Menu = later(() => import('./menu.jsx').then((m) => m.Menu), true)

export function Conversation() {
  store.tick.value
  const run = store.run.value
  const [over, setOver] = useState(false)
  const drag = (e) => {
    if (!e.dataTransfer?.types.includes('Files')) return
    e.preventDefault()
    setOver(e.type !== 'dragleave' && e.type !== 'drop')
    if (e.type === 'drop') attach([...e.dataTransfer.files])
  }
  const show = (what) => {
    beside.value = what
    side.value = 'beside'
  }
  return (
    <>
    {menu.value && <Menu />}
    <div class="split">
      <section class={`pane ${over ? 'dropping' : ''}`} aria-label="Conversation" data-away={side.value !== 'talk'} onDragEnter={drag} onDragOver={drag} onDragLeave={drag} onDrop={drag}>
        <header>
          <Heading run={run} />
          {run.transcript.length > 0 && !store.running.value && <button class="button quiet square" aria-label="new conversation" title={helpOf('new')} onClick={() => store.fresh()}><Icon name="plus" /></button>}
          <button class="button quiet square" aria-label="what you can do" title="what you can do" aria-haspopup="dialog" onClick={() => (menu.value = true)}><Icon name="more" /></button>
          <button class="button quiet square phone-only" aria-label="This run" onClick={() => show('calls')}><Icon name="trace" /></button>
          <button class="button quiet square phone-only" aria-label="history" onClick={() => show('history')}><Icon name="chat" /></button>
        </header>
        <Talk run={run} />
        <Composer />
      </section>
      <section class="pane side" aria-label={beside.value === 'calls' ? 'This run' : 'History'} data-away={side.value !== 'beside'}>
        <header>
          <h2 class="sr">{beside.value === 'calls' ? 'This run' : 'History'}</h2>
          <div class="row grow" role="group" aria-label="What is shown here">
            {[['calls', 'This run'], ['history', 'History']].map(([name, title]) => <button key={name} class="button quiet" aria-pressed={beside.value === name} onClick={() => (beside.value = name)}>{title}</button>)}
          </div>
          <button class="button phone-only" onClick={() => (side.value = 'talk')}>Conversation</button>
        </header>
        {beside.value === 'calls' ? <Tree run={run} /> : <History beside />}
      </section>
    </div>
    </>
  )
}

/** The title of the conversation, with a button that changes it, and its worker. Before the first message it is what the project is for. */
function Heading({ run }) {
  store.tick.value
  const title = titleOf(run)
  const id = store.conversing()
  const about = store.about.value
  return (
    <div class="titles grow">
      <div class="row">
        <h2 class="ellipsis" title={title}>{visible(title || about?.description || store.project.value)}</h2>
        {title && id && <button class="button quiet square" disabled={store.running.value} aria-label="rename this conversation" title="rename" onClick={() => retitle({ id, title })}><Icon name="pen" /></button>}
      </div>
      <div class="row small muted">{title && <span class="ellipsis" title={about?.description}>{visible(run.calls.get('0')?.name || about?.entry || '')}</span>}<Summary run={run} /></div>
    </div>
  )
}

/** Asks the person for another title of a conversation. */
const retitle = (kept) => import('./history.jsx').then((m) => m.retitle(kept))

function Summary({ run }) {
  store.tick.value
  if (run.status === 'idle') return null
  const text = run.status === 'running' ? 'running' : run.status === 'waiting' ? 'your turn' : `${run.status}, ${seconds(run.ms)}`
  return <span role="status">{[text, spent(run.usage)].filter(Boolean).join(' · ')}</span>
}

function Talk({ run }) {
  store.tick.value
  const box = useRef(null)
  const pinned = useRef(true)
  const said = run.transcript.findLast((item) => item.kind === 'you')
  useLayoutEffect(() => {
    pinned.current = true // show a message that the person sends
  }, [said])
  useLayoutEffect(() => {
    box.current.pinned = pinned.current && run.transcript.length > 0 // the first screen is read from its beginning
    if (box.current.pinned) box.current.scrollTop = box.current.scrollHeight
  })
  useEffect(() => { // also if the window becomes lower, as with the keyboard of a phone
    const b = box.current
    const seen = new ResizeObserver(() => b.pinned && (b.scrollTop = b.scrollHeight))
    seen.observe(b)
    return () => seen.disconnect()
  }, [])
  const scrolled = () => {
    const b = box.current
    if (!b) return // the element is being removed
    b.pinned = pinned.current = b.scrollHeight - b.scrollTop - b.clientHeight < 60
  }
  const last = run.transcript.findLast((item) => item.kind === 'golem')
  return (
    <div class={`talk ${store.running.value ? 'busy' : ''}`} ref={box} onScroll={scrolled} tabIndex={0} role="log" aria-label="What was said" aria-live="polite">
      {run.transcript.length === 0 && <Start />}
      {drawn(run, last)}
      {(run.header?.run || run.kept) && <UndoHere key={run.header?.run ?? run.kept.id} run={run} />}
      <Trouble run={run} />
      <Broken run={run} />
      <Failed run={run} />
      {run.denied.length > 0 && <div class="note warn">{run.denied.length === 1 ? 'One call was' : `${run.denied.length} calls were`} denied because nobody could be asked.</div>}
      {run.failed.length > 0 && <div class="note warn">{run.failed.length === 1 ? 'A worker' : `${run.failed.length} workers`} failed: {run.failed.slice(0, 5).join(', ')}{run.failed.length > 5 && ' …'}</div>}
      {run.status === 'ok' && !run.tool && !store.running.value && store.about.value?.model?.startsWith('script:') && !settings.onward && <Onward />}
    </div>
  )
}

const chunk = 40 // entries of the transcript
const chunks = new WeakMap() // by run: the entries of its complete chunks, by the keys of the first and the last one

/** Returns the elements of the transcript. Those before the last ones are in chunks that are not drawn again, so that a message costs the same in a long conversation as in a short one. */
function drawn(run, last) {
  const all = grouped(run)
  const before = chunks.get(run)
  const kept = new Map()
  const out = []
  let at = 0
  for (; all.length - at >= 2 * chunk; at += chunk) {
    const items = all.slice(at, at + chunk)
    if (items.some((item) => item === last || (!item.calls && live(run, item)))) break
    const key = [items[0], items.at(-1)].map((item) => (item.calls ? `${item.calls[0].key}+${item.row.length}` : item.key)).join()
    kept.set(key, before?.get(key) ?? items)
    out.push(<Chunk key={key} items={kept.get(key)} run={run} />)
  }
  chunks.set(run, kept)
  return [...out, ...all.slice(at).map((item) => entry(run, item, last))]
}

const Chunk = still(({ items, run }) => <Entries text={items.map(words).join('\n')} draw={() => items.map((item) => entry(run, item))} />)

const words = (item) => (item.kind === 'golem' ? `Golem: ${item.said.text}` : item.kind === 'you' ? `You: ${item.text}` : item.text ?? '')

/** Returns the element of one entry. last is the last answer. */
const entry = (run, item, last) => item.calls
  ? <Calls key={item.calls[0].key} calls={item.calls} row={item.row} run={run} />
  : <Item key={item.key} item={item} run={run} open={live(run, item)} last={item === last && !store.running.value} text={item.text} n={item.n} steering={item.steering} />

const few = 3 // up to so many calls in a row are not grouped

/** Returns the transcript, in which more than few calls in a row are grouped, when all of them have ended. What the model thought between them is in the group. */
function grouped(run) {
  const out = []
  let row = []
  const flush = () => {
    const last = row.findLastIndex((item) => item.kind === 'call') + 1
    const calls = row.slice(0, last).filter((item) => item.kind === 'call')
    if (calls.length > few && calls.every((c) => isOver(run.calls.get(c.id)?.status))) out.push({ calls, row: row.slice(0, last) }, ...row.slice(last))
    else out.push(...row)
    row = []
  }
  for (const item of run.transcript) {
    if (item.kind === 'call' || (item.kind === 'thought' && row.length)) row.push(item)
    else {
      flush()
      out.push(item)
    }
  }
  if (store.running.value) out.push(...row) // more calls may follow
  else flush()
  return out
}

/** A group of calls on one line, which says how many of them failed. */
function Calls({ calls, row, run }) {
  const [seen, setSeen] = useState(false)
  const names = new Map()
  for (const c of calls) {
    const { name } = run.calls.get(c.id)
    names.set(name, (names.get(name) ?? 0) + 1)
  }
  const bad = calls.filter((c) => run.calls.get(c.id).status !== 'ok' || below(run, run.calls.get(c.id))).length
  return (
    <details class="call calls" onToggle={(e) => setSeen(e.target.open)}>
      <summary>
        <span class="chev"><Icon name="chevron" /></span>
        <strong>{calls.length} calls</strong>
        <span class="args ellipsis grow">{[...names].map(([name, n]) => (n > 1 ? `${name} ×${n}` : name)).join(', ')}</span>
        {bad > 0 && <span class="small bad">{bad} not done</span>}
      </summary>
      {seen && <div class="detail">{row.map((item) => (item.kind === 'call' ? <CallCard key={item.key} run={run} id={item.id} /> : <Thought key={item.key} said={item.said} />))}</div>}
    </details>
  )
}

/** Reports whether an item of the transcript can still change. */
const live = (run, item) => (item.kind === 'golem' ? item.said.live : item.kind === 'thought' ? item.said.live || run.calls.get('0')?.thought === item.said : item.kind === 'call' ? !isOver(run.calls.get(item.id)?.status) : item.waits && !item.n && !item.steering)

/** text, n and steering are those of the item, which changes in place. */
const Item = still(({ item, run, open, last }) => {
  if (open) store.tick.value // an item that cannot change is not drawn again
  switch (item.kind) {
    case 'you':
      return item.text || item.files?.length ? <div class="bubble you"><div class="who row"><h3 class="grow">You{item.waits && !item.n && !item.steering && store.running.value && <span class="small muted">, reaches the model before its next request</span>}</h3><Forms n={item.n} /><Mine item={item} n={item.n} /></div><Long text={item.text} />{item.files?.length > 0 && <Attached files={item.files} />}</div> : null
    case 'golem':
      return (
        <div class="bubble golem">
          <div class="who row"><h3 class="grow">Golem</h3>
            {!open && <Copy text={() => item.said.text} name="this answer" />}
            {last && <button class="button quiet square" aria-label="answer again" title="answer the last message again" onClick={() => store.attempt('the run', store.again)}><Icon name="again" /></button>}
          </div>
          <Markdown text={item.said.text} live={item.said.live} />
        </div>
      )
    case 'thought':
      return <Thought said={item.said} open={open} />
    case 'call':
      return <CallCard run={run} id={item.id} open={!!run.tool} />
    case 'notice':
      return <div class={`note small ${item.level}`}>{item.worker && item.depth > 0 ? `${item.worker}: ` : ''}{item.text}</div>
  }
  return null
})

/** What the model thought before an answer, on one line, which opens the text. open: it can still change. */
function Thought({ said, open }) {
  const [seen, setSeen] = useState(false)
  if (open) store.tick.value // said changes in place
  const time = said.spent ? said.spent.ms : said.live && said.begun ? Date.now() - said.begun : 0
  const words = said.live && !said.spent ? 'thinks' : 'thought'
  return (
    <details class="call thought" onToggle={(e) => setSeen(e.target.open)}>
      <summary><span class="chev"><Icon name="chevron" /></span><span class="small muted grow">{[time > 0 ? `${words} for ${seconds(time)}` : words, thinking(said.spent)].filter(Boolean).join(' · ')}</span></summary>
      {seen && <div class="detail"><Markdown text={said.text} live={said.live} /></div>}
    </details>
  )
}

/** The files that went with a message: {name, data} as they were sent, {name, bytes} in an event, {name} in a conversation that was opened again. */
const Attached = ({ files }) => (
  <ul class="row small attached" aria-label="Attachments">{files.map((f, i) => <li key={i}><Icon name="file" />{visible(f.name)}{(f.data?.length || f.bytes) > 0 && <span class="muted"> {bytes(f.data?.length || f.bytes)}</span>}</li>)}</ul>
)

/** The forms of a message, if it has several, because a branch begins there: ‹2/3›. */
function Forms({ n }) {
  const found = n && store.branches.value.find((b) => b.n === n)
  if (!found || found.ids.length < 2) return null
  const go = (to) => store.attempt('the branch', () => store.switchTo(found.ids[to]))
  const button = (to, sign, name) => <button class="button quiet square" disabled={store.running.value || !found.ids[to]} aria-label={`${name} form of message ${n}`} onClick={() => go(to)}>{sign}</button>
  return <span class="row forms" role="group" aria-label={`message ${n} has ${found.ids.length} forms`}>{button(found.index - 1, '‹', 'earlier')}<span class="small">{found.index + 1}/{found.ids.length}</span>{button(found.index + 1, '›', 'later')}</span>
}

/** The button beside a message of the person: go back to before it, or edit it. The styles hide it while something runs: to draw each message again would take longer the longer the conversation is. */
function Mine({ item, n }) {
  if (store.run.value.tool || (!n && store.goesBack())) return null // neither the arguments of a tool nor a command are a message
  const back = () => {
    store.attempt('going back', () => store.rewind(n))
    draft(item.text, item.files)
  }
  if (n && store.goesBack()) return <button class="button quiet square mine" title="go back to before this message, in a new conversation; the old one stays" aria-label={`go back to before message ${n}`} onClick={back}><Icon name="rewind" /></button>
  return <button class="button quiet square mine" title="change it and run it anew" aria-label="edit this message" onClick={() => draft(item.text, item.files, true)}><Icon name="pen" /></button>
}

/** What to do after an exchange of an open conversation that failed or was stopped: its message can be tried again. */
function Failed({ run }) {
  store.tick.value
  if (store.running.value || !store.talking.value || run.tool) return null
  const said = run.transcript.findLastIndex((item) => item.kind === 'you' && item.n)
  const after = said < 0 ? [] : run.transcript.slice(said + 1)
  const wrong = after.findLast((item) => item.kind === 'notice' && ['error', 'warn'].includes(item.level))
  if (!wrong || after.at(-1) !== wrong || after.some((item) => item.kind === 'you')) return null // a command failed, not the message
  return (
    <div class="row" role="group" aria-label="after the fault">
      <button class="button" onClick={() => store.attempt('the run', store.again)}>Try again</button>
      {wrong.level === 'error' && <button class="button" onClick={() => (store.view.value = 'settings')}>Settings</button>}
    </div>
  )
}

/** What is said of a conversation whose last exchange has no end: golem sends nothing again before the person says so. */
function Broken({ run }) {
  store.tick.value
  if (!run.broken || store.running.value) return null
  const { kept } = run
  const elsewhere = kept.status === 'running'
  const which = visible(titled(run.transcript.findLast((item) => item.kind === 'you')?.text ?? '') || kept.title || kept.id)
  return (
    <div class="note row warn" role="status">
      <span class="grow">{elsewhere ? 'This conversation goes on in another tab.' : kept.status === 'open' ? `“${which}” was interrupted before its answer was complete: its tab was closed or loaded again, or golem ended. Nothing is sent again until you say so.` : `The last run ended with ${kept.status}. Nothing is sent again until you say so.`}</span>
      {!elsewhere && <button class="button primary" onClick={() => store.attempt('the run', () => store.resume(kept))}>{kept.status === 'open' ? 'Go on' : 'Try again'}</button>}
    </div>
  )
}

const ofModel = ['E_MODEL', 'E_NETWORK', 'E_TIMEOUT']

/** The error of a run, with what to do about it. A stop by the person is not shown as an error. */
function Trouble({ run }) {
  store.tick.value
  const fault = store.refused.value ?? run.error ?? (run.status === 'interrupted' ? { code: 'E_INTERRUPTED' } : null)
  if (!fault || store.running.value) return null
  const stopped = fault.code === 'E_INTERRUPTED' && !store.refused.value
  return (
    <div class={`note row ${stopped ? 'info' : 'error'}`} role={stopped ? 'status' : 'alert'}>
      <span class="grow">{stopped ? 'You stopped it. What was done until then stays.' : faultText(fault)}</span>
      {!store.refused.value && <button class="button" onClick={() => store.attempt('the run', store.again)}>Try again</button>}
      {ofModel.includes(fault.code) && <button class="button" onClick={chooseModel}>Choose a model</button>}
      {ofModel.includes(fault.code) && <button class="button" onClick={() => (store.view.value = 'settings')}>Settings</button>}
    </div>
  )
}

/** The start of an empty conversation, with the project's suggestions. */
function Start() {
  const about = store.about.value
  const [plan, setPlan] = useState(null)
  useEffect(() => setPlan(null), [about])
  const ahead = () => plan ? setPlan(null) : store.attempt('looking ahead', async () => {
    const [run, tree] = await Promise.all([store.golem.plan(store.project.value, store.talk()), store.golem.tree(store.project.value, store.talk())])
    setPlan({ run, tree })
  })
  if (!about) {
    return store.unread.value
      ? <div class="empty"><p class="note error">{visible(store.unread.value)}</p><button class="button" onClick={() => store.attempt('reading the project', store.inspect)}>Try again</button></div>
      : <div class="empty" role="status"><span class="mark running" />reading the project…</div>
  }
  const faults = (about.faults ?? []).filter(store.hinders)
  if (faults.length) return <Faults faults={faults} />
  const from = settings.project(store.project.value)
  const made = store.golem.templates.find((t) => t.name === from.template)
  const example = store.examples.value.find((e) => e.name === from.example) ?? (made && about.model === `script:${made.name}` ? { inputs: [made.input] } : null)
  const lacks = lacking(about)
  return (
    <div class="empty">
      {from.first && <p class="lead">golem runs workers: text files that say what a language model should do and which files and tools it may use. They run in this tab, and you are asked before anything is changed.</p>}
      {store.assisting.value && <p class="lead">golem’s assistant reads the files of this project, and asks before it changes one. Attach files to a message, or put them here in the view Files.</p>}
      {lacks
        ? <><h3>One thing is missing</h3><p>{lacks}</p><button class="button primary" onClick={chooseModel}>Choose a model</button></>
        : <h3>{about.entry ? `${about.entry} is ready` : 'Ready'}</h3>}
      {!lacks && <p>{example?.about ?? (store.assisting.value ? 'Write below what you want. For workers of your own make a project in the view Projects.' : 'Write a task below. Files it may change and calls that leave the sandbox wait for your answer.')}{from.first && ' It plays from a script: no key and no network are needed.'}</p>}
      <div class="row">
        {(example?.inputs ?? []).map((text) => (
          <button class={`button ${from.first ? 'primary' : ''}`} key={text} onClick={() => store.send(text)}><Icon name="run" />{from.first ? 'Run the example' : 'Run'}: “{text}”</button>
        ))}
        {from.first && <button class="button" title="golem’s own worker, over a project without files; it needs a model" onClick={assist}><Icon name="chat" />Talk with the assistant</button>}
      </div>
      <div class="row"><button class="button quiet small" aria-expanded={plan !== null} title="workers, models, tools, what asks, files and hosts; nothing runs" onClick={ahead}>What would happen?</button></div>
      {plan && <Ahead run={plan.run} tree={plan.tree} />}
      {beside.value !== 'history' && <History />}
    </div>
  )
}

function Faults({ faults }) {
  return (
    <div class="stack">
      <h3>This project cannot run yet</h3>
      {faults.map((f, i) => (
        <div class="note row error" key={i}>
          <span class="grow">{faultText(f)}</span>
          {f.where?.file && <button class="button" onClick={() => store.edit(f.where.file, f.where.line)}>Open {f.where.file}</button>}
        </div>
      ))}
    </div>
  )
}
