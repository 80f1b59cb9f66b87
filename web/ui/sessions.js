// What goes on in each project. The signals of state.js have the session of the open project.
// What runs in other projects goes on meanwhile.
import { batch } from '@preact/signals'
import { asked, elsewhere, run, running, talking } from './state.js'
import { emptyRun } from './run.js'

/** In how many projects something can run at the same time. */
export const most = navigator.deviceMemory < 4 ? 2 : 4

/** A session: current is its Run of golem.js, null if it has ended; followed resolves when its end is shown; left: the person went to another project while its conversation was open; ending: that conversation is being ended. */
const session = (name) => ({ name, current: null, followed: Promise.resolve(), run: emptyRun(), running: false, talking: false, asked: [], left: false, ending: false })
const signals = { run, running, talking, asked }
const others = new Map() // the sessions of the projects that are not open, by project

/** The session of the open project. */
export let here = session('')

const list = () => {
  elsewhere.value = [...others.values()].filter((s) => s.running).map((s) => ({ name: s.name, asks: s.asked.length, title: s.asked.at(-1)?.request.title ?? s.asked.at(-1)?.request.tool ?? '' }))
}

/** Changes run, running, talking or asked of a session. */
export const put = (s, changes) => batch(() => {
  Object.assign(s, changes)
  if (s !== here) return list()
  for (const [name, value] of Object.entries(changes)) signals[name].value = value
})

/** Shows the session of another project. */
export const turnTo = (name) => batch(() => {
  for (const [key, of] of Object.entries(signals)) here[key] = of.value
  if (here.name) others.set(here.name, here)
  here = others.get(name) ?? session(name)
  others.delete(name)
  here.left = false
  for (const [key, of] of Object.entries(signals)) of.value = here[key]
  list()
})

/** Returns the session of a project; undefined if it was not open since the page was loaded. */
export const sessionOf = (name) => (name === here.name ? here : others.get(name))

/** Gives the session of a project that was renamed its new name. */
export function renameSession(name, to) {
  const s = sessionOf(name)
  if (!s) return
  s.name = to
  if (others.delete(name)) others.set(to, s)
}

export const removeSession = (name) => {
  others.delete(name)
  if (name === here.name) here = session('')
}

/** Returns the function that asks the person a question of golem in a session, and resolves to the answer. Its signal aborts if the question is withdrawn. */
export const approver = (s) => (request, signal) => new Promise((resolve) => {
  const open = () => (s === here ? asked.value : s.asked)
  const question = {
    request,
    answer(decision) {
      put(s, { asked: open().filter((q) => q !== question) })
      resolve(decision)
    },
  }
  put(s, { asked: [...open(), question] })
  signal.addEventListener('abort', () => question.answer(null), { once: true })
})
