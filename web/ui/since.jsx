// Shows what has changed in a file since the last run that wrote it began.
import { useEffect, useState } from 'preact/hooks'
import * as store from './store.js'
import { Diff, linesOf, visible } from './diff.jsx'

/** Returns a unified diff with old and new exchanged: golem.undo gives the diff that undoes the changes, and this view shows the changes. */
export function turned(patch) {
  const out = []
  let [gone, come] = [[], []]
  const flush = () => {
    out.push(...gone, ...come)
    gone = []
    come = []
  }
  let last = null
  for (const line of linesOf(patch)) {
    if (line[0] === '\\') last?.push(line)
    else if (line[0] === '+') (last = gone).push(`-${line.slice(1)}`)
    else if (line[0] === '-') (last = come).push(`+${line.slice(1)}`)
    else {
      flush()
      last = out
      out.push(line.replace(/^@@ -(\S+) \+(\S+) @@/, '@@ -$2 +$1 @@'))
    }
  }
  flush()
  return `${out.join('\n')}\n`
}

/** Returns the path in the project of a file that a run wrote. */
const pathOf = (change) => [change.source, change.path].join('/').split('/').filter((p) => p && p !== '.').join('/')

export function Since({ path }) {
  const [told, setTold] = useState(null)
  const listed = store.files.value.find((f) => f.path === path)
  useEffect(() => {
    store.attempt(`comparing ${path}`, async () => {
      const undo = store.golem.undo(store.project.value)
      const run = (await undo.list()).find((r) => ['open', 'pending', 'pushing'].includes(r.item.state) && r.item.changes?.some((c) => pathOf(c) === path))
      const file = run && (await undo.diff(run.item.run)).files?.find((f) => f.to === path || pathOf({ source: '', path: f.to }) === path)
      setTold({ run: run?.item.run, patch: file?.patch })
    })
  }, [path, listed?.modified, store.running.value])
  if (!told) return <p class="empty" role="status">comparing…</p>
  const { run, patch } = told
  if (patch === undefined) return <p class="empty">No run that can be undone has written this file. What such a run changes in it is shown here.</p>
  if (!/^(---|@@)/m.test(patch)) return <p class="empty">{/is already so/.test(patch) ? `The file is as it was before run ${visible(run)}.` : visible(patch)}</p>
  return (
    <div class="stack described">
      <p>Since before run <span class="mono">{visible(run)}</span>, the last one that wrote this file:</p>
      <Diff patch={turned(patch)} label={`changes of ${visible(path)}`} />
    </div>
  )
}
