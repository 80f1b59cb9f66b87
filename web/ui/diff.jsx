// A unified diff, coloured by its first column. Text stays text: whatever a
// line holds, it cannot become markup, and what cannot be seen is written out. Where
// there is room, old and new stand side by side.
import { Fragment } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

const hidden = /(?![\n\t ])[\p{C}\p{Z}\p{DI}\u2800\ufffc]/gu

/** Control, bidirectional and invisible characters, and blanks that are not the usual one, as escapes (SECURITY 9). */
export const visible = (s) => String(s ?? '').replace(hidden, (c) => `\\u${c.codePointAt(0).toString(16).padStart(4, '0')}`)

/** The lines of a patch without the first two, which name the file. A line that follows and looks like them is changed text. */
export const linesOf = (patch) => String(patch).replace(/^--- [^\n]*\n\+\+\+ [^\n]*\n?/, '').replace(/\n$/, '').split('\n')

/** How many lines a patch adds and removes. */
export function counts(patch) {
  const of = (sign) => linesOf(patch).filter((l) => l[0] === sign).length
  return { plus: of('+'), minus: of('-') }
}

const kinds = { '+': 'add', '-': 'del', '@': 'hunk', '\\': 'eof' }

/** For each line the one that it replaces or that replaces it: as many removed as added ones belong together. */
function partners(lines) {
  const out = []
  const end = (i, sign) => {
    while (lines[i]?.[0] === sign) i++
    return i
  }
  for (let i = 0; i < lines.length; i++) {
    if (lines[i][0] !== '-') continue
    const removed = end(i, '-')
    const added = end(removed, '+')
    for (let k = 0; added - removed === removed - i && k < removed - i; k++) {
      out[i + k] = lines[removed + k]
      out[removed + k] = lines[i + k]
    }
    i = added - 1
  }
  return out
}

/** A line with the part marked in which it differs from its partner. */
function changed(line, other) {
  if (!other) return undefined
  const [a, b] = [[...line.slice(1)], [...other.slice(1)]]
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let end = 0
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++
  if (start + end === 0 || start + end < a.length / 4) return undefined // another line altogether
  const part = (from, to) => visible(a.slice(from, to).join(''))
  return <>{line[0]}{part(0, start)}<mark>{part(start, a.length - end)}</mark>{part(a.length - end)}</>
}

/** Lines in pairs, as they stand side by side: [old, new], or one line for both. */
function rows(lines) {
  const out = []
  for (let i = 0; i < lines.length;) {
    if (lines[i][0] !== '-' && lines[i][0] !== '+') {
      out.push(lines[i][0] === '@' || lines[i][0] === '\\' ? [lines[i]] : [lines[i], lines[i]])
      i++
      continue
    }
    const from = i
    while (lines[i]?.[0] === '-') i++
    const middle = i
    while (lines[i]?.[0] === '+') i++
    for (let k = 0; k < Math.max(middle - from, i - middle); k++) out.push([from + k < middle ? lines[from + k] : '', middle + k < i ? lines[middle + k] : ''])
  }
  return out
}

const wide = 680 // pixels, from which two columns can be read

/** @param {{patch: string, label?: string}} props */
export function Diff({ patch, label = 'changes' }) {
  const box = useRef(null)
  const [split, setSplit] = useState(false)
  useLayoutEffect(() => {
    const watch = new ResizeObserver(() => setSplit(box.current?.clientWidth >= wide))
    watch.observe(box.current)
    return () => watch.disconnect()
  }, [])
  const lines = linesOf(patch)
  const sides = split && lines.some((l) => l[0] === '-') && lines.some((l) => l[0] === '+' || l[0] === ' ') // a new file has one side
  const other = partners(lines)
  const line = (text, i, partner) => <span key={i} class={`diff-line ${kinds[text[0]] ?? ''}`}>{changed(text, partner) ?? (visible(text) || ' ')}{'\n'}</span>
  return (
    <pre class={`diff ${sides ? 'sides' : ''}`} ref={box} tabIndex={0} role="region" aria-label={label}>
      {sides
        ? rows(lines).map(([a, b], i) => (b === undefined ? <span key={i} class={`diff-line both ${kinds[a[0]]}`}>{visible(a)}{'\n'}</span> : <Fragment key={i}>{line(a, 0, a !== b && b ? b : undefined)}{line(b, 1, a !== b && a ? a : undefined)}</Fragment>))
        : lines.map((text, i) => line(text, i, other[i]))}
    </pre>
  )
}
