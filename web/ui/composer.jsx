// The field in which the person writes: the text, attachments, the model, and the approval
// mode. A text that was not sent stays when the person opens another view.
import { effect, signal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import * as store from './store.js'
import { settings } from './settings.js'
import { chooseModel } from './models.js'
import { faultText } from './texts.js'
import { fillInput, hasForm, startTool } from './start.js'
import { helpOf } from './panes.js'
import { visible } from './diff.jsx'
import { Icon } from './icons.jsx'
import { entered } from './keys.jsx'
import { goToQuestion } from './approval.jsx'
import { later } from './later.jsx'

const Mention = later(() => import('./mention.jsx').then((m) => m.Mention), true)

const given = signal(null) // {text, files, changes} that draft puts into the field
const attached = signal({ project: '', files: [] })

/** Puts a text into the field, where the person can change and send it, with the files that went with it; changes: it is that of a run, which begins anew. */
export const draft = (text, files = [], changes = false) => (given.value = { text, files, changes })

const place = (name) => `golem.draft.${name}`

/** Keeps a text that was not sent, so that it survives a reload and a restart if the browser has storage. */
function keepDraft(name, text) {
  try {
    if (text) localStorage.setItem(place(name), text)
    else localStorage.removeItem(place(name))
  } catch {
    // a browser without storage
  }
}

effect(() => { // the text goes with its project
  const { name, to } = store.gone.value ?? {}
  if (to) keepDraft(to, keptDraft(name))
  if (name) keepDraft(name, '')
})

function keptDraft(name) {
  try {
    return localStorage.getItem(place(name)) ?? ''
  } catch {
    return ''
  }
}

const files = (name) => (attached.value.project === name ? attached.value.files : [])

const add = (name, more) => (attached.value = { project: name, files: [...files(name), ...more] })

/** Adds files as attachments of the next message. */
export async function attach(picked) {
  const name = store.project.value
  if (!picked.length) return
  await store.attempt('reading the files', async () => {
    const read = await Promise.all(picked.map(async (f) => ({ name: f.name, data: new Uint8Array(await f.arrayBuffer()) })))
    add(name, read)
  })
}

/** The fault because of which the project cannot run, with a button that opens the file. */
function Broken({ faults }) {
  const [f] = faults
  return (
    <div class="note error row" role="alert">
      <span class="grow">This project cannot run now: {faultText(f)}{faults.length > 1 && `, and ${faults.length - 1} more`}</span>
      {f.where?.file && <button type="button" class="button" onClick={() => store.edit(f.where.file, f.where.line)}>Open {visible(f.where.file)}</button>}
    </div>
  )
}

export function Composer() {
  const name = store.project.value
  const [text, put] = useState(() => keptDraft(name))
  const setText = (t) => {
    put(t)
    keepDraft(name, t)
  }
  useEffect(() => put(keptDraft(name)), [name])
  const [changes, setChanges] = useState(false)
  const mine = files(name)
  const setMine = (list) => (attached.value = { project: name, files: list })
  const field = useRef(null)
  useEffect(() => setChanges(false), [name, store.run.value, store.talking.value])
  useEffect(() => {
    if (!given.value) return
    const { text, files: sent, changes } = given.value
    setText(text)
    setChanges(changes)
    if (sent.length) setMine(sent.filter((f) => f.data))
    const lost = sent.filter((f) => !f.data).map((f) => visible(f.name))
    if (lost.length) store.tell(`Attach ${lost.join(', ')} again, if the message still needs it.`, 'warn')
    given.value = null
    field.current?.focus()
  }, [given.value])
  const busy = store.running.value
  const talking = store.talking.value
  const about = store.about.value
  const faults = (about?.faults ?? []).filter(store.hinders)
  const began = useRef(false)
  useLayoutEffect(() => { // before the person can press another key
    const at = document.activeElement
    // When a run ends, the field gets the focus only if the person has not moved it elsewhere.
    if (!busy && (!began.current || !at || at === document.body || at.closest('.composer'))) field.current?.focus({ preventScroll: true })
    began.current = true
  }, [busy])
  const send = (e) => {
    e?.preventDefault()
    if ((busy && !talking) || !about?.entry) return
    if (!text.trim() && !mine.length && !about.emptyInput) return
    setText('')
    setChanges(false)
    const [, resource] = /^\/attach (mcp:\S+)$/.exec(text.trim()) ?? []
    if (resource) return setMine([...mine, { name: resource, data: new Uint8Array() }])
    setMine([])
    store.attempt('the run', () => store.send(text, mine)).then((begun) => {
      if (begun || keptDraft(name)) return
      if (store.project.value === name) setText(text) // the run was refused: put the text back
      else keepDraft(name, text)
      setMine(mine)
    })
  }
  const keys = (e) => {
    if (entered(e)) send(e)
  }
  const mention = async (to, caret, path) => {
    setText(to)
    requestAnimationFrame(() => field.current?.setSelectionRange(caret, caret))
    if (!files(name).some((f) => f.path === path)) await store.attempt(`reading ${path}`, async () => add(name, [{ name: path.split('/').at(-1), path, data: await store.golem.files(name).read(path) }]))
  }
  const paste = (e) => {
    if (!e.clipboardData?.files.length) return
    e.preventDefault()
    attach([...e.clipboardData.files])
  }
  const picked = (e) => {
    const list = [...e.target.files]
    e.target.value = ''
    attach(list)
  }
  return (
    <form class="composer" aria-label="Your message" onSubmit={send}>
      {faults.length > 0 && store.run.value.transcript.length > 0 && !busy && <Broken faults={faults} />}
      <label class="sr" for="task">Task</label>
      <textarea id="task" class="input" ref={field} rows={2} value={text} onInput={(e) => setText(e.target.value)} onKeyDown={keys} onPaste={paste}
        placeholder={store.goesOn() ? 'Answer, or go on' : about?.input ? 'Input as JSON or text' : 'What should be done?'} />
      {text.includes('@') && <Mention field={field} text={text} pick={mention} />}
      {changes && text.trim() && <p class="row small waits" role="status"><span class="grow">You are changing your message: it begins a new run. The old one stays in the history.</span><button type="button" class="button small" onClick={() => draft('')}>Leave it as it was</button></p>}
      {store.asked.value.length > 0 && <p class="row small waits">What you type here does not answer the question. <button type="button" class="button small" onClick={goToQuestion}>Go to it</button> <kbd>F6</kbd></p>}
      {mine.length > 0 && (
        <ul class="row small attached" aria-label="Attachments">
          {mine.map((f, i) => (
            <li key={i}><Icon name="file" />{visible(f.name)}
              <button type="button" class="button quiet square" aria-label={`remove ${visible(f.name)}`} onClick={() => setMine(mine.filter((_, n) => n !== i))}><Icon name="close" /></button>
            </li>
          ))}
        </ul>
      )}
      <div class="row">
        <Choices disabled={busy || talking} talking={talking} busy={busy} />
        <label class="button quiet" title="give files to the worker; they can be dropped or pasted here, too; @ names a file of the project, /attach mcp:SERVER:URI a resource">
          <Icon name="plus" />Attach<input type="file" multiple class="sr" onChange={picked} />
        </label>
        {!busy && !talking && hasForm(about?.input) && <button type="button" class="button quiet" title="fill in the input, a field at a time" onClick={fillInput}>Form</button>}
        {!busy && <button type="button" class="button quiet" title={helpOf('tool')} disabled={!about?.entry} onClick={startTool}>Tools</button>}
        <span class="grow" />
        {talking && !busy && <button type="button" class="button" title="end the chat" onClick={() => store.leave()}>End</button>}
        {busy
          ? <>{talking && text.trim() && <button class="button" title="the model gets it before its next request">Send</button>}<button type="button" class="button primary" title={helpOf('stop')} onClick={() => store.stop()}><Icon name="stop" />Stop</button></>
          : <button class="button primary" disabled={!about?.entry} title={faults.length ? 'this project cannot run: its faults are listed above' : helpOf('send')}><Icon name="run" />{store.goesOn() ? 'Send' : 'Run'}</button>}
      </div>
    </form>
  )
}

/** The model and the approval mode of the next run. */
function Choices({ disabled, talking, busy }) {
  const name = store.project.value
  const [, again] = useState(0)
  const mine = settings.project(name)
  const about = store.about.value
  const scripts = store.files.value.filter((f) => !f.dir && /(^|\/)[^/]*script[^/]*\.ya?ml$/.test(f.path)).map((f) => `script:${f.path}`)
  const known = [...new Set([...scripts, mine.model, settings.model].filter(Boolean))]
  const set = (choice) => {
    if (!settings.setProject(name, choice)) store.tell('this browser cannot store the choice: it is lost when the page is closed', 'warn')
    again((n) => n + 1)
    store.attempt('reading the project', store.inspect)
  }
  const now = talking ? store.run.value.model || store.run.value.calls.get('0')?.model || mine.model || about?.model : ''
  const model = (e) => {
    if (talking && e.target.value !== 'other') {
      const name = e.target.value
      store.run.value.model = name
      return void store.attempt('the model', () => store.send(`/model ${name}`))
    }
    if (e.target.value !== 'other') return set({ model: e.target.value })
    chooseModel()
    again((n) => n + 1)
  }
  return (
    <>
      <label class="sr" for="model">Model</label>
      <select id="model" class="input pick" title={now || about?.model} value={talking ? now : mine.model ?? ''} onChange={model} disabled={busy}>
        {talking && now && !known.includes(now) && <option value={now}>{now}</option>}
        {!talking && <option value="">{about?.model && !mine.model ? `project: ${about.model}` : 'model: the project’s own'}</option>}
        {known.map((m) => <option key={m} value={m}>{m}</option>)}
        <option value="other">another model…</option>
      </select>
      <label class="sr" for="approval">Approvals</label>
      {talking ? <Permission /> : <select id="approval" class={`input pick ${mine.approval === 'approve_all' ? 'wider' : ''}`} value={mine.approval ?? ''} onChange={(e) => set({ approval: e.target.value })} disabled={disabled}>
        <option value="">approvals: as set</option>
        <option value="interactive">approvals: ask me</option>
        <option value="auto_deny">approvals: deny</option>
        <option value="approve_all">approvals: yes to all</option>
      </select>}
      {!talking && !busy && <label class="button quiet small" title="go on talking after the first answer"><input type="checkbox" checked={about?.mode === 'chat' || mine.talk === true} disabled={disabled || about?.mode === 'chat'} onChange={(e) => set({ talk: e.target.checked })} />Conversation</label>}
    </>
  )
}

/** What workers may do without a question in the open conversation. It begins with ask, also after a reload. */
function Permission() {
  store.tick.value
  const now = store.run.value.permission || 'ask'
  return (
    <select id="approval" class={`input pick ${now === 'edits' ? 'wider' : ''}`} value={now} title="edits: workers write files of the project without asking; plan: they only read" onChange={(e) => store.permit(e.target.value)}>
      <option value="ask">ask me</option>
      <option value="edits">edits: may write</option>
      <option value="plan">plan: only read</option>
    </select>
  )
}
