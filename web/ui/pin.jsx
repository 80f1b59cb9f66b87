// Writes golem.lock, as golem lib lock does: it shows the change first and writes after a yes.
import { render } from 'preact'
import * as store from './store.js'
import { Diff } from './diff.jsx'
import { Dialog } from './ask.jsx'

/** Asks whether golem.lock may change like this. Resolves to true for yes. */
const askToPin = (patch) => new Promise((resolve) => {
  const place = document.body.appendChild(document.createElement('div'))
  const answer = (yes) => {
    render(null, place)
    place.remove()
    resolve(yes)
  }
  render(
    <Dialog title="Write golem.lock?" leave={() => answer(false)} submit={() => answer(true)} buttons={<button class="button primary">Write it</button>}>
      <p>golem then refuses a file of a library, a tool module and its description unless golem.lock has the file with its digest.</p>
      <Diff patch={patch} label="changes of golem.lock" />
    </Dialog>, place)
})

export const pin = () => store.attempt('writing golem.lock', async () => {
  const name = store.project.value
  const { patch } = await store.golem.lockLibraries(name, { ...store.options(), look: true })
  if (!patch) return store.tell('golem.lock is up to date')
  if (!(await askToPin(patch)) || name !== store.project.value) return
  await store.golem.lockLibraries(name, { ...store.options(), agreed: patch })
  await Promise.all([store.listFiles(), store.inspect()])
  store.tell('golem.lock is written')
})
