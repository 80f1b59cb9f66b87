// The page's state, as signals, and what people do to it. Everything that is
// of golem goes through golem.js; everything that is of this browser alone
// (theme, last project, provider keys) is kept here.
import { signal, computed, batch } from '@preact/signals'
import { emptyRun, apply, faultText, recall, type } from './run.js'
import { settings } from './settings.js'

/** The golem.js object; set once by start. */
export let golem = null

export const ready = signal(false)
export const failure = signal('')
export const projects = signal([])
export const examples = signal([])
export const libraries = signal({ libraries: [], faults: [] })
export const view = signal('projects') // projects, run, files, trace, settings
export const project = signal('') // the open project's name
export const about = signal(null) // what golem says of it: entry, mode, model, faults
export const files = signal([])
export const toast = signal(null)
export const theme = signal(document.documentElement.dataset.theme || 'light')
export const persisted = signal(null)
export const storage = signal(null)

/** The run that is shown. Its object changes in place; tick tells that it did. */
export const run = signal(emptyRun())
export const tick = signal(0)
export const running = signal(false)
export const talking = signal(false) // a conversation is open
export const staged = signal([]) // what waits for a decision, as golem.clearance lists it
export const asked = signal([]) // approvals that wait, oldest first
export const chosen = signal('') // the call that is looked at
export const editing = signal('') // the file in the editor
let current = null // golem.js's handle of the run under way

export const opened = computed(() => projects.value.find((p) => p.name === project.value))

/** Tells a person something, until they close it or the next one comes. */
export function tell(text, level = 'info') {
  toast.value = { text, level }
}

/** Runs what a person asked for, and tells what went wrong. */
export async function attempt(what, doing) {
  try {
    return await doing()
  } catch (e) {
    tell(`${what}: ${e.code ? faultText(e) : e.message}`, 'error')
    return undefined
  }
}

/** Starts the page on a golem. */
export async function start(made, shipped) {
  golem = made
  examples.value = shipped
  await refresh()
  ready.value = true
  // Another tab, or what it runs, may have decided on items meanwhile (S4-21).
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden && project.value) attempt('listing what is staged', listStaged)
  })
  await look()
}

export async function refresh() {
  projects.value = await golem.list()
  libraries.value = await golem.libraries()
}

/** How much of the browser's storage is used, and whether it may be cleared. */
export async function look() {
  if (!navigator.storage) return
  storage.value = await navigator.storage.estimate()
  persisted.value = (await navigator.storage.persisted?.()) ?? null
}

/** Opens a project and shows it. */
export async function open(name, where = 'run') {
  if (running.value && name !== project.value) stop()
  await endTalk()
  batch(() => {
    project.value = name
    about.value = null
    files.value = []
    staged.value = []
    run.value = emptyRun()
    chosen.value = ''
    editing.value = ''
    view.value = where
  })
  settings.last = name
  await Promise.all([listFiles(), inspect(), listStaged()])
}

/** What workers staged and waits for the person. */
export async function listStaged() {
  const name = project.value
  const listed = await golem.clearance(name).list()
  if (name === project.value) staged.value = listed
}

export async function listFiles() {
  const name = project.value
  const listed = await golem.files(name).list()
  if (name === project.value) files.value = listed
}

/** Shows a file of the project in the editor. */
export function edit(path) {
  batch(() => {
    editing.value = path
    view.value = 'files'
  })
}

/** Asks golem what the project is, and every problem it has. */
export async function inspect() {
  const name = project.value
  const told = await golem.open(name, options())
  if (name === project.value) about.value = told
}

/** In a frame of another page no question is shown: a click there may be stolen (SECURITY 23). */
export const framed = window.top !== window.self

/** What a run is given besides its input: the person's choices for this project. */
export function options() {
  const mine = settings.project(project.value)
  return {
    model: mine.model || undefined,
    approval: mine.approval || undefined,
    entry: mine.entry || undefined,
    env: settings.environment(),
    config: settings.config || undefined,
  }
}

/** Sends what the person wrote: into the conversation, or as a new run; false if the run could not begin. */
export async function send(text, attachments = []) {
  if (running.value && !talking.value) return false
  if (current && talking.value) {
    running.value = true
    type(run.value, text)
    current.send(text)
    return true
  }
  const keep = about.value?.mode === 'chat' || settings.project(project.value).talk === true
  const started = { ...options(), attachments, approve: framed ? undefined : approve }
  batch(() => {
    run.value = emptyRun()
    chosen.value = ''
    running.value = true
    talking.value = keep
  })
  const input = typed(text)
  current = keep ? golem.chat(project.value, input, started) : golem.run(project.value, input, started)
  return follow(current)
}

