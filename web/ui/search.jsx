// Searches the texts of the project's files. It reads several files at once, and limits what
// it reads and shows. A click on a hit opens the file at its line.
import { useEffect, useState } from 'preact/hooks'
import * as store from './store.js'
import { visible } from './diff.jsx'
import { LARGE } from './part.jsx'
import { count } from './usage.js'

const MOST = 200 // hits that are shown at most
const READ = 64 << 20 // bytes that one search reads at most
const AT_ONCE = 8 // files that are read at once
const AROUND = 16 // characters that are shown before a hit

/** Returns the lines of a text that contain the sought text, as {line, text, at}. It ignores case. */
export function hitsIn(text, sought, most) {
  const out = []
  if (text.includes('\0')) return out // the file is not text
  const small = sought.toLowerCase()
  const lines = text.split('\n')
  for (let i = 0; i < lines.length && out.length < most; i++) {
    const at = lines[i].toLowerCase().indexOf(small)
    if (at < 0) continue
    const from = Math.max(0, at - AROUND)
    out.push({ line: i + 1, text: lines[i].slice(from, at + sought.length + 120), at: at - from })
  }
  return out
}

/** Searches the files. It calls tell with {hits, done, of, more, ended} as it goes on, and ends when signal aborts. */
async function search(sought, signal, tell) {
  const files = store.golem.files(store.project.value)
  const all = store.files.value.filter((f) => !f.dir && f.size > 0 && f.size <= LARGE && !f.path.endsWith('.wasm'))
  const state = { hits: [], done: 0, of: all.length, more: false, ended: false }
  let [next, read] = [0, 0]
  const work = async () => {
    while (next < all.length && !state.more && !signal.aborted) {
      const f = all[next++]
      read += f.size
      if (read > READ) state.more = true
      const found = await files.read(f.path, { signal }).then((data) => hitsIn(new TextDecoder().decode(data), sought, MOST), () => [])
      if (signal.aborted) return
      state.done++
      state.hits.push(...found.map((h) => ({ ...h, path: f.path })))
      if (state.hits.length >= MOST) state.more = true
      tell({ ...state })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  if (!signal.aborted) tell({ ...state, ended: true })
}

/** The hits of a search, which begins when the person has stopped typing for a moment. */
export function Contents({ sought }) {
  const [found, setFound] = useState(null)
  const [stop, setStop] = useState(null)
  useEffect(() => {
    setFound(null)
    if (sought.length < 2) return undefined
    const end = new AbortController()
    const timer = setTimeout(() => {
      setStop(() => () => {
        end.abort()
        setFound((was) => was && { ...was, ended: true, stopped: true })
      })
      store.attempt('searching the files', () => search(sought, end.signal, (s) => !end.signal.aborted && setFound(s)))
    }, 250)
    return () => {
      clearTimeout(timer)
      end.abort()
    }
  }, [sought, store.files.value])
  if (sought.length < 2) return <p class="small muted entry">Enter at least two characters to search for.</p>
  if (!found) return <p class="small muted entry" role="status">searching…</p>
  const open = (hit) => store.edit(hit.path, hit.line)
  const shown = [...found.hits].sort((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1)).slice(0, MOST)
  return (
    <>
      <p class="small muted row found" role="status">
        <span class="grow">{found.ended ? `${count(shown.length, 'line')} found` : `${found.done} of ${count(found.of, 'file')}`}{found.stopped ? ', stopped' : found.more ? ', and there may be more' : ''}</span>
        {!found.ended && <button class="button small" onClick={stop}>Cancel</button>}
      </p>
      <ul class="scroll grow tree" aria-label="Lines found">
        {shown.map((h) => (
          <li key={`${h.path}:${h.line}`}><button class="hit" onClick={() => open(h)}>
            <span class="small ellipsis">{visible(h.path)}:{h.line}</span>
            <span class="mono ellipsis">{visible(h.text.slice(0, h.at))}<mark>{visible(h.text.slice(h.at, h.at + sought.length))}</mark>{visible(h.text.slice(h.at + sought.length))}</span>
          </button></li>
        ))}
      </ul>
    </>
  )
}
