// Shows a unified diff, coloured by its first column. A line is always shown as text, never
// as markup, and invisible characters are shown as escapes. If there is room, the old and
// the new text are side by side.
import { Fragment } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { visible } from './visible.js'

export { visible }

/** Returns the lines of a patch without the first two, which name the file. Later lines that look like those two are changed text. */
export const linesOf = (patch) => String(patch).replace(/^--- [^\n]*\n\+\+\+ [^\n]*\n?/, '').replace(/\n$/, '').split('\n')

/** Returns how many lines a patch adds and removes. */
export function counts(patch) {
  const of = (sign) => linesOf(patch).filter((l) => l[0] === sign).length
  return { plus: of('+'), minus: of('-') }
}

const kinds = { '+': 'add', '-': 'del', '@': 'hunk', '\\': 'eof' }

/** Returns, for each line, the line that it replaces or that replaces it. Removed and added lines are paired only if there are as many of each. */
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

/** Returns a line in which the part that differs from its partner is marked; undefined if it has no partner or they have little in common. */
function changed(line, other) {
  if (!other) return undefined
  const [a, b] = [[...line.slice(1)], [...other.slice(1)]]
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let end = 0
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++
  if (start + end === 0 || start + end < a.length / 4) return undefined // the lines have too little in common
  const part = (from, to) => visible(a.slice(from, to).join(''))
  return <>{line[0]}{part(0, start)}<mark>{part(start, a.length - end)}</mark>{part(a.length - end)}</>
}

/** Returns the rows of the view side by side: [old, new], or [line] for one line across both columns. */
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

const wide = 680 // the width in pixels from which there are two columns

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
  const sides = split && lines.some((l) => l[0] === '-') && lines.some((l) => l[0] === '+' || l[0] === ' ') // a new file has only one column
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