/** What was written, as an object if the entry wants one and it is one. */
function typed(text) {
  if (!about.value?.input) return text
  try {
    const value = JSON.parse(text)
    return value && typeof value === 'object' && !Array.isArray(value) ? value : text
  } catch {
    return text
  }
}

/** Calls a tool of the entry as the person: in an open conversation as /tool does, else as a run of its own. */
export async function callTool(name, args) {
  if (running.value) return
  if (current && talking.value) {
    running.value = true
    current.send(`/tool ${name} ${JSON.stringify(args)}`)
    return
  }
  batch(() => {
    run.value = emptyRun()
    chosen.value = ''
    running.value = true
  })
  current = golem.call(project.value, name, args, { ...options(), approve: framed ? undefined : approve })
  await follow(current)
}

/** Goes on with a kept conversation: at leaves out the person's message of that number and all after it, as a branch. */
export async function resume(kept, at) {
  if (running.value) return
  await endTalk()
  const { said } = await golem.conversation(project.value, kept.id)
  const cut = at ? said.findIndex((s) => s.n === at) : -1
  // What a run was to answer, it goes on with; a chat waits for the next message.
  const keep = kept.mode === 'chat' || ['ok', 'needs_input'].includes(kept.status) || at > 0
  const started = { ...options(), resume: kept.id, at, approve: framed ? undefined : approve }
  batch(() => {
    run.value = recall(emptyRun(), cut < 0 ? said : said.slice(0, cut))
    chosen.value = ''
    running.value = true
    talking.value = keep
  })
  current = keep ? golem.chat(project.value, null, started) : golem.run(project.value, '', started)
  await follow(current)
}

/** Goes back in the open conversation to before the person's message of a number; it becomes a branch. */
export function rewind(n) {
  if (running.value || !talking.value) return
  const shown = run.value
  const at = shown.transcript.findIndex((item) => item.kind === 'you' && item.n === n)
  if (at >= 0) shown.transcript.length = at
  running.value = true
  current.send(`/rewind ${n}`)
}

/** Takes the events of a run until it has ended; false if it could not begin. */
async function follow(handle) {
  const shown = run.value
  let begun = false
  const clock = setInterval(schedule, 1000) // what runs shows how long
  try {
    for await (const e of handle) {
      begun ||= e.type === 'run.start'
      apply(shown, e)
      if (e.type === 'clearance') attempt('listing what is staged', listStaged)
      if (talking.value && (e.type === 'idle' || e.type === 'prompt')) running.value = false
      schedule()
    }
    await handle.result
  } catch (e) {
    shown.status = 'error'
    shown.error ??= { code: e.code ?? 'E_INTERRUPTED', message: e.message, hint: e.hint }
    tell(e.code ? faultText(e) : e.message, 'error')
  }
  clearInterval(clock)
  if (current === handle) {
    batch(() => {
      current = null
      running.value = false
      talking.value = false
      asked.value = []
      tick.value++
    })
  }
  await attempt('reading the project', async () => {
    await Promise.all([listFiles(), listStaged()])
    await look()
  })
  return begun
}

let due = 0
/** Draws at most once a frame, however many events come. */
function schedule() {
  if (due) return
  due = requestAnimationFrame(() => {
    due = 0
    tick.value++
  })
}

/** Ends what runs, of a conversation the exchange; the trace ends properly. */
export function stop() {
  for (const q of asked.value) q.answer({ answer: 'no', reason: 'stopped' })
  asked.value = []
  if (talking.value) current?.stop()
  else current?.cancel()
}

/** Ends an open conversation. */
export async function endTalk() {
  if (!current || !talking.value) return
  const handle = current
  handle.end()
  await handle.result.catch(() => {})
}

/** golem's question to the person; the answer is bound to the request, which may be withdrawn. */
function approve(request, signal) {
  return new Promise((resolve) => {
    const question = {
      request,
      answer(decision) {
        asked.value = asked.value.filter((q) => q !== question)
        resolve(decision)
      },
    }
    asked.value = [...asked.value, question]
    signal.addEventListener('abort', () => question.answer(null), { once: true })
  })
}

/** Light or dark; the page remembers. */
export function setTheme(to) {
  theme.value = to
  document.documentElement.dataset.theme = to
  settings.theme = to
}

/** Offers bytes as a file to keep. */
export function download(name, data) {
  const url = URL.createObjectURL(data instanceof Blob ? data : new Blob([data]))
  const a = document.createElement('a')
  a.href = url
  a.download = name
  a.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
