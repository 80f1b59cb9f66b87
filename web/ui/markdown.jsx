// Shows Markdown of a model, which is not trusted, as elements of a fixed set. HTML in it is
// shown as text, images are not loaded, and links are followed only after a click
// (SECURITY 15). A long text is cut into pieces at the ends of its blocks; near.jsx draws those
// near the view.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { blockAt } from './blocks.jsx'
import { Pieces, plain } from './near.jsx'

export { Entries, Long } from './near.jsx'

const longest = 2_000_000 // characters; a longer text is shown as it is (Scenario 46)

/** @param {{text: string, live?: boolean}} props live: more text will come */
export function Markdown({ text, live }) {
  const grown = useRef(null)
  const [turn, setTurn] = useState(0)
  // Messages are drawn often, but their texts seldom change.
  const pieces = useMemo(() => text.length > longest ? plain(text, 20_000) : (grown.current ??= new Grown()).take(text, live), [text, live, turn])
  useEffect(() => {
    if (!grown.current?.more) return undefined
    const timer = setTimeout(() => setTurn((n) => n + 1)) // the rest is parsed in tasks of its own
    return () => clearTimeout(timer)
  })
  return <div class={live ? 'md live' : 'md'}><Pieces pieces={pieces} live={live} /></div>
}

const loose = 3 // blocks at the end that later text can still change: a block looks at most two lines ahead
const patient = 20_000 // characters; a longer unfinished part is parsed again only after it grew by an eighth
const step = 32_768 // characters that are parsed at once
const steps = 2 // so often in one task
const size = 2_200 // characters of a piece, about
const blank = /^[ \t]*$/

/** The Markdown of a text that grows. Only the text after its finished pieces is parsed again, so that the total time is linear. */
class Grown {
  #text = ''
  #from = 0 // where the unfinished part begins
  #tried = 0 // the length at the last parsing
  #firm = [] // finished pieces
  #tail = [] // the others, up to tried
  more = false // a part of the text is not parsed yet

  /** Returns the pieces of the text so far. */
  take(text, live) {
    if (!text.startsWith(this.#text)) {
      this.#from = this.#tried = 0
      this.#firm = []
      this.#tail = []
    }
    this.#text = text
    const old = this.#tried - this.#from
    if (live && !this.more && old > patient && text.length < this.#tried + old / 8) return this.#all()
    for (let n = 0, length = step; n < steps; n++) {
      const to = Math.min(text.length, this.#from + length)
      if (this.#parse(this.#from, to, to === text.length)) length = step
      else length *= 2 // one block is longer
      if (this.#tried === text.length) break
      if (length > step) n-- // it has to end
    }
    this.more = this.#tried < text.length
    return this.#all()
  }

  /** Parses the text from one place to another, which is its end or not. Returns false if it found no finished piece and not the end. */
  #parse(from, to, end) {
    const { lines, begins } = split(this.#text.slice(from, to))
    const before = new Map(this.#tail.map((p) => [p.key + p.source, p]))
    const made = cut(lines, begins, from).map((p) => ({ ...p, piece: before.get(p.piece.key + p.piece.source) ?? p.piece }))
    const blocks = made.at(-1)?.last ?? 0
    const firm = made.filter((p) => p.full && p.last <= blocks - loose)
    if (!end && !firm.length) return false
    this.#firm.push(...firm.map((p) => p.piece))
    this.#from = firm.length ? firm.at(-1).to : from
    this.#tail = end ? made.slice(firm.length).map((p) => p.piece) : []
    this.#tried = end ? to : this.#from
    return true
  }

  #all() {
    const rest = this.#text.slice(this.#tried)
    const all = [...this.#firm, ...this.#tail]
    return rest && !this.more ? [...all, ...plain(rest, 20_000)] : rest ? [...all, { key: 'rest', source: rest.slice(0, step), draw: () => <p class="raw">{rest.slice(0, 20_000)}</p> }] : all
  }
}

/** Returns the lines of a text and where each begins. */
function split(text) {
  const lines = []
  const begins = []
  const ending = /\r\n?|\n/g
  for (let at = 0, m; at <= text.length; at = m.index + m[0].length) {
    m = ending.exec(text) ?? { index: text.length, 0: '\n' }
    lines.push(text.slice(at, m.index))
    begins.push(at)
  }
  begins.push(text.length)
  return { lines, begins }
}

/** Cuts lines into pieces of whole blocks; a block that is longer than a piece is cut into its parts. last counts the blocks up to the end of the piece, to is where it ends, full means that no further block comes into it. */
function cut(lines, begins, base) {
  const out = []
  let open = [] // blocks of the piece that is not full yet
  let first = 0 // its first line
  let count = 0
  const place = (line) => begins[Math.min(line, lines.length)]
  const source = (from, to) => lines.slice(from, to).join('\n')
  const close = (end, full) => {
    if (open.length) {
      const drawn = open
      out.push({ piece: { key: `${base + place(first)}`, source: source(first, end), draw: () => drawn.map((b) => b.draw()) }, to: base + place(end), last: count, full })
    }
    open = []
    first = end
  }
  for (let i = 0; i < lines.length;) {
    if (blank.test(lines[i])) {
      i++
      continue
    }
    const block = blockAt(lines, i, 0)
    const parts = place(block.end) - place(i) > size * 4 / 3 ? block.parts?.(i) : null
    if (parts) {
      close(i, true)
      count++
      for (const [n, p] of parts.entries()) out.push({ piece: { key: `${base + place(i)}.${n}`, source: p.source ?? source(p.from, p.to), draw: p.draw, joined: n > 0 }, to: base + place(block.end), last: count, full: n === parts.length - 1 })
      // A block counts as finished as a whole.
      for (const p of out.slice(-parts.length)) p.full = true
      first = block.end
    } else {
      count++
      open.push(block)
      if (place(block.end) - place(first) >= size) close(block.end, true)
    }
    i = block.end
  }
  close(lines.length, false)
  return out
}
