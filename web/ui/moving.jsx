// Conversations that move: one is saved as a file, and one that comes from elsewhere is shown
// with all that it would change, before a person says yes.
import * as store from './store.js'
import { askMore } from './ask.jsx'
import { Diff, visible } from './diff.jsx'
import { count } from './usage.js'

const left = {
  size: 'it is too large', secret: 'it has a secret, which was not exported', protected: 'it defines the project, or no worker may read it',
  missing: 'it was not there any more', place: 'something else is in its place here',
}

/** Saves a conversation as a file, to go on with it on another machine or in a terminal. */
export const move = (c) => store.attempt(c.id, async () => store.download(`${c.id}.conversation.json`, await store.golem.moveConversation(store.project.value, c.id, store.options())))

/** Shows what is in such a file, and imports it after a yes. done is called then. @param {HTMLInputElement} input */
export const bring = (input, done) => input.files[0] && store.attempt(input.files[0].name, () => importFile(input.files[0], done)).finally(() => (input.value = ''))

async function importFile(file, done) {
  const name = store.project.value
  const data = new Uint8Array(await file.arrayBuffer())
  const plan = await store.golem.importConversation(name, data, store.options())
  if (!await askMore('Bring this conversation here?', <Plan plan={plan} />, plan.files.some((f) => f.diff) ? 'Bring it, and change these files' : 'Bring it')) return
  const { id } = await store.golem.importConversation(name, data, { ...store.options(), agreed: plan.digest })
  store.tell(`The conversation ${id} is here.`)
  await done?.()
}

function Plan({ plan }) {
  const { listing, origin, files } = plan
  const same = files.filter((f) => f.action === 'same').length
  return (
    <div class="stack">
      <p>{`“${visible(listing.title || listing.id)}”, with the worker ${visible(listing.worker)}: ${count(listing.messages, 'message')}, ${count(listing.turns, 'answer')}, the last exchange: ${visible(listing.status)}. As the file says, it is from the project ${visible(origin.project)}, golem ${visible(origin.version)} (${visible(origin.platform)}), ${visible(origin.at)}.`}</p>
      {plan.model && <p>{`The model ${visible(plan.model)} was chosen in it, and holds when it goes on.`}</p>}
      {plan.changed?.map((f) => <p key={f}>{`${visible(f)} is different here: golem asks about it when the conversation goes on.`}</p>)}
      {plan.instructions?.map((t) => <details key={t.worker + t.text} open><summary>{`It says that the instructions of ${visible(t.worker)} are these, and they hold when it goes on`}</summary><pre class="block">{t.text.split('\n').map(visible).join('\n')}</pre></details>)}
      {plan.doubts?.map((d) => <p key={d.tool + d.args}>{`${visible(d.tool)} ${visible(d.args)} has no known end: golem asks about it when the conversation goes on.`}</p>)}
      {files.filter((f) => f.action === 'leave').map((f) => <p key={f.path}>{`Left out: ${visible(f.path)}: ${left[f.why] ?? left.place}.`}</p>)}
      {files.filter((f) => f.action === 'make').map((f) => <p key={f.path}>{`The directory ${visible(f.path)} is made.`}</p>)}
      {files.filter((f) => f.diff).map((f) => (
        <section key={f.path}>
          <h3 class="small">{`${visible(f.path)}${f.action === 'remove' ? ', removed' : ''}${f.later ? ', changed after the conversation wrote it' : ''}`}</h3>
          <Diff patch={f.diff} label={`changes of ${visible(f.path)}`} />
        </section>
      ))}
      {same > 0 && <p>{`${same} of its files are so here already.`}</p>}
      <p class="small muted">It counts as content that nobody vouches for. Undo puts the files back.</p>
    </div>
  )
}
