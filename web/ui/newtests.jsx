// Makes tests of kept runs: shows every file that it would write, and writes them after a yes.
import { useEffect, useState } from 'preact/hooks'
import * as store from './store.js'
import { visible } from './diff.jsx'
import { count } from './usage.js'

/** Reports whether a file is one of tests, not a recording or an attached file. */
const isTests = (f) => !f.path.startsWith('tests/recordings/')

/** what has the runs, see makeTests of golem.js. */
export function NewTests({ what, leave }) {
  const name = store.project.value
  const [made, setMade] = useState(null)
  useEffect(() => {
    let gone = false
    store.attempt('making a test', async () => {
      const now = await store.golem.makeTests(name, { ...what, ...store.options() })
      if (!gone) setMade(now)
      return true
    }).then((ok) => { if (!ok && !gone) leave() })
    return () => { gone = true }
  }, [name])
  const keep = () => store.attempt('writing the test', async () => {
    await store.golem.keepTests(name, made.draft, store.options())
    store.tell(`${count(made.cases.length, 'case')} written: ${made.files.filter(isTests).map((f) => visible(f.path)).join(', ')}`)
    leave()
    await store.listFiles()
  })
  if (!made) return <p class="muted" role="status">Playing the run again…</p>
  const files = made.files
  return (
    <section class="card stack" aria-label="New tests">
      <p>{files.length ? 'These files are written, with known secrets removed. Look whether the answers are the right ones.' : 'No case can be made of these runs.'}</p>
      {files.map((f) => <details key={f.path} class="call" open={isTests(f)}><summary><code>{visible(f.path)}</code></summary><pre class="block" tabIndex={0}>{visible(f.text)}</pre></details>)}
      {made.left.map((l) => <p key={l.from} class="small muted">Left out: {visible(l.from)}: {visible(l.why)}</p>)}
      <div class="row">
        <button class="button" onClick={leave}>{files.length ? 'Discard' : 'Close'}</button>
        <span class="grow" />
        {files.length > 0 && <button class="button primary" disabled={store.framed} onClick={keep}>Keep {count(made.cases.length, 'case')}</button>}
      </div>
    </section>
  )
}
