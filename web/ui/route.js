// Each view has an address in the URL's fragment, so that Back, a bookmark and a reload show
// the same view again:
//   #/p/PROJECT/run/CONVERSATION, #/p/PROJECT/workers/PATH, #/p/PROJECT/files/PATH,
//   #/p/PROJECT/trace/RUN, #/p/PROJECT/batches/BATCH, #/settings
import { effect, untracked } from '@preact/signals'
import * as store from './store.js'

const alone = ['projects', 'trace', 'settings'] // views that need no project
const views = [...alone, 'run', 'workers', 'files', 'staged', 'batches']
const coded = (path) => path.split('/').map(encodeURIComponent).join('/')

/** The signal with the item that a view shows, by view. */
const talk = { get value() { store.tick.value; return store.conversing() } }
const within = { run: talk, files: store.editing, trace: store.tracing, workers: store.looking, batches: store.batching }

function here() {
  const { project, view } = store
  if (view.value === 'projects' || (!project.value && !alone.includes(view.value))) return '#/projects'
  if (!project.value) return `#/${view.value}`
  const rest = within[view.value]?.value ?? ''
  return `#/p/${encodeURIComponent(project.value)}/${view.value}${rest && `/${coded(rest)}`}`
}

/** Returns what an address means: {project, view, rest}; null if it is not an address of a view. */
function read(hash) {
  if (!hash.startsWith('#/')) return null
  try {
    const [first, ...rest] = hash.slice(2).split('/').map(decodeURIComponent)
    if (first !== 'p') return alone.includes(first) ? { view: first } : null
    const [project, view, ...path] = rest
    return views.includes(view) ? { project, view, rest: path.join('/') } : null
  } catch {
    return null // invalid percent-encoding
  }
}

let going = false // the page is changing to the address, which therefore must not change

/** Shows the view that the address names. Resolves to false if it names none. */
export async function follow() {
  const to = read(location.hash)
  if (!to) return false
  going = true
  try {
    if (to.project) {
      const there = () => store.projects.value.some((p) => p.name === to.project)
      if (!there()) await store.refresh() // another tab may have made it
      if (!there()) {
        store.tell(`This browser has no project ${to.project}.`, 'warn')
        store.view.value = 'projects'
        return store.projects.value.length > 0
      }
      if (to.project !== store.project.value) {
        if (!(await store.attempt(`opening ${to.project}`, () => store.open(to.project, to.view)))) return true
        if (store.project.value !== to.project || store.view.value !== to.view) return true // the person has gone on meanwhile
      }
    }
    if (within[to.view] && to.view !== 'run') within[to.view].value = to.rest ?? ''
    store.view.value = to.view
    if (to.view === 'run' && to.rest) await store.attempt('opening the conversation', () => store.comeBack(to.rest))
    return true
  } finally {
    going = false
    write(to.view === 'run')
  }
}

/** Reports whether the URL is a link with a project that the page has not read yet (incoming in making.js). */
function linked() {
  const given = new URLSearchParams(location.hash.slice(1))
  return !location.hash.startsWith('#/') && (given.has('zip') || given.has('url'))
}

/** Sets the URL to the address of what is shown, unless it is a link that the page has not read yet. This is a new entry in the browser's history, or with replace it replaces the last one. */
export function write(replace = false) {
  const to = untracked(here)
  if (location.hash === to || going || linked()) return
  if (replace || !location.hash.startsWith('#/')) history.replaceState(null, '', to)
  else history.pushState(null, '', to)
}

/** From now on the URL changes when the page shows something else. */
export function keep() {
  effect(() => {
    const to = here()
    write(to.startsWith(`${location.hash}/`) && to.split('/')[3] === 'run') // a conversation that has begun is no new step
  })
}
