// Offers the workers of the open project to the browser's agent (WebMCP), after the person's yes.
// It is loaded only where the browser has document.modelContext. The yes is remembered with what
// it covered: other workers, descriptions or schemas ask again.
import { effect, signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import * as store from './store.js'
import { visible } from './visible.js'
import { approver, here } from './sessions.js'
import { settings } from './settings.js'

const offered = signal(null) // {project, tools, close}: what is offered now
let turn = 0

/** What a yes covers. */
const covers = (offers) => JSON.stringify(offers.map((o) => [o.name, o.worker, o.description, o.input ?? null]))

function withdraw() {
  turn++
  offered.value?.close()
  offered.value = null
}

/** Offers workers of the open project. A yes to all approvals is the person's for their own runs, not for those of an agent. */
async function offer(project, offers) {
  withdraw()
  const mine = turn
  const called = ({ worker, run }) => {
    store.tell(`The browser’s agent runs ${visible(worker)}.`)
    run.result.finally(() => project === store.project.value && store.lists().catch(() => {})).catch(() => {})
  }
  const { approval, ...options } = store.options()
  const made = await store.golem.expose(project, { ...options, approval: approval === 'auto_deny' ? approval : 'interactive', offers, approve: approver(here), called })
  if (mine !== turn || project !== store.project.value) return made.close()
  offered.value = { project, what: covers(offers), ...made }
}

// What a person once said yes to is offered again when the project is opened. It is withdrawn when the project is closed
// or its workers are others.
effect(() => {
  const project = store.project.value
  const ready = store.about.value && !store.assisting.value
  if (offered.peek() && offered.peek().project !== project) withdraw()
  const agreed = ready && !store.framed && settings.project(project).offered
  if (!agreed) return
  store.golem.offers(project, store.options()).then((offers) => {
    if (project !== store.project.value) return undefined
    const what = covers(offers)
    if (offered.value && offered.value.what !== what) withdraw()
    return what === agreed && !offered.value ? offer(project, offers) : undefined
  }).catch(() => {}) // the project has faults, which the page shows
})

/** A button in the view of workers, and what it leads to. */
export function Offer() {
  const project = store.project.value
  const [offers, setOffers] = useState(null)
  useEffect(() => setOffers(null), [project])
  if (store.framed || store.assisting.value) return null
  if (offered.value?.project === project) {
    return (
      <p class="note small row">
        <span class="grow">The browser’s agent can use {offered.value.tools.map(visible).join(', ')}. What asks you still asks you here.</span>
        <button class="button small" onClick={() => { settings.setProject(project, { offered: '' }); withdraw() }}>Withdraw</button>
      </p>
    )
  }
  const ask = () => store.attempt('reading the workers', async () => setOffers(await store.golem.offers(project, store.options())))
  if (!offers) return <div class="row"><button class="button small" onClick={ask}>Offer to the browser’s agent…</button></div>
  const yes = () => store.attempt('offering the workers', async () => {
    await offer(project, offers)
    settings.setProject(project, { offered: covers(offers) })
    setOffers(null)
  })
  return (
    <section class="note stack" aria-label="Offer to the browser’s agent">
      <p>While this project is open here, the agent of your browser may run these workers, with inputs that it chooses. What asks you still asks you here. The agent reads the answers.</p>
      <ul>{offers.map((o) => <li key={o.name}><strong class="mono">{visible(o.name)}</strong> {visible(o.description || 'no description')} <span class="muted">{o.input ? `takes ${Object.keys(o.input.properties ?? {}).map(visible).join(', ') || 'an object'}` : 'takes a text'}</span></li>)}</ul>
      <div class="row"><button class="button primary" onClick={yes}>Offer them</button><button class="button" onClick={() => setOffers(null)}>Not now</button></div>
    </section>
  )
}
