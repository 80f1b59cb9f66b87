// Shows what runs wrote directly: each run with its diff, and a button to undo it.
import { useEffect, useState } from 'preact/hooks'
import * as store from './store.js'
import { Diff, visible } from './diff.jsx'
import { askYes } from './ask.jsx'
import { faultText } from './run.js'
import { count } from './usage.js'

/** Returns the runs that can be undone, newest first, and the function that lists them again. They are also listed again when a run ends. */
function useRuns() {
  const [runs, setRuns] = useState([])
  const name = store.project.value
  const list = () => store.attempt('listing what can be undone', async () => setRuns(await store.golem.undo(name).list()))
  useEffect(() => { if (!store.running.value) list() }, [name, store.running.value])
  return [runs, list]
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

/** The part for the run that is shown, if it wrote files. */
export function UndoRun({ id }) {
  const [runs, again] = useRuns()
  const [open, setOpen] = useState(false)
  const run = !store.running.value && runs.find((r) => r.item.run === id)
  if (!run) return null
  return open
    ? <Undo of={run} again={again} />
    : <div class="row"><button class="button quiet small" onClick={() => setOpen(true)}>{run.item.state === 'undone' ? 'What was undone' : 'Undo what this run wrote'}</button></div>
}

const states = { open: 'still goes on', pending: 'done', undone: 'undone', pushing: 'half done' }

function Undo({ of: { item, error }, again }) {
  const [shown, setShown] = useState(null)
  const here = store.golem.undo(store.project.value)
  const run = visible(item.run)
  const redo = item.state === 'undone'
  const look = () => store.attempt(`run ${run}`, async () => setShown(await here.diff(item.run)))
  const lost = redo ? [] : item.lost ?? []
  const write = async () => {
    const definitions = shown.files.filter((f) => f.definition).map((f) => f.to)
    if (definitions.length && !await askYes('Write files that define the project?', `Workers obey them: ${definitions.map(visible).join(', ')}`, 'Write them', true)) return
    if (lost.length && !await askYes('Undo only a part?', `The old content of these files was not kept, and they stay as they are: ${lost.map(visible).join(', ')}`, 'Undo the rest', true)) return
    await store.attempt(`undo of ${run}`, async () => {
      try {
        await here[redo ? 'redo' : 'undo'](item.run, { digest: shown.digest, definitions, partial: lost.length > 0 })
        setShown(null)
        store.tell(`${redo ? 'written again' : 'undone'}: run ${run}`)
      } finally {
        await Promise.all([again(), store.listFiles(), store.inspect()])
      }
    })
  }
  return (
    <section class="card stack" aria-label={`undo of ${run}`}>
      <div class="row">
        <b class="grow">{visible(item.message) || 'no files'}</b>
        <span class="muted">{run} · {error ? 'shown only' : states[item.state] ?? visible(item.state)} · {count(item.changes?.length ?? 0, 'file')}</span>
      </div>
      {error && <p class="note error">{visible(faultText(error))}</p>}
      {lost.length > 0 && <p class="note warn">Not kept, and not put back: {lost.map(visible).join(', ')}</p>}
      {item.blind?.length > 0 && <p class="note warn">The run used {item.blind.map(visible).join(', ')}, which can have changed files that golem does not know of.</p>}
      {shown?.files?.map((f) => (
        <div key={f.to} class="stack">
          <p><code>{visible(f.to)}</code>{f.definition && <b> defines the project</b>}</p>
          <Diff patch={f.patch} label={`changes of ${visible(f.to)}`} />
        </div>
      ))}
      <div class="row">
        {shown ? <button class="button" onClick={() => setShown(null)}>Hide</button> : <button class="button" onClick={look}>{redo ? 'Show what writing it again does' : 'Show what undoing does'}</button>}
        <span class="grow" />
        {!error && item.state !== 'open' && shown && <button class="button primary" disabled={store.framed} onClick={write}>{redo ? 'Write again' : 'Undo this run'}</button>}
      </div>
    </section>
  )
}
