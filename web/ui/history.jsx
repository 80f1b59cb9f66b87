// The list of kept conversations, to look at and to continue.
import { useEffect, useRef, useState } from 'preact/hooks'
import * as store from './store.js'
import { visible } from './diff.jsx'
import { askText, askYes } from './ask.jsx'
import { faultText } from './texts.js'
import { spent } from './usage.js'
import { Icon } from './icons.jsx'

const states = { open: 'not finished', new: 'empty', needs_input: 'asked you' }
const most = 100 // rows that are drawn at most

/** Asks the person for another title of a kept conversation. */
export async function retitle({ id, title }) {
  const to = await askText('Title of the conversation', { label: 'Title', value: title, action: 'Keep it' })
  if (to && to !== title) await store.attempt('the title', () => store.rename(id, to))
}

/** Returns a list, the newest first, with another description of one conversation, which is first if it goes on. */
function updated(list, c) {
  const old = list.find((o) => o.id === c.id)
  return old && old.messages === c.messages && old.turns === c.turns ? list.map((o) => (o === old ? c : o)) : [c, ...list.filter((o) => o !== old)]
}

/** @param {{beside?: boolean}} props beside: in the column beside a conversation, one line each */
export function History({ beside }) {
  const [list, setList] = useState(null)
  const [words, setWords] = useState('')
  const name = store.project.value
  const listAll = () => store.attempt('listing the conversations', async () => setList(await store.golem.conversations(name, { search: words })))
  useEffect(() => {
    const timer = setTimeout(listAll, words ? 300 : 0)
    const seen = () => document.hidden || listAll() // another tab may have changed some
    document.addEventListener('visibilitychange', seen)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', seen)
    }
  }, [name, words])
  const now = store.conversing()
  const last = useRef(now)
  useEffect(() => {
    if (!list) return
    if (words || !now) return void listAll()
    const ids = [...new Set([now, last.current])].filter(Boolean)
    last.current = now
    // Only what can have changed is read again: golem reads the whole of each conversation that it lists.
    Promise.all(ids.map((id) => store.keptOf(name, id))).then((read) => setList((all) => all && read.filter(Boolean).reduceRight(updated, all)))
  }, [now, store.running.value, store.talking.value, store.run.value.transcript.length > 0])
  const rename = async (c) => {
    await retitle(c)
    await listAll()
  }
  const search = store.golem.renameConversation && <input class="input small" type="search" aria-label="search the conversations" placeholder="Search titles and texts" value={words} onInput={(e) => setWords(e.target.value)} />
  const none = list && !list.length && <p class="empty small">No conversation has these words.</p>
  const moving = (act) => import('./moving.jsx').then(act)
  const bring = store.golem.importConversation && <label class="button quiet small" title="take over a conversation from a terminal or another browser">Bring a conversation…<input type="file" class="sr" accept=".json" onChange={(e) => moving((m) => m.bring(e.target, listAll))} /></label>
  if (!list?.length && !words) return list && <>{beside && <p class="empty small">Each conversation is kept here, to go on with it later.</p>}{bring}</>
  const save = (c) => store.attempt(c.id, async () => store.download(`${c.id}.md`, new TextEncoder().encode(await store.golem.exportConversation(name, c.id))))
  const remove = async (c) => {
    if (!await askYes('Remove this conversation?', `${visible(c.title || c.id)}: it cannot be resumed any more. Files stay as they are.`, 'Remove it', true)) return
    await store.attempt(c.id, () => store.golem.removeConversation(name, c.id))
    await listAll()
  }
  const on = (c) => (
    <button class={beside ? 'node' : 'button quiet'} aria-current={here(c) ? 'true' : undefined} disabled={!!c.error || store.running.value} title={c.error ? faultText(c.error) : `go on with ${c.id}`} onClick={() => store.attempt(c.id, () => store.reopen(c))}>
      <span class="ellipsis">{visible(c.title || c.id)}</span>
    </button>
  )
  const branch = (c) => c.from && `branch, before message ${c.from.at}`
  const here = (c) => c.id === store.conversing()
  const how = (c) => (c.error ? c.error.code : c.status === 'running' ? (here(c) ? 'open here' : 'open in another tab') : states[c.status] ?? c.status)
  const pen = (c) => store.golem.renameConversation && <button class="button quiet square" disabled={c.status === 'running' && c.id !== store.conversing()} aria-label={`rename ${visible(c.title || c.id)}`} title="rename" onClick={() => rename(c)}><Icon name="pen" /></button>
  if (beside) return <><div class="past-search">{search}</div>{none}<ul class="scroll grow tree">{(list ?? []).slice(0, most).map((c) => <li key={c.id}><div class="row past-row">{on(c)}{pen(c)}</div><p class="small muted past">{[new Date(c.time).toLocaleString([], { dateStyle: 'short', timeStyle: 'short' }), how(c), spent({ ...c.usage, cost_usd: c.usage.cost, cost_partial: c.usage.unpriced }), branch(c)].filter(Boolean).join(' · ')}</p></li>)}</ul></>
  return (
    <section class="stack" aria-label="Conversations">
      <div class="row"><h3 class="grow">Conversations</h3>{bring}{search}</div>{none}
      <table class="list" aria-label="Conversations">
        <thead><tr><th scope="col">Title</th><th scope="col" class="wide-only">Last message</th><th scope="col" class="nowrap">Status</th><th scope="col" class="nowrap">Used</th><td /></tr></thead>
        <tbody>{(list ?? []).slice(0, most).map((c) => (
          <tr key={c.id}>
            <td>{on(c)}<div class="small muted">{branch(c)}</div></td>
            <td class="wide-only">{new Date(c.time).toLocaleString()}</td>
            <td class="nowrap">{how(c)}</td>
            <td class="nowrap">{spent({ ...c.usage, cost_usd: c.usage.cost, cost_partial: c.usage.unpriced })}</td>
            <td>{pen(c)}<button class="button quiet square" aria-label={`download ${visible(c.title || c.id)} as Markdown`} onClick={() => save(c)}><Icon name="down" /></button>
              {bring && <button class="button quiet square" disabled={!!c.error || c.status === 'running'} aria-label={`move ${visible(c.title || c.id)}`} title="save it as a file, to go on in a terminal or another browser" onClick={() => moving((m) => m.move(c))}><Icon name="up" /></button>}
              <button class="button quiet square" disabled={c.status === 'running'} aria-label={`remove ${visible(c.title || c.id)}`} onClick={() => remove(c)}><Icon name="trash" /></button></td>
          </tr>
        ))}</tbody>
      </table>
    </section>
  )
}
