// The view of what workers staged: each item with its diff, and buttons for the decision.
import { useEffect, useState } from 'preact/hooks'
import * as store from './store.js'
import { Diff, visible } from './diff.jsx'
import { askYes } from './ask.jsx'
import { faultText } from './texts.js'
import { Undoable } from './undo.jsx'
import { count } from './usage.js'

export function Staged() {
  const items = store.staged.value
  useEffect(() => { store.attempt('listing what is staged', store.listStaged) }, [store.running.value])
  return (
    <div class="page"><div class="inner stack">
      <h2>Staged changes</h2>
      {items.length === 0
        ? <p class="muted">Nothing waits. What a worker changes in a mount with <code>mode: staged</code>, or stages with the tool <code>stage</code>, waits here: the files stay as they are until you push.</p>
        : items.map((s) => <Item key={s.item.id} of={s} />)}
      <Undoable />
    </div></div>
  )
}

function Item({ of: { item, error, digest } }) {
  const [shown, setShown] = useState(null)
  const here = store.golem.clearance(store.project.value)
  const look = () => store.attempt(`item ${item.id}`, async () => setShown(await here.diff(item.id)))
  useEffect(() => { if (shown) look() }, [digest]) // its run has changed it since
  const decide = (what, how) => store.attempt(`${what} item ${item.id}`, async () => {
    try {
      const done = await here[what](item.id, how)
      store.tell(`${done.item.state}: item ${item.id}`)
    } finally {
      await Promise.all([store.listStaged(), store.listFiles(), store.inspect()])
    }
  })
  const definitions = shown?.files?.filter((f) => f.definition).map((f) => f.to) ?? []
  const push = async () => {
    if (definitions.length && !await askYes('Push files that define the project?', `Workers obey them: ${definitions.map(visible).join(', ')}`, 'Push them', true)) return
    decide('push', { digest: shown.digest, definitions })
  }
  const discard = async () => await askYes(`Discard item ${item.id}?`, 'What was staged is deleted, and the files stay as they are. This cannot be undone.', 'Discard it', true) && decide('discard')
  const decided = error || item.state === 'open'
  return (
    <section class="card stack" aria-label={`item ${item.id}`}>
      <div class="row">
        <b class="grow">{item.id} · {visible(item.message) || 'no message'}</b>
        <span class="muted">{error ? 'shown only' : item.state === 'pending' ? 'waits for you' : visible(item.state)}{item.type !== 'pending_export' && ` · ${visible(item.type).replaceAll('_', ' ')}`} · {count(item.changes?.length ?? 0, 'file')}{item.target ? ` → ${visible(item.target)}` : ''}</span>
      </div>
      {error && <p class="note error">{visible(faultText(error))}</p>}
      {item.state === 'open' && !error && <p class="muted">Its run still goes on.</p>}
      {shown && shown.files?.map((f) => (
        <div key={f.to} class="stack">
          <p><code>{visible(f.to)}</code>{f.definition && <b> defines the project</b>}</p>
          <Diff patch={f.patch} label={`changes of ${visible(f.to)}`} />
        </div>
      ))}
      <div class="row">
        {shown ? <button class="button" onClick={() => setShown(null)}>Hide</button> : <button class="button" onClick={look}>Show changes</button>}
        <span class="grow" />
        {!decided && item.state !== 'deferred' && <button class="button" onClick={() => decide('defer')}>Defer</button>}
        {!decided && <button class="button" onClick={discard}>Discard</button>}
        {!decided && shown && <button class="button primary" disabled={store.framed} onClick={push}>Push</button>}
      </div>
    </section>
  )
}
