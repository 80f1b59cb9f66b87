// Shows what runs wrote directly: each part of a run, which in a conversation is an exchange, with
// its diff, and a button to undo it.
import { useEffect, useState } from 'preact/hooks'
import * as store from './store.js'
import { Diff, visible } from './diff.jsx'
import { askYes } from './ask.jsx'
import { faultText } from './texts.js'
import { count } from './usage.js'
import { undoing } from './panes.js'

/** Returns the runs that can be undone, newest first; the function that lists them again; and whether the list has what the last run wrote. They are also listed again when a run ends. */
function useRuns() {
  const [runs, setRuns] = useState([])
  const [complete, setComplete] = useState(false)
  const name = store.project.value
  const list = () => store.attempt('listing what can be undone', async () => { setRuns(await store.golem.undo(name).list()); setComplete(true) })
  useEffect(() => { setComplete(false); if (!store.running.value) list() }, [name, store.running.value])
  return [runs, list, complete]
}

/** All runs of the project that can be undone. */
export function Undoable() {
  const [runs, again] = useRuns()
  if (!runs.length) return null
  return (
    <>
      <h2>What runs wrote</h2>
      <p class="muted">A run that wrote files directly can be undone: all of it or, if a file has changed since, nothing.</p>
      {runs.map((r) => <Undo key={r.item.id} of={r} again={again} />)}
    </>
  )
}

/** The part for the conversation or run that is shown, if it wrote files: its last exchange that wrote, all of them, or what was undone. */
export function UndoHere({ run }) {
  const [runs, again, complete] = useRuns()
  useEffect(() => () => (undoing.value = ''), [])
  const ids = new Set([run.header?.run, run.conversation, run.kept?.id]) // a conversation that was resumed has several runs
  const mine = store.running.value ? [] : runs.filter((r) => ids.has(r.item.run))
  const left = mine.filter((r) => r.item.state !== 'undone')
  const gone = mine.filter((r) => r.item.state === 'undone')
  const open = undoing.value
  const nothing = open === 'one' && complete && !left.length
  useEffect(() => {
    if (!nothing || store.running.value) return
    undoing.value = ''
    store.tell('This conversation wrote no files that can be put back. Staged lists what other runs wrote.')
  }, [nothing])
  if (!mine.length) return null
  const several = mine.length > 1 || store.goesOn()
  const rows = [
    left.length > 0 && ['one', several ? 'Undo what the last exchange wrote' : 'Undo what this run wrote'],
    left.length > 1 && ['all', `Undo all ${count(left.length, 'exchange')} that wrote`],
    gone.length > 0 && ['redo', 'Write again what was undone'],
  ].filter(Boolean)
  const shown = open === 'one' ? left[0] : open === 'redo' ? gone.at(-1) : null // what was undone is written again in the order of the exchanges
  return (
    <>
      <div class="row">{rows.map(([name, words]) => <button key={name} class="button quiet small" aria-expanded={open === name} onClick={() => (undoing.value = open === name ? '' : name)}>{words}</button>)}</div>
      {shown && <Undo key={shown.item.id + open} of={shown} again={again} here={several ? 'exchange' : 'run'} />}
      {open === 'all' && left.length > 1 && <UndoAll key={left.length} list={left} again={again} />}
    </>
  )
}

/** The names of files that define the project and that an undo would write: the person has said yes to them, or null. */
async function agreedFiles(shown, lost) {
  const definitions = shown.flatMap((s) => s.files ?? []).filter((f) => f.definition).map((f) => f.to)
  if (definitions.length && !await askYes('Write files that define the project?', `Workers obey them: ${definitions.map(visible).join(', ')}`, 'Write them', true)) return null
  if (lost.length && !await askYes('Undo only a part?', `The old content of these files was not kept, and they stay as they are: ${lost.map(visible).join(', ')}`, 'Undo the rest', true)) return null
  return definitions
}

const hears = 'the model hears of it with your next message'

