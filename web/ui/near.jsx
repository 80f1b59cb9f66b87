// Draws long texts in pieces. Only the pieces near the view are elements; of the others the
// text is there, so that the browser's search finds it and it can be selected, but it is not laid
// out. So the page stays fast whatever the length of a text.
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { still } from './still.js'

/** @typedef {{key: string, source: string, draw: () => any, joined?: boolean}} Piece joined: it continues the block of the piece before */

const ahead = 200 // pixels above and below the view that are drawn
const observers = new WeakMap() // by the element that scrolls
const tells = new WeakMap() // by observed element

function observe(element, tell) {
  const root = element.closest('.talk, .scroll')
  let observer = observers.get(root ?? document)
  if (!observer) {
    observer = new IntersectionObserver((entries) => { for (const e of entries) tells.get(e.target)?.(e.isIntersecting) }, { root, rootMargin: `${ahead}px 0px` })
    observers.set(root ?? document, observer)
  }
  tells.set(element, tell)
  observer.observe(element)
  return () => observer.unobserve(element)
}

let staying = null // the element that will be scrolled to its end

/** Scrolls to the end again if the person was at the end before an element became higher; once for all elements that are drawn together. */
function scrollToEnd(element) {
  const talk = element.closest('.talk')
  if (!talk?.pinned || staying === talk) return
  staying = talk
  queueMicrotask(() => {
    staying = null
    if (talk.pinned) talk.scrollTop = talk.scrollHeight
  })
}

/** Reports whether the person has put the focus or a selection into an element, or has opened something in it. */
function isInUse(element) {
  const selected = getSelection()
  return element.contains(document.activeElement) || element.querySelector('details[open]') || (selected && !selected.isCollapsed && selected.containsNode(element, true))
}

/** Returns about how many pixels a text is high. */
function estimate(source) {
  let lines = source.length / 80
  for (let at = source.indexOf('\n'); at >= 0; at = source.indexOf('\n', at + 1)) lines += 0.6
  return Math.ceil(lines + 1) * 24
}

const Drawn = still(({ piece }) => piece.draw())

/** @param {{piece: Piece, drawn?: boolean, kind?: string}} props drawn: it is drawn at first, before it is known where it is; kind: its class */
const Near = still(({ piece, drawn, kind }) => {
  const box = useRef(null)
  const height = useRef(0)
  const [near, setNear] = useState(!!drawn)
  useLayoutEffect(() => observe(box.current, (is) => {
    if (!is) {
      const now = box.current.offsetHeight
      if (!now || isInUse(box.current)) return // it is in a part of the page that is not shown
      height.current = now
    }
    setNear(is)
  }), [])
  useLayoutEffect(() => scrollToEnd(box.current), [near])
  const name = kind ?? `piece${piece.joined ? ' joined' : ''}`
  if (near) return <div class={name} ref={box}><Drawn piece={piece} /></div>
  return <div class={`${name} far`} ref={box} style={{ height: `${height.current || estimate(piece.source)}px` }}>{piece.source}</div>
})

/** Draws pieces: at first the first two and, of a text that is not complete yet, the last ones. @param {{pieces: Piece[], live?: boolean}} props */
export const Pieces = still(({ pieces, live }) => {
  if (pieces.length === 1) return pieces[0].draw()
  return pieces.map((piece, i) => <Near key={piece.key} piece={piece} drawn={i < 2 || (live && i > pieces.length - 3)} />)
})

const size = 3_000 // characters of a plain piece, about

/** Returns pieces of a text that is shown as it is; their ends are ends of lines or words where there are some. */
export function plain(text, length = size) {
  const out = []
  for (let from = 0; from < text.length;) {
    let to = Math.min(text.length, from + length)
    if (to < text.length) {
      const line = text.lastIndexOf('\n', to - 1)
      const word = text.lastIndexOf(' ', to - 1)
      to = line > from ? line + 1 : word > from ? word + 1 : to
    }
    const source = text.slice(from, to)
    // The line break at the end of a piece is the end of its box.
    out.push({ key: `p${from}`, source, joined: from > 0, draw: () => <p class="raw">{source.endsWith('\n') && to < text.length ? source.slice(0, -1) : source}</p> })
    from = to
  }
  return out
}

/** A long text that is shown as it is. */
export function Long({ text }) {
  const pieces = useMemo(() => plain(text), [text])
  return <div class="md"><Pieces pieces={pieces} /></div>
}

/** Entries of a conversation, far from the view only their text. @param {{text: string, draw: () => any}} props */
export function Entries({ text, draw }) {
  const piece = useMemo(() => ({ key: '', source: text, draw }), [text])
  return <Near piece={piece} kind="chunk" />
}
