// Turns a worker into code, as golem harden: shows how good the code is, and writes it after a yes.
import { useEffect, useRef, useState } from 'preact/hooks'
import * as store from './store.js'
import { askYes } from './ask.jsx'
import { visible } from './diff.jsx'
import { Report } from './hardenreport.jsx'
import { faultText } from './texts.js'
import { count } from './usage.js'

/** Resolves to the module of a worker that is hardened, '' if it is not. */
async function moduleOf(path) {
  const about = await store.golem.describe(store.project.value, './' + path, store.options())
  const value = about.settings.find((s) => s.path === 'hardened.module')?.value.replace(/^"(.*)"$/, '$1') ?? ''
  return store.files.value.some((f) => f.path === value) ? value : ''
}

export function Harden({ path, done }) {
  const [module, setModule] = useState(null) // null: it is not known yet
  const [report, setReport] = useState(null)
  const [doing, setDoing] = useState('') // what golem does now; '': nothing
  const [wrong, setWrong] = useState('')
  const stop = useRef(null)
  useEffect(() => {
    let gone = false
    moduleOf(path).catch(() => '').then((m) => gone || setModule(m)) // what is wrong, the attempt tells
    return () => {
      gone = true
      stop.current?.abort()
    }
  }, [path])
  const work = async (first, doing) => {
    setWrong('')
    setDoing(first)
    try {
      await doing()
    } catch (e) {
      if (!stop.current?.signal.aborted) setWrong(e.code ? faultText(e) : e.message)
    }
    stop.current = null
    setDoing('')
  }
  const begin = () => work('Playing the tests of the worker', async () => {
    stop.current = new AbortController()
    const progress = ({ round, of, problem, shown }) => setDoing(`Round ${round} of at most ${of}: ${!shown ? 'the model writes the code' : problem ? 'the code cannot be used' : `${shown.same} of ${count(shown.cases, 'case')} the same`}`)
    setReport(await store.golem.harden(store.project.value, './' + path, { ...store.options(), again: module !== '', progress, signal: stop.current.signal }))
  })
  const apply = async () => {
    if (report.warning && !(await askYes('Harden the worker although the report warns?', `The report says: ${report.warning}.`, 'Harden it', true))) return
    await work('Writing the files', async () => {
      setReport(await store.golem.applyHardened(store.project.value, report.draft, store.options()))
      await Promise.all([store.listFiles(), store.inspect()])
    })
  }
  const status = doing && <p class="row" role="status"><span class="mark running" /><span class="grow">{visible(doing)}…</span>{stop.current && <button class="button" onClick={() => stop.current?.abort()}>Stop</button>}</p>
  const error = wrong && <p class="note error" role="alert">{visible(wrong)}</p>
  if (report?.applied) {
    return (
      <div class="stack described">
        <p class="note good" role="status">The worker is hardened: the code answers first. Where it is unsure or fails, the worker answers as before, and the trace says why.</p>
        <p>Written: {report.files.map(visible).join(', ')}. To go back to the prompt, remove the line hardened: from the worker.</p>
        <p class="row"><button class="button primary" onClick={done}>Close</button></p>
      </div>
    )
  }
  if (report === null) {
    return (
      <div class="stack described">
        <p>A model writes JavaScript that takes the place of this worker. The cases are its tests and its kept conversations; the model sees 70 percent of them, and the others decide. Nothing changes before you say yes, and where the code is unsure or fails, the worker answers as before.</p>
        {module && <p>This worker is hardened already, by {visible(module)}. The model goes on from that code, with what the worker answered since.</p>}
        <p class="muted small">The code is written by {store.options().model ? visible(store.options().model) : 'the model that your settings choose'}. What it costs is in the report.</p>
        {error}
        {status || <p class="row"><button class="button primary" disabled={module === null} onClick={begin}>{module ? 'Improve the code' : 'Write the code'}</button></p>}
      </div>
    )
  }
  return (
    <div class="stack described harden">
      <Report of={report} />
      {report.source && <>
        <h3>The code</h3>
        <pre class="small" tabIndex={0} role="region" aria-label="the code">{report.source.split('\n').map(visible).join('\n')}</pre>
        <p>A yes writes {report.files.map(visible).join(', ')}.</p>
      </>}
      {error}
      {status || (
        <p class="row">
          {report.source && <button class={`button ${report.warning ? 'danger' : 'primary'}`} disabled={store.framed} onClick={apply}>{report.warning ? 'Harden the worker all the same…' : 'Harden the worker with it'}</button>}
          <button class="button" onClick={() => setReport(null)}>{report.source ? 'Discard it' : 'Back'}</button>
        </p>
      )}
    </div>
  )
}
