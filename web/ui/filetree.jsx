// The files of the project as a tree, of which only the visible rows are drawn. Arrow keys
// move up and down, and open and close folders; a field finds paths.
import { signal } from '@preact/signals'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import * as store from './store.js'
import { visible } from './diff.jsx'
import { Icon } from './icons.jsx'
import { bytes } from './size.js'
import { drafts, keyOf } from './drafts.js'
import { Contents } from './search.jsx'

/** Folders that the person opened or closed, by project and path. At first folders are open, or closed if the project has more than MANY files. */
const turned = signal(new Set())
const MANY = 300
const ROW = 32 // the height of a row in pixels, as in .files .entry
const BEYOND = 12 // rows that are drawn above and below the visible ones

const isOpen = (dir) => (store.files.value.length <= MANY) !== turned.value.has(keyOf(dir))

function toggle(dir) {
  const next = new Set(turned.value)
  if (!next.delete(keyOf(dir))) next.add(keyOf(dir))
  turned.value = next
}

/** Returns the rows of the tree in order or, with a search text, the files whose paths contain all its words. */
function rowsOf(sought) {
  const all = store.files.value
  if (sought) {
    const words = sought.toLowerCase().split(/\s+/)
    return all.filter((f) => !f.dir && words.every((w) => f.path.toLowerCase().includes(w)))
  }
  // A slash sorts before all other characters, so that a folder comes right before its content.
  const sorted = all.map((f) => [f.path.replaceAll('/', '\0'), f]).sort((a, b) => (a[0] < b[0] ? -1 : 1))
  const out = []
  let shut = null
  for (const [, f] of sorted) {
    if (shut && f.path.startsWith(shut)) continue
    shut = f.dir && !isOpen(f.path) ? f.path + '/' : null
    out.push(f)
  }
  return out
}

export function Tree() {
  const box = useRef(null)
  const wanted = useRef(null) // the row that gets the focus when it is drawn
  const [inTexts, setInTexts] = useState(false)
  const [sought, setSought] = useState('')
  const [seen, setSeen] = useState({ top: 0, height: 800 })
  const rows = rowsOf(sought.trim())
  const look = () => box.current && setSeen({ top: box.current.scrollTop, height: box.current.clientHeight })
  useLayoutEffect(() => {
    if (!box.current) return undefined
    const sizes = new ResizeObserver(look)
    sizes.observe(box.current)
    return () => sizes.disconnect()
  }, [inTexts])
  const from = Math.max(0, Math.floor(seen.top / ROW) - BEYOND)
  const to = Math.min(rows.length, Math.ceil((seen.top + seen.height) / ROW) + BEYOND)
  const focus = (i) => {
    const at = Math.max(0, Math.min(rows.length - 1, i))
    const top = at * ROW
    if (top < box.current.scrollTop) box.current.scrollTop = top
    if (top + ROW > box.current.scrollTop + box.current.clientHeight) box.current.scrollTop = top + ROW - box.current.clientHeight
    wanted.current = at
    look() // draws the row
  }
  useLayoutEffect(() => {
    const row = wanted.current !== null && box.current?.querySelector(`[data-row="${wanted.current}"]`)
    if (!row) return
    wanted.current = null
    row.focus()
  })
  const keys = (e, i, f) => {
    const steps = { ArrowDown: 1, ArrowUp: -1, Home: -rows.length, End: rows.length, PageDown: 10, PageUp: -10 }
    if (e.key in steps) focus(i + steps[e.key])
    else if (f.dir && (e.key === 'ArrowRight') !== isOpen(f.path) && ['ArrowRight', 'ArrowLeft'].includes(e.key)) toggle(f.path)
    else if (e.key === 'ArrowRight') focus(i + 1)
    else if (e.key === 'ArrowLeft') focus(rows.findIndex((r) => r.path === f.path.slice(0, f.path.lastIndexOf('/'))))
    else return
    e.preventDefault()
  }
  return (
    <>
      <div class="row seek">
        <input class="input" type="search" aria-label={inTexts ? 'find in files' : 'find a file'} placeholder={inTexts ? 'Find in files' : 'Find a file'} spellcheck={false} value={sought}
          onInput={(e) => { setSought(e.target.value); if (box.current) box.current.scrollTop = 0; look() }} />
        <button class="button quiet small" aria-pressed={inTexts} title="search the texts of the files, not their paths" onClick={() => setInTexts(!inTexts)}>In texts</button>
      </div>
      {inTexts && <Contents sought={sought.trim()} />}
      {!inTexts && sought && !rows.length && <p class="small muted entry" role="status">no file has this in its path</p>}
      {!inTexts && <ul class="scroll grow tree" ref={box} onScroll={look}>
        <li class="gap" aria-hidden="true" style={{ height: `${from * ROW}px` }} />
        {rows.slice(from, to).map((f, n) => <Row key={f.path} file={f} i={from + n} flat={sought.trim() !== ''} keys={keys} />)}
        <li class="gap" aria-hidden="true" style={{ height: `${(rows.length - to) * ROW}px` }} />
      </ul>}
    </>
  )
}

const END = 12 // characters of a long name's end that are always there

/** A file's name. One that is too long loses its middle, so that its end is seen. */
function Name({ name, draft }) {
  const all = [...name]
  const long = all.length > 2 * END
  return <span class="name row"><span class="ellipsis">{long ? all.slice(0, -END).join('') : name}</span>{long && <span>{all.slice(-END).join('')}</span>}{draft && <span>{' •'}</span>}</span>
}

function Row({ file: f, i, flat, keys }) {
  const depth = flat ? 0 : f.path.split('/').length - 1
  const name = flat ? f.path : f.path.slice(f.path.lastIndexOf('/') + 1)
  return (
    <li aria-level={depth + 1}>
      <button class="entry" data-row={i} title={visible(f.path)} style={{ paddingLeft: `min(${4 + depth * 16}px, 45%)` }} aria-current={store.editing.value === f.path ? 'true' : undefined}
        aria-expanded={f.dir ? isOpen(f.path) : undefined} onKeyDown={(e) => keys(e, i, f)} onClick={() => (f.dir ? toggle(f.path) : (store.editing.value = f.path))}>
        <Icon name={f.dir ? 'folder' : f.path.endsWith('.worker') ? 'worker' : f.path.endsWith('.wasm') ? 'tool' : 'file'} />
        <Name name={visible(name)} draft={drafts.value.has(keyOf(f.path))} />
        {!f.dir && <span class="size">{bytes(f.size)}</span>}
      </button>
    </li>
  )
}
