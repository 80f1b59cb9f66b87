// Shows Markdown of a model, which is not trusted, as elements of a fixed set. HTML in it is
// shown as text, images are not loaded, and links are followed only after a click
// (SECURITY 15).
import { Fragment } from 'preact'
import { useMemo, useRef } from 'preact/hooks'
import { Copy } from './copy.jsx'
import { inline } from './inline.jsx'

const deepest = 12 // levels of nested lists and quotations; deeper ones are text
const widest = 64 // columns of a table at most
const longest = 2_000_000 // characters; a longer text is shown as it is (Scenario 46)

const fence = /^ {0,3}(`{3,}|~{3,})([^`]*)$/
const heading = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/
const rule = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/
const bullet = /^( {0,3})([-*+]|\d{1,9}[.)])( +|$)/
const quote = /^ {0,3}> ?/
const blank = /^[ \t]*$/

/** @param {{text: string, live?: boolean}} props live: more text will come */
export function Markdown({ text, live }) {
  const grown = useRef(null)
  // Messages are drawn often, but their texts seldom change.
  const made = useMemo(() => text.length > longest ? <pre tabIndex={0}>{text}</pre> : (grown.current ??= new Grown()).take(text, live), [text, live])
  return <div class={live ? 'md live' : 'md'}>{made}</div>
}

const loose = 3 // blocks at the end that later text can still change: a block looks at most two lines ahead
const together = 64 // so many finished blocks are drawn as one part
const patient = 20_000 // characters; a longer unfinished part is parsed again only after it grew by an eighth

/** The Markdown of a text that grows. Only the text after its finished blocks is parsed again, so that the total time is linear. */
class Grown {
  #text = ''
  #from = 0 // where the unfinished part begins
  #tried = 0 // the length at the last parsing
  #parts = [] // parts of finished blocks, together in each
  #open = [] // finished blocks that are not in a part yet
  #rest = null // a Fragment of open and the unfinished blocks

