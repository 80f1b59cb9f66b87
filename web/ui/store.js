// The page's state, as signals, and the functions that change it. All that concerns projects
// and runs goes through golem.js; what concerns only this browser (theme, last project,
// provider keys) is in settings.js.
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
export const about = signal(null) // its description, from golem.open: entry, mode, model, faults
export const files = signal([])
export const toast = signal(null)
export const theme = signal(document.documentElement.dataset.theme || 'light')
export const persisted = signal(null)
export const storage = signal(null)

/** The run that is shown. The object changes in place; then tick changes. */
export const run = signal(emptyRun())
export const tick = signal(0)
export const running = signal(false)
export const talking = signal(false) // a conversation is open
export const staged = signal([]) // items that wait for a decision, as golem.clearance lists them
export const asked = signal([]) // open approval questions, oldest first
export const chosen = signal('') // the id of the call whose details are shown
export const editing = signal('') // the path of the file in the editor
export const looking = signal('') // the path of the worker that is shown
export const tracing = signal('') // the name of the trace that is shown
export const refused = signal(null) // the fault because of which the last message began no run; null: it began one
export const sent = signal(null) // the last message: {text, attachments, alone}
let current = null // the Run of golem.js that is in progress

export const opened = computed(() => projects.value.find((p) => p.name === project.value))

/** Shows a notice. A new notice replaces an older one. */
export function tell(text, level = 'info') {
  toast.value = { text, level }
}

/** Runs doing. If it fails, shows a notice with the error, which begins with what, and resolves to undefined. */
export async function attempt(what, doing) {
  try {
    return await doing()
  } catch (e) {
    tell(`${what}: ${e.code ? faultText(e) : e.message}`, 'error')
    return undefined
  }
}

/** Starts the page with a golem and the list of examples. */
export async function start(made, shipped) {
  golem = made
  examples.value = shipped
  await refresh()
  ready.value = true
  // Another tab may have changed the lists meanwhile (S4-21).
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden && view.value === 'projects') attempt('listing the projects', refresh)
    if (!document.hidden && project.value) attempt('reading the project', lists)
  })
  await look()
}

export async function refresh() {
  projects.value = await golem.list()
  libraries.value = await golem.libraries()
}

/** Reads how much of the browser's storage is used, and whether the browser may clear it. */
export async function look() {
  if (!navigator.storage) return
  storage.value = await navigator.storage.estimate()
  persisted.value = (await navigator.storage.persisted?.()) ?? null
}

const seen = new Map() // what was shown for projects that were open before, by name

/** Opens a project and shows it. If a run of another project would be stopped, it asks first. Resolves to false if the person said no. */
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
    await Promise.all([lists(), inspect()])
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

/** Begins an empty conversation in the open project; the last one is kept. */
export async function fresh() {
  await leave()
  batch(() => {
    run.value = emptyRun()
    refused.value = null
    chosen.value = ''
  })
}

/** Removes what was shown for a project that is deleted. */
export const forget = (name) => seen.delete(name)

/** The browser asks before the page is left while something runs. */
addEventListener('beforeunload', (e) => {
  if (running.value) e.preventDefault()
})

/** Lists the staged items that wait for the person. */
export async function listStaged() {
  const name = project.value
  const listed = await golem.clearance(name).list()
  if (name === project.value) staged.value = listed
}

const lists = () => Promise.all([listFiles(), listStaged()])

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

/** Reads the description of the project, and its faults, from golem. */
export async function inspect() {
  const name = project.value
  const told = await golem.open(name, options())
  if (name === project.value) about.value = told
}

/** Whether the page is in a frame of another page. There it shows no questions, because the other page could steal clicks (SECURITY 23). */
export const framed = window.top !== window.self

/** Returns the options of a run from the person's choices for this project. */
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

/** Sends the person's text: to the open conversation, or as a new run, with alone ({entry, object}) of another worker than the entry. Resolves to false if the run could not begin. */
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
  if (!begun && before.events && !run.value.events) run.value = before // show the earlier run again
  return begun
}

/** Sends the last message once more. In an open conversation it first goes back to before that message. */
export async function again() {
  const said = run.value.transcript.findLast((item) => item.kind === 'you')
  const text = said?.text ?? sent.value?.text ?? ''
  if (running.value) return false
  if (run.value.tool) return callTool(...run.value.tool)
  if (talking.value && said?.n && sent.value?.text === text && sent.value.attachments.length) await leave() // files go only with the first message
  else if (talking.value && said?.n) {
    rewind(said.n)
    current.send(text)
    return true
  }
  const last = sent.value?.text === text ? sent.value : { attachments: [] }
  return send(text, last.attachments, last.alone)
}

