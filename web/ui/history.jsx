// The list of kept conversations, to look at and to continue.
import { useEffect, useState } from 'preact/hooks'
import * as store from './store.js'
import { visible } from './diff.jsx'
import { askYes } from './ask.jsx'
import { faultText } from './run.js'
import { spent } from './usage.js'
import { Icon } from './icons.jsx'

const states = { open: 'not finished', new: 'empty', needs_input: 'asked you' }
const most = 100 // rows that are drawn at most

/** @param {{beside?: boolean}} props beside: in the column beside a conversation, one line each */
export function History({ beside }) {
  const [list, setList] = useState(null)
  const name = store.project.value
  const listAll = () => store.attempt('listing the conversations', async () => setList(await store.golem.conversations(name)))
  useEffect(() => { listAll() }, [name, store.running.value, store.talking.value])
  if (!list?.length) return beside && list && <p class="empty small">Each conversation is kept here, to go on with it later.</p>
  const save = (c) => store.attempt(c.id, async () => store.download(`${c.id}.md`, new TextEncoder().encode(await store.golem.exportConversation(name, c.id))))
  const remove = async (c) => {
    if (!await askYes('Remove this conversation?', `${visible(c.title || c.id)}: it cannot be resumed any more. Files stay as they are.`, 'Remove it', true)) return
    await store.attempt(c.id, () => store.golem.removeConversation(name, c.id))
    await listAll()
  }
  const on = (c) => (
    <button class={beside ? 'node' : 'button quiet'} disabled={!!c.error || store.running.value} title={c.error ? faultText(c.error) : `go on with ${c.id}`} onClick={() => store.attempt(c.id, () => store.resume(c))}>
      <span class="ellipsis">{visible(c.title || c.id)}</span>
      {beside && <span class="meta">{new Date(c.time).toLocaleString([], { dateStyle: 'short', timeStyle: 'short' })}</span>}
    </button>
  )
  const branch = (c) => c.from && `branch, before message ${c.from.at}`
  const how = (c) => (c.error ? c.error.code : states[c.status] ?? c.status)
  if (beside) return <ul class="scroll grow tree">{list.slice(0, most).map((c) => <li key={c.id}>{on(c)}<p class="small muted past">{[how(c), spent({ ...c.usage, cost_usd: c.usage.cost, cost_partial: c.usage.unpriced }), branch(c)].filter(Boolean).join(' · ')}</p></li>)}</ul>
  return (
    <section class="stack" aria-label="Conversations">
      <h3>Conversations</h3>
      <table class="list">
        <thead><tr><th scope="col">Title</th><th scope="col" class="wide-only">When</th><th scope="col" class="nowrap">Status</th><th scope="col" class="nowrap">Cost</th><td /></tr></thead>
        <tbody>{list.slice(0, most).map((c) => (
          <tr key={c.id}>
            <td>{on(c)}<div class="small muted">{branch(c)}</div></td>
            <td class="wide-only">{new Date(c.time).toLocaleString()}</td>
            <td class="nowrap">{how(c)}</td>
            <td class="nowrap">{spent({ ...c.usage, cost_usd: c.usage.cost, cost_partial: c.usage.unpriced })}</td>
            <td><button class="button quiet square" aria-label={`download ${visible(c.title || c.id)} as Markdown`} onClick={() => save(c)}><Icon name="down" /></button>
              <button class="button quiet square" disabled={c.status === 'running'} aria-label={`remove ${visible(c.title || c.id)}`} onClick={() => remove(c)}><Icon name="trash" /></button></td>
          </tr>
        ))}</tbody>
      </table>
    </section>
  )
}