  take(text, live) {
    if (!text.startsWith(this.#text)) {
      this.#from = this.#tried = 0
      this.#parts = []
      this.#open = []
    }
    this.#text = text
    const old = this.#tried - this.#from
    if (live && old > patient && text.length < this.#tried + old / 8) return [...this.#drawn(), <p class="raw">{text.slice(this.#tried)}</p>]
    this.#tried = text.length
    this.#parse(text.slice(this.#from))
    return this.#drawn()
  }

  #parse(tail) {
    const lines = []
    const begins = [] // where each line begins
    const ending = /\r\n?|\n/g
    for (let at = 0, m; at <= tail.length; at = m.index + m[0].length) {
      m = ending.exec(tail) ?? { index: tail.length, 0: '\n' }
      lines.push(tail.slice(at, m.index))
      begins.push(at)
    }
    const ends = []
    const made = blocks(lines, 0, ends)
    const firm = Math.max(0, made.length - loose)
    this.#open.push(...made.slice(0, firm))
    if (firm) this.#from += begins[ends[firm - 1]] ?? 0
    while (this.#open.length >= together) this.#parts.push(<Fragment key={this.#parts.length}>{this.#open.splice(0, together)}</Fragment>)
    // Preact does not compare the content of a Fragment that is the same object as before.
    this.#rest = <Fragment key="rest">{this.#open.concat(made.slice(firm))}</Fragment>
  }

  #drawn() {
    return [...this.#parts, this.#rest]
  }
}

/** Returns the blocks of lines. For each block it appends the number of the line after it to ends, if given. */
function blocks(lines, depth, ends) {
  const out = []
  for (let i = 0; i < lines.length;) {
    if (blank.test(lines[i])) {
      i++
      continue
    }
    const how = (depth < deepest && (quoted(lines, i, depth) ?? listed(lines, i, depth))) || fenced(lines, i) || headed(lines, i) || tabled(lines, i) || indented(lines, i) || paragraph(lines, i)
    out.push(how.value)
    i = how.end
    ends?.push(i)
  }
  return out
}

/** Returns a block of code with a button that copies it. */
const code = (text) => <div class="code"><pre tabIndex={0}><code>{text}</code></pre><Copy text={() => text} name="this code" /></div>

function fenced(lines, i) {
  const m = fence.exec(lines[i])
  if (!m) return null
  let end = i + 1
  const closes = (line) => line.trim().length >= m[1].length && line.trim() === m[1][0].repeat(line.trim().length)
  while (end < lines.length && !closes(lines[end])) end++
  return { value: code(lines.slice(i + 1, end).join('\n')), end: end + 1 }
}

function headed(lines, i) {
  if (rule.test(lines[i])) return { value: <hr />, end: i + 1 }
  const m = heading.exec(lines[i])
  // A heading of a model is a paragraph, so that it is not part of the page's own outline.
  return m && { value: <p class={`md-heading l${m[1].length}`}>{inline((m[2] ?? '').trimEnd().replace(/(^|[ \t])#+$/, ''))}</p>, end: i + 1 }
}

function quoted(lines, i, depth) {
  if (!quote.test(lines[i])) return null
  const inner = []
  let end = i
  for (; end < lines.length && (quote.test(lines[end]) || (!blank.test(lines[end]) && !begins(lines, end))); end++) inner.push(lines[end].replace(quote, ''))
  return { value: <blockquote>{blocks(inner, depth + 1)}</blockquote>, end }
}

/** Parses a list: items with the same kind of mark, each with the indented lines below it. */
function listed(lines, i, depth) {
  const first = bullet.exec(lines[i])
  if (!first || rule.test(lines[i])) return null
  const kind = first[2].at(-1)
  const items = []
  let end = i
  for (;;) {
    const m = end < lines.length && !rule.test(lines[end]) ? bullet.exec(lines[end]) : null
    if (!m || m[2].at(-1) !== kind) break
    const item = itemAt(lines, end, m)
    items.push(task(item.lines, depth))
    end = item.end
  }
  const ordered = /\d/.test(first[2])
  return { value: ordered ? <ol start={parseInt(first[2], 10)}>{items}</ol> : <ul>{items}</ul>, end }
}

function itemAt(lines, i, m) {
  const width = m[1].length + m[2].length + (m[3].length > 4 || !m[3].length ? 1 : m[3].length)
  const inner = [lines[i].slice(width)]
  let end = i + 1
  for (; end < lines.length; end++) {
    const line = lines[end]
    if (blank.test(line)) {
      // Text after blank lines belongs to the item only if it is indented; otherwise only another item continues the list.
      let next = end
      while (next < lines.length && blank.test(lines[next])) next++
      if (next === lines.length || indent(lines[next]) < width) {
        if (next < lines.length && bullet.test(lines[next])) end = next
        break
      }
      inner.push('')
    } else if (indent(line) >= width) inner.push(line.slice(width))
    else if (begins(lines, end) || blank.test(lines[end - 1])) break
    else inner.push(line.trimStart()) // the paragraph continues
  }
  return { lines: inner, end }
}

const indent = (line) => line.length - line.trimStart().length

/** Returns a list item. Its first paragraph is without the p element, so that it has no gaps. */
function task(lines, depth) {
  const m = /^\[([ xX])\] +/.exec(lines[0])
  if (m) lines = [lines[0].slice(m[0].length), ...lines.slice(1)]
  const inner = blocks(lines, depth + 1)
  if (inner[0]?.type === 'p' && !inner[0].props.class) inner[0] = inner[0].props.children
  return <li>{m && <input type="checkbox" disabled checked={m[1] !== ' '} aria-label="task" />}{inner}</li>
}

/** Returns the cells of a table's row. A bar in code or after a backslash does not end a cell. */
function cells(line) {
  const out = ['']
  let code = false
  const row = line.trim().replace(/^\|/, '')
  for (let i = 0; i < row.length; i++) {
    if (row[i] === '\\' && row[i + 1] === '|') {
      out[out.length - 1] += '|'
      i++
    } else if (row[i] === '|' && !code) out.push('')
    else {
      if (row[i] === '`') code = !code
      out[out.length - 1] += row[i]
    }
  }
  if (out.at(-1).trim() === '' && out.length > 1) out.pop()
  return out.map((c) => c.trim())
}

const isTable = (lines, i) => i + 1 < lines.length && lines[i].includes('|') && /^[ |:-]+$/.test(lines[i + 1]) && lines[i + 1].includes('-') &&
  cells(lines[i + 1]).every((c) => /^:?-+:?$/.test(c)) && cells(lines[i]).length === cells(lines[i + 1]).length && cells(lines[i]).length <= widest

function tabled(lines, i) {
  if (!isTable(lines, i)) return null
  const head = cells(lines[i])
  let end = i + 2
  const rows = []
  while (end < lines.length && !blank.test(lines[end]) && lines[end].includes('|')) rows.push(cells(lines[end++]))
  return {
    value: (
      <table tabIndex={0}>
        <thead><tr>{head.map((c) => <th>{inline(c)}</th>)}</tr></thead>
        <tbody>{rows.map((r) => <tr>{head.map((_, n) => <td>{inline(r[n] ?? '')}</td>)}</tr>)}</tbody>
      </table>
    ),
    end,
  }
}

function indented(lines, i) {
  if (!/^(?: {4}|\t)/.test(lines[i])) return null
  let end = i
  while (end < lines.length && /^(?: {4}|\t)/.test(lines[end])) end++
  return { value: code(lines.slice(i, end).map((l) => l.replace(/^(?: {4}|\t)/, '')).join('\n')), end }
}

/** Reports whether a block other than a paragraph begins at line i. */
const begins = (lines, i) => fence.test(lines[i]) || heading.test(lines[i]) || rule.test(lines[i]) || quote.test(lines[i]) || bullet.test(lines[i]) || isTable(lines, i)

/** A line that begins with another number than 1 does not interrupt a paragraph with a list. */
const number = /^ {0,3}(?!1[.)])\d+[.)]/

function paragraph(lines, i) {
  let end = i + 1
  while (end < lines.length && !blank.test(lines[end]) && (!begins(lines, end) || number.test(lines[end])) && !/^ {0,3}=+[ \t]*$/.test(lines[end])) end++
  const text = lines.slice(i, end).map((l) => l.trimStart()).join('\n').trimEnd()
  if (end < lines.length && /^ {0,3}(?:=+|-+)[ \t]*$/.test(lines[end])) return { value: <p class={`md-heading l${/=/.test(lines[end]) ? 1 : 2}`}>{inline(text)}</p>, end: end + 1 }
  return { value: <p>{inline(text)}</p>, end }
}