/** Returns the text, or if wanted and the text is a JSON object, that object. */
function typed(text, wanted) {
  if (!wanted) return text
  try {
    const value = JSON.parse(text)
    return value && typeof value === 'object' && !Array.isArray(value) ? value : text
  } catch {
    return text
  }
}

/** Runs one worker alone to try it, or calls one of its tools, in a new run, which the view Run shows. */
export async function alone(entry, value, tool) {
  if (running.value) return tell('Something runs: stop it first.', 'warn')
  await leave()
  view.value = 'run'
  const object = typeof value !== 'string'
  return tool ? callTool(tool, value, entry) : send(object ? JSON.stringify(value) : value, [], { entry, object })
}

/** Calls a tool of the entry, or of the worker entry, for the person: in an open conversation with /tool, else in a new run. */
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

/** Continues a kept conversation. With at, it branches off before the person's message of that number. */
export async function resume(kept, at) {
  if (running.value) return
  await leave()
  const { said } = await golem.conversation(project.value, kept.id)
  const cut = at ? said.findIndex((s) => s.n === at) : -1
  // An interrupted run continues with its answer; a chat, or a run that has answered, waits for the next message.
  const keep = kept.mode === 'chat' || ['ok', 'needs_input'].includes(kept.status) || at > 0
  const started = { ...options(), resume: kept.id, at, approve: framed ? undefined : approve }
  batch(() => {
    run.value = recall(emptyRun(), cut < 0 ? said : said.slice(0, cut))
    refused.value = null
    chosen.value = ''
    running.value = true
    talking.value = keep
  })
  current = keep ? golem.chat(project.value, null, started) : golem.run(project.value, '', started)
  await follow(current)
}

/** Goes back, in the open conversation, to before the person's message of this number; it becomes a branch. */
export function rewind(n) {
  if (running.value || !talking.value) return
  const shown = run.value
  const at = shown.transcript.findIndex((item) => item.kind === 'you' && item.n === n)
  if (at >= 0) shown.transcript.length = at
  running.value = true
  current.send(`/rewind ${n}`)
}

/** Applies the events of a run until it has ended. Resolves to false if it could not begin. */
async function follow(handle) {
  const shown = run.value
  let begun = false
  const clock = setInterval(schedule, 1000) // running calls show how long they run
  try {
    for await (const e of handle) {
      begun ||= e.type === 'run.start'
      apply(shown, e)
      if (e.type === 'clearance') attempt('listing what is staged', listStaged)
      if (talking.value && (e.type === 'idle' || e.type === 'prompt')) {
        running.value = false
        attempt('listing the files', listFiles)
      }
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
    await lists()
    await look()
  })
  return begun
}

let due = 0
/** Draws the run again in the next frame, once for any number of events. */
function schedule() {
  if (due) return
  due = requestAnimationFrame(() => {
    due = 0
    tick.value++
  })
}

/** Stops the run, or in a conversation the current exchange; the trace is completed. */
export function stop() {
  for (const q of asked.value) q.answer({ answer: 'no', reason: 'stopped' })
  asked.value = []
  if (talking.value) current?.stop()
  else current?.cancel()
}

/** Stops the run of the open project, ends its conversation, and resolves when it has ended. */
export async function leave() {
  const handle = current
  if (running.value) stop()
  if (talking.value) handle?.end()
  await handle?.result.catch(() => {})
}

/** Asks the person a question of golem, and resolves to the answer. signal aborts if the question is withdrawn. */
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

/** Sets the theme, light, dark or system, and stores the choice. */
export function setTheme(to) {
  const chosen = ['light', 'dark'].includes(to) ? to : 'system'
  theme.value = chosen === 'system' ? (dark.matches ? 'dark' : 'light') : chosen
  document.documentElement.dataset.theme = theme.value
  settings.theme = chosen
}
dark.addEventListener('change', () => setTheme(settings.theme))

/** Downloads bytes as a file. */
export function download(name, data) {
  const url = URL.createObjectURL(data instanceof Blob ? data : new Blob([data]))
  const a = document.createElement('a')
  a.href = url
  a.download = name
  a.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