/** All that the conversation wrote, with the changes of each exchange, the newest first. */
function UndoAll({ list, again }) {
  const [shown, setShown] = useState(null)
  const here = store.golem.undo(store.project.value)
  useEffect(() => void store.attempt('the changes', async () => {
    const out = []
    for (const { item } of list) out.push(await here.diff(item.run, { item: item.id }))
    setShown(out)
  }), [])
  const lost = list.flatMap((r) => r.item.lost ?? [])
  const write = () => store.attempt('undo', async () => {
    const definitions = await agreedFiles(shown, lost)
    if (!definitions) return
    let done = 0
    try {
      for (const { item, digest } of shown) {
        await here.undo(item.run, { item: item.id, digest, definitions, partial: (item.lost ?? []).length > 0 })
        done++
      }
      undoing.value = ''
      store.tell(`undone: ${count(done, 'exchange')}; ${hears}`)
    } catch (e) {
      throw Object.assign(new Error(`${done ? `${count(done, 'exchange')} undone, and then: ` : ''}${faultText(e)}`))
    } finally {
      await Promise.all([again(), store.listFiles(), store.inspect()])
    }
  })
  return (
    <section class="card stack" aria-label="undo of all exchanges">
      <b>{count(list.length, 'exchange')} that wrote files, the newest first</b>
      {!shown && <p role="status">reading…</p>}
      {shown?.map((s) => <Changed key={s.item.id} of={s} lost={s.item.lost ?? []} />)}
      <div class="row"><button class="button" onClick={() => (undoing.value = '')}>Hide</button><span class="grow" />
        {shown && <button class="button primary" disabled={store.framed || shown.some((s) => s.error)} onClick={write}>Undo all</button>}</div>
    </section>
  )
}

/** What an undo would change. */
const Changed = ({ of: { item, files, error }, lost }) => (
  <>
    {error && <p class="note error">{visible(faultText(error))}</p>}
    {lost.length > 0 && <p class="note warn">Not kept, and not put back: {lost.map(visible).join(', ')}</p>}
    {item.blind?.length > 0 && <p class="note warn">The run used {item.blind.map(visible).join(', ')}, which can have changed files that golem does not know of.</p>}
    {files?.map((f) => (
      <div key={f.to} class="stack">
        <p><code>{visible(f.to)}</code>{f.definition && <b> defines the project</b>}</p>
        <Diff patch={f.patch} label={`changes of ${visible(f.to)}`} />
      </div>
    ))}
  </>
)

const states = { open: 'still goes on', pending: 'can be undone', undone: 'undone', pushing: 'half done' }

/** One part of what a run wrote. here: exchange or run, if it is in the Run view; then its changes are shown at once. */
function Undo({ of: { item, error }, again, here }) {
  const [shown, setShown] = useState(null)
  const undo = store.golem.undo(store.project.value)
  const run = visible(item.run)
  const redo = item.state === 'undone'
  const look = () => store.attempt(`run ${run}`, async () => setShown(await undo.diff(item.run, { item: item.id })))
  useEffect(() => void (here && look()), [])
  const lost = redo ? [] : item.lost ?? []
  const write = async () => {
    const definitions = await agreedFiles([shown], lost)
    if (!definitions) return
    await store.attempt(`undo of ${run}`, async () => {
      try {
        await undo[redo ? 'redo' : 'undo'](item.run, { item: item.id, digest: shown.digest, definitions, partial: lost.length > 0 })
        setShown(null)
        if (here) undoing.value = ''
        store.tell(`${redo ? 'written again' : 'undone'}: ${here ? visible(item.message) : `run ${run}`}${here === 'exchange' ? `; ${hears}` : ''}`)
      } finally {
        await Promise.all([again(), store.listFiles(), store.inspect()])
      }
    })
  }
  return (
    <section class="card stack" aria-label={`undo of ${run}`}>
      <div class="row">
        <b class="grow">{visible(item.message) || 'no files'}</b>
        <span class="small muted">{here ? '' : `${run} · `}{error ? 'shown only' : states[item.state] ?? visible(item.state)} · {count(item.changes?.length ?? 0, 'file')}</span>
      </div>
      <Changed of={{ item, error, files: shown?.files }} lost={lost} />
      <div class="row">
        {here ? <button class="button" onClick={() => (undoing.value = '')}>Hide</button>
          : shown ? <button class="button" onClick={() => setShown(null)}>Hide</button> : <button class="button" onClick={look}>{redo ? 'Show what writing it again does' : 'Show what undoing does'}</button>}
        <span class="grow" />
        {!error && item.state !== 'open' && shown && <button class="button primary" disabled={store.framed} onClick={write}>{redo ? 'Write again' : here === 'exchange' ? 'Undo this exchange' : 'Undo this run'}</button>}
      </div>
    </section>
  )
}
