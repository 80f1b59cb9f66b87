// The list of the project's files that opens below an @ in the composer's field. The file that
// is chosen goes with the message, and its name stays in the text.
import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import * as store from './store.js'
import { visible } from './visible.js'

const most = 8 // files that are listed at most

/** Returns the name after the @ before the caret: {at, word}; null if the caret is not in one. */
function named(field) {
  const before = field.value.slice(0, field.selectionStart)
  const m = /(?:^|\s)@([^\s@]*)$/.exec(before)
  return m && { at: before.length - m[1].length, word: m[1] }
}

/** Returns the paths that have the letters of word in this order; those that contain it come first. */
function fitting(word) {
  const w = word.toLowerCase()
  const rank = (path) => {
    const p = path.toLowerCase()
    const i = p.indexOf(w)
    if (i >= 0) return i === p.lastIndexOf('/') + 1 ? 0 : 1
    let from = -1
    return [...w].every((c) => (from = p.indexOf(c, from + 1)) >= 0) ? 2 : -1
  }
  return store.files.value.filter((f) => !f.dir).map((f) => ({ path: f.path, rank: rank(f.path) })).filter((f) => f.rank >= 0)
    .sort((a, b) => a.rank - b.rank || a.path.length - b.path.length || (a.path < b.path ? -1 : 1)).slice(0, most).map((f) => f.path)
}

/** @param {{field: {current: HTMLTextAreaElement}, text: string, pick: (text: string, caret: number, path: string) => void}} props */
export function Mention({ field, text, pick }) {
  const [at, setAt] = useState(0)
  const [left, setLeft] = useState(-1) // the place of the @ whose list the person closed
  const [, moved] = useState(0)
  const now = field.current && named(field.current)
  const open = now && now.at !== left
  const paths = open ? fitting(now.word) : []
  const on = Math.min(at, paths.length - 1)
  const choose = (path) => pick(`${text.slice(0, now.at)}${path} ${text.slice(now.at + now.word.length).trimStart()}`, now.at + path.length + 1, path)
  useEffect(() => setAt(0), [now?.word])
  // Before the field's own keys, of which Enter would send the message; and as soon as the list is seen.
  useLayoutEffect(() => {
    const of = field.current
    const keys = (e) => {
      if (!paths.length || e.isComposing) return
      const step = { ArrowDown: 1, ArrowUp: -1 }[e.key]
      if (step) setAt((on + step + paths.length) % paths.length)
      else if (e.key === 'Enter' || e.key === 'Tab') choose(paths[on])
      else if (e.key === 'Escape') setLeft(now.at)
      else return
      e.preventDefault()
      e.stopImmediatePropagation()
    }
    const caret = () => moved((n) => n + 1)
    of.addEventListener('keydown', keys, true)
    of.addEventListener('selectionchange', caret)
    const says = { 'aria-autocomplete': 'list', 'aria-controls': 'mentions', 'aria-activedescendant': `mention-${on}` }
    for (const [name, value] of Object.entries(says)) paths.length ? of.setAttribute(name, value) : of.removeAttribute(name)
    return () => {
      of.removeEventListener('keydown', keys, true)
      of.removeEventListener('selectionchange', caret)
    }
  })
  if (!paths.length) return null
  return (
    <ul class="mentions" id="mentions" role="listbox" aria-label="Files of the project">
      {paths.map((path, i) => <li key={path} id={`mention-${i}`} role="option" aria-selected={i === on} class="mono small ellipsis" onMouseDown={(e) => { e.preventDefault(); choose(path) }}>{visible(path)}</li>)}
    </ul>
  )
}
