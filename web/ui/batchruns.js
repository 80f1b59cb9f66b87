// The batches that run in this tab. They go on while the page shows something else.
import { signal } from '@preact/signals'
import * as store from './store.js'
import { approver, here, put } from './sessions.js'
import { faultText } from './texts.js'

/** What runs: {run, at} by project and batch, where run is the Batch of golem.js and at its last event. */
export const live = signal(new Map())
/** How the runs ended that ended in this tab, by project and batch. */
export const ends = signal(new Map())

export const keyOf = (project, batch) => `${project}\n${batch}`

const setIn = (of, key, value) => {
  const next = new Map(of.value)
  if (value) next.set(key, value)
  else next.delete(key)
  of.value = next
}

/** Follows a batch to its end. Resolves to its name when it has begun, and rejects if it cannot begin. */
export const begin = (project, run) => new Promise((resolve, reject) => {
  let key = ''
  const follow = async () => {
    for await (const at of run) {
      key = keyOf(project, at.batch)
      setIn(ends, key, null)
      setIn(live, key, { run, at })
      resolve(at.batch)
    }
    const end = await run.result
    setIn(ends, key, end)
    if (project !== store.project.value || store.view.value !== 'batches') store.tell(`The batch ${end.batch} of ${project}: ${ended[end.status]}.`, end.exit === 0 ? 'info' : 'warn')
  }
  follow().catch((e) => (key ? store.tell(e.code ? faultText(e) : e.message, 'error') : reject(e))).finally(() => {
    if (key) setIn(live, key, null)
    if (project === store.project.value) store.attempt('reading the project', store.lists)
  })
})

export const ended = {
  ok: 'all items are done', error: 'items failed', parked: 'items wait for your answers', stopped: 'it stopped', interrupted: 'it was stopped', cancelled: 'it was cancelled',
}

addEventListener('beforeunload', (e) => live.value.size && e.preventDefault())

/** Returns the options with which a batch of the open project runs. */
export const options = () => ({ ...store.options(), approve: store.framed ? undefined : approver(here) })

/** Asks the person a question of a batch in the dialog of all questions. Resolves to the decision, or to null for later. */
export const asks = (request) => new Promise((resolve) => {
  const s = here
  const open = () => (s === here ? store.asked.value : s.asked)
  const done = (decision) => {
    put(s, { asked: open().filter((q) => q !== question) })
    resolve(decision)
  }
  const question = { request: { ...request, answers: ['yes', 'no'], lasting: undefined }, answer: done, later: () => done(null) }
  put(s, { asked: [...open(), question] })
})
