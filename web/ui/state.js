// The page's state, as signals, and the functions that read it from golem. All that concerns
// projects and runs goes through golem.js; what concerns only this browser (theme, last
// project, provider keys) is in settings.js.
import { signal, computed, batch } from '@preact/signals'
import { emptyRun } from './run.js'
import { faultText } from './texts.js'
import { settings } from './settings.js'

/** The golem.js object; set once by start. */
export let golem = null

export const ready = signal(false)
export const failure = signal('')
export const projects = signal([])
export const examples = signal([])
export const libraries = signal({ libraries: [], faults: [] })
export const view = signal('projects') // projects, run, workers, files, staged, batches, trace, settings
export const project = signal('') // the open project's name
export const about = signal(null) // its description, from golem.open: entry, mode, model, faults
export const assisting = signal(false) // the open project has no worker: the person talks with golem's assistant about its files
export const unread = signal('') // why the open project could not be read
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
export const batching = signal('') // the name of the batch that is shown
export const tracing = signal('') // the name of the trace that is shown
export const elsewhere = signal([]) // the projects that are not open and in which something runs: {name, asks, title}, where asks counts the questions and title is that of the last one
export const refused = signal(null) // the fault because of which the last message began no run; null: it began one

export const opened = computed(() => projects.value.find((p) => p.name === project.value))

let told = 0

/** Shows a notice. A new notice replaces an older one. */
export function tell(text, level = 'info') {
  toast.value = { text, level, n: ++told }
}

const textOf = (e) => (e.code ? faultText(e) : e.message)

/** Runs doing. If it fails, shows a notice with the error, which begins with what, and resolves to undefined. */
export async function attempt(what, doing) {
  try {
    return await doing()
  } catch (e) {
    tell(`${what}: ${textOf(e)}`, 'error')
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

/** The browser asks before the page is left while something runs. */
addEventListener('beforeunload', (e) => {
  if (running.value || elsewhere.value.length) e.preventDefault()
})

/** Lists the staged items that wait for the person. */
export async function listStaged() {
  const name = project.value
  const listed = await golem.clearance(name).list()
  if (name === project.value) staged.value = listed
}

/** Reads the files and the staged items of the open project. */
export const lists = () => Promise.all([listFiles(), listStaged()])

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

/** Reports whether the project cannot run because of a fault: a warning and a fault of a test do not hinder it. */
export const hinders = (fault) => fault.severity !== 'warning' && !fault.where?.file?.startsWith('tests/')

/** Reads the description of the project, and its faults, from golem. */
export async function inspect() {
  const name = project.value
  try {
    const told = await golem.open(name, options())
    const bare = told.bare === true && !options().entry
    const shown = bare ? { ...told, ...(await golem.open(name, { ...options(), assistant: true })) } : told
    if (name === project.value) batch(() => {
      about.value = shown
      assisting.value = bare
    })
  } catch (e) {
    if (name === project.value) unread.value = textOf(e)
    throw e
  }
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
    ...settings.given(),
    prompts: settings.prompts || undefined,
  }
}

/** Returns the options of a run of the open project's entry, or of the assistant. */
export const talk = () => ({ ...options(), assistant: assisting.value || undefined })

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
