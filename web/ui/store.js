// The page's state, as signals, and what people do to it. Everything that is
// of golem goes through golem.js; everything that is of this browser alone
// (theme, last project, provider keys) is kept here.
import { signal, computed, batch } from '@preact/signals'
import { emptyRun, apply, faultText, recall, type } from './run.js'
import { settings } from './settings.js'
import { askYes } from './ask.jsx'

/** The golem.js object; set once by start. */
export let golem = null

export const ready = signal(false)
export const failure = signal('')
export const projects = signal([])
export const examples = signal([])
export const libraries = signal({ libraries: [], faults: [] })
export const view = signal('projects') // projects, run, workers, files, staged, trace, settings
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
export const looking = signal('') // the file of the worker that is looked at
export const tracing = signal('') // the run whose trace is looked at
export const refused = signal(null) // why the last message did not begin a run; null: it did
export const sent = signal(null) // the last message: {text, attachments, alone}
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
    if (!document.hidden && view.value === 'projects') attempt('listing the projects', refresh)
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

const seen = new Map() // what was shown of projects that were open before, by name

/** Opens a project and shows it; what runs in another one is stopped only after a yes. False if it stays as it is. */
export async function open(name, where = 'run') {
  if (name === project.value && about.value) {
    view.value = where
    return true
  }
  if (running.value && name !== project.value && !(await askYes(`Stop what runs in ${project.value}?`, `One project runs at a time: to open ${name}, golem stops the run. What it did stays, and its conversation is kept.`, 'Stop it', true))) return false
  await leave()
  if (project.value) seen.set(project.value, run.value)
  batch(() => {
    project.value = name
    about.value = null
    files.value = []
    staged.value = []
    run.value = seen.get(name) ?? emptyRun()
    refused.value = null
    chosen.value = ''
    editing.value = ''
    looking.value = ''
    tracing.value = ''
    view.value = where
  })
  settings.last = name
  settings.setProject(name, { used: Date.now() })
  try {
    await Promise.all([listFiles(), inspect(), listStaged()])
  } catch (e) {
    await refresh()
    if (name === project.value && !projects.value.some((p) => p.name === name)) { // deleted in another tab
      batch(() => {
        project.value = ''
        view.value = 'projects'
      })
    }
    throw e
  }
  return true
}

/** An empty conversation in the open project; the one before is kept. */
export async function fresh() {
  await leave()
  batch(() => {
    run.value = emptyRun()
    refused.value = null
    chosen.value = ''
  })
}

/** Forgets what was shown of a project that is deleted. */
export const forget = (name) => seen.delete(name)

/** What runs is not lost without a question. */
addEventListener('beforeunload', (e) => {
  if (running.value) e.preventDefault()
})

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

/** The place that the editor is to show next: {path, line}. */
export const place = signal(null)

/** Shows a file of the project in the editor, at a line if one is known. */
export function edit(path, line) {
  batch(() => {
    place.value = line === undefined ? null : { path, line }
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
    secrets: settings.secrets,
    config: settings.configuration() || undefined,
    prompts: settings.prompts || undefined,
  }
}

/** Sends what the person wrote: into the conversation, or as a new run, of another worker if one is named (alone: {entry, object}); false if the run could not begin. */
export async function send(text, attachments = [], alone = null) {
  if (running.value && !talking.value) return false
  sent.value = { text, attachments, alone }
  refused.value = null
  if (current && talking.value) {
    running.value = true
    type(run.value, text)
    current.send(text)
    return true
  }
  const before = run.value
  const keep = !alone && (about.value?.mode === 'chat' || settings.project(project.value).talk === true)
  const started = { ...options(), ...(alone && { entry: alone.entry }), attachments, approve: framed ? undefined : approve }
  batch(() => {
    run.value = emptyRun()
    chosen.value = ''
    running.value = true
    talking.value = keep
  })
  const input = typed(text, alone ? alone.object : about.value?.input)
  current = keep ? golem.chat(project.value, input, started) : golem.run(project.value, input, started)
  const begun = await follow(current)
  if (!begun && before.events && !run.value.events) run.value = before // what was there stays
  return begun
}

/** Sends the last message of the conversation once more: in an open one it takes the place of what came of it. */
export async function again() {
  const said = run.value.transcript.findLast((item) => item.kind === 'you')
  const text = said?.text ?? sent.value?.text ?? ''
  if (running.value) return false
  if (run.value.tool) return callTool(...run.value.tool)
  if (talking.value && said?.n) {
    rewind(said.n)
    current.send(text)
    return true
  }
  const last = sent.value?.text === text ? sent.value : { attachments: [] }
  return send(text, last.attachments, last.alone)
}

/** What was written, as an object if one is wanted and it is one. */
function typed(text, wanted) {
  if (!wanted) return text
  try {
    const value = JSON.parse(text)
    return value && typeof value === 'object' && !Array.isArray(value) ? value : text
  } catch {
    return text
  }
}

/** Runs one worker alone to try it, or calls one of its tools: a run of its own, which Run shows. */
export async function alone(entry, value, tool) {
  if (running.value) return tell('Something runs: stop it first.', 'warn')
  await leave()
  view.value = 'run'
  const object = typeof value !== 'string'
  return tool ? callTool(tool, value, entry) : send(object ? JSON.stringify(value) : value, [], { entry, object })
}

/** Calls a tool of the entry, or of a worker that is named, as the person: in an open conversation as /tool does, else as a run of its own. */
export async function callTool(name, args, entry) {
  if (running.value) return
  if (current && talking.value) {
    running.value = true
    current.send(`/tool ${name} ${JSON.stringify(args)}`)
    return
  }
  batch(() => {
    run.value = { ...emptyRun(), tool: [name, args, entry] }
    refused.value = null
    chosen.value = ''
    running.value = true
  })
  current = golem.call(project.value, name, args, { ...options(), ...(entry && { entry }), approve: framed ? undefined : approve })
  await follow(current)
}

/** Goes on with a kept conversation: at leaves out the person's message of that number and all after it, as a branch. */
export async function resume(kept, at) {
  if (running.value) return
  await leave()
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
      if (e.type === 'message') running.value = true
      schedule()
    }
    await handle.result
  } catch (e) {
    shown.status = 'error'
    const fault = { code: e.code ?? 'E_INTERRUPTED', message: e.message, hint: e.hint }
    if (begun) shown.error ??= fault
    else refused.value = fault
    if (view.value !== 'run') tell(faultText(fault), 'error')
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

/** Ends what runs in the open project, and its conversation. */
export async function leave() {
  const handle = current
  if (running.value) stop()
  if (talking.value) handle?.end()
  await handle?.result.catch(() => {})
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

const dark = matchMedia('(prefers-color-scheme: dark)')

/** Light, dark, or what the system has; the page remembers. */
export function setTheme(to) {
  const chosen = ['light', 'dark'].includes(to) ? to : 'system'
  theme.value = chosen === 'system' ? (dark.matches ? 'dark' : 'light') : chosen
  document.documentElement.dataset.theme = theme.value
  settings.theme = chosen
}
dark.addEventListener('change', () => setTheme(settings.theme))

/** Offers bytes as a file to keep. */
export function download(name, data) {
  const url = URL.createObjectURL(data instanceof Blob ? data : new Blob([data]))
  const a = document.createElement('a')
  a.href = url
  a.download = name
  a.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
