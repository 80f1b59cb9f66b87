// The blocks of Markdown: paragraphs, lists, tables, quotations, code. Finding where a block
// ends is cheap; its elements are made only when it is drawn.
import { inline } from './inline.jsx'
import { Code, Formula } from './code.jsx'
import { plain } from './near.jsx'

const deepest = 12 // levels of nested lists and quotations; deeper ones are text
const widest = 64 // columns of a table at most
const size = 1_500 // characters of a part of a block, about
const longest = 16_384 // characters; a longer paragraph is shown as it is, in parts

const fence = /^ {0,3}(`{3,}|~{3,})([^`]*)$/
const heading = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/
const rule = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/
const bullet = /^( {0,3})([-*+]|\d{1,9}[.)])( +|$)/
const quote = /^ {0,3}> ?/
const blank = /^[ \t]*$/

/**
 * A block: end is the line after it, draw makes its elements. parts, which gets the block's
 * first line, cuts a long block; each part has its lines from and to, or its text as source.
 * @typedef {{end: number, draw: () => any, parts?: (first: number) => {from?: number, to?: number, source?: string, draw: () => any}[]}} Block
 */

/** Returns the block that begins at line i. @returns {Block} */
export const blockAt = (lines, i, depth) => (depth < deepest && (quoted(lines, i, depth) ?? listed(lines, i, depth))) || fenced(lines, i) || headed(lines, i) || formula(lines, i) || noted(lines, i, depth) || tabled(lines, i) || indented(lines, i) || paragraph(lines, i)

/** Returns the elements of all blocks of lines. */
function blocks(lines, depth) {
  const out = []
  for (let i = 0; i < lines.length;) {
    if (blank.test(lines[i])) {
      i++
      continue
    }
    const block = blockAt(lines, i, depth)
    out.push(block.draw())
    i = block.end
  }
  return out
}

/** Groups lines from one to another into parts of about size characters, and draws each with draw(from, to). cuts says whether a part may end before a line. */
function grouped(lines, from, to, draw, cuts = () => true) {
  const out = []
  for (let i = from, begin = from, length = 0; i < to; i++) {
    length += lines[i].length + 1
    if (i + 1 < to && (length < size || !cuts(i + 1))) continue
    const [a, b] = [begin, i + 1]
    out.push({ from: a, to: b, draw: () => draw(a, b) })
    begin = b
    length = 0
  }
  return out
}

/** Returns a block of code, which is drawn in parts if it is long. */
function code(body, end, info, closed) {
  const text = body.join('\n')
  return {
    end, draw: () => <Code text={text} info={info} closed={closed} />,
    parts: () => {
      const out = []
      for (let at = 0; at < text.length;) {
        const line = text.indexOf('\n', at + size)
        const to = line < 0 || line > at + 2 * size ? Math.min(text.length, at + 2 * size) : line
        const begin = at
        out.push({ source: text.slice(begin, to), draw: () => <Code text={text} info={info} closed={closed} begin={begin} end={to} /> })
        at = to + (text[to] === '\n' ? 1 : 0)
      }
      return out
    },
  }
}

function fenced(lines, i) {
  const m = fence.exec(lines[i])
  if (!m) return null
  let end = i + 1
  const closes = (line) => line.trim().length >= m[1].length && line.trim() === m[1][0].repeat(line.trim().length)
  while (end < lines.length && !closes(lines[end])) end++
  return code(lines.slice(i + 1, end), end + 1, m[2].trim().split(/\s/)[0].replace(/[^\w+#.-]/g, ''), end < lines.length)
}

/** A formula of its own lines: between $$ and $$, or \\[ and \\]. */
function formula(lines, i) {
  const m = /^ {0,3}(\$\$|\\\[)/.exec(lines[i])
  if (!m) return null
  const close = m[1] === '$$' ? '$$' : '\\]'
  const begin = lines[i].slice(m[0].length)
  for (let end = i; end < lines.length && end < i + 60 && (end === i || !blank.test(lines[end])); end++) {
    const line = end === i ? begin : lines[end]
    const at = line.indexOf(close)
    if (at < 0) continue
    if (!blank.test(line.slice(at + 2))) return null // it stands within a paragraph
    const tex = [begin, ...lines.slice(i + 1, end + 1)].join('\n')
    const inner = tex.slice(0, tex.lastIndexOf(close)).trim()
    return inner ? { end: end + 1, draw: () => <p><Formula tex={inner} source={lines.slice(i, end + 1).join('\n')} display /></p> } : null
  }
  return null
}

const note = /^ {0,3}\[\^([^\]\s]{1,64})\]:[ \t]*/

/** A footnote: [^1]: and its text, with the indented lines below it. */
function noted(lines, i, depth) {
  const m = note.exec(lines[i])
  if (!m || depth >= deepest) return null
  const { lines: inner, end } = itemAt(lines, i, [m[0], '', m[0], ''], 4)
  return { end, draw: () => <div class="md-note" data-note={m[1]}><sup>{m[1]}</sup><div>{blocks(inner, depth + 1)}</div></div> }
}

function headed(lines, i) {
  if (rule.test(lines[i])) return { draw: () => <hr />, end: i + 1 }
  const m = heading.exec(lines[i])
  // A heading of a model is a paragraph, so that it is not part of the page's own outline.
  return m && { draw: () => <p class={`md-heading l${m[1].length}`}>{inline((m[2] ?? '').trimEnd().replace(/(^|[ \t])#+$/, ''))}</p>, end: i + 1 }
}

function quoted(lines, i, depth) {
  if (!quote.test(lines[i])) return null
  const inner = []
  let end = i
  for (; end < lines.length && (quote.test(lines[end]) || (!blank.test(lines[end]) && !begins(lines, end))); end++) inner.push(lines[end].replace(quote, ''))
  return { draw: () => <blockquote>{blocks(inner, depth + 1)}</blockquote>, end, parts: () => grouped(inner, 0, inner.length, (from, to) => <blockquote>{blocks(inner.slice(from, to), depth + 1)}</blockquote>, (n) => blank.test(inner[n - 1])).map((p) => ({ ...p, from: i + p.from, to: i + p.to })) }
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
    items.push({ lines: item.lines, from: end })
    end = item.end
  }
  const ordered = /\d/.test(first[2])
  const start = parseInt(first[2], 10)
  const draw = (a, b) => {
    const inner = items.slice(a, b).map((item) => task(item.lines, depth))
    return ordered ? <ol start={start + a}>{inner}</ol> : <ul>{inner}</ul>
  }
  const line = (n) => items[n]?.from ?? end
  const parts = () => grouped(items.map((item) => item.lines.join('\n')), 0, items.length, draw).map((p) => ({ ...p, from: line(p.from), to: line(p.to) }))
  return { draw: () => draw(0, items.length), end, parts }
}

function itemAt(lines, i, m, indented = 0) {
  const width = indented || m[1].length + m[2].length + (m[3].length > 4 || !m[3].length ? 1 : m[3].length)
  const inner = [lines[i].slice(indented ? m[0].length : width)]
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
  const sides = cells(lines[i + 1]).map((c) => (c.endsWith(':') ? (c.startsWith(':') ? 'mid' : 'right') : undefined))
  let end = i + 2
  while (end < lines.length && !blank.test(lines[end]) && lines[end].includes('|')) end++
  const draw = (from, to, even) => {
    const rows = lines.slice(Math.max(from, i + 2), to).map(cells)
    return (
      <table tabIndex={0} class={even ? 'even' : undefined}>
        {from <= i && <thead><tr>{head.map((c, n) => <th class={sides[n]}>{inline(c)}</th>)}</tr></thead>}
        <tbody>{rows.map((r) => <tr>{head.map((_, n) => <td class={sides[n]}>{inline(r[n] ?? '')}</td>)}</tr>)}</tbody>
      </table>
    )
  }
  return { draw: () => draw(i, end), end, parts: () => grouped(lines, i, end, (from, to) => draw(from, to, true), (n) => n > i + 2) }
}

function indented(lines, i) {
  if (!/^(?: {4}|\t)/.test(lines[i])) return null
  let end = i
  while (end < lines.length && /^(?: {4}|\t)/.test(lines[end])) end++
  return code(lines.slice(i, end).map((l) => l.replace(/^(?: {4}|\t)/, '')), end, '', true)
}

/** Reports whether a block other than a paragraph begins at line i. */
const begins = (lines, i) => fence.test(lines[i]) || note.test(lines[i]) || heading.test(lines[i]) || rule.test(lines[i]) || quote.test(lines[i]) || bullet.test(lines[i]) || isTable(lines, i)

/** A line that begins with another number than 1, and an empty item, do not interrupt a paragraph with a list. */
const noItem = /^ {0,3}(?:(?!1[.)])\d+[.)]|(?:[-*+]|1[.)])[ \t]*$)/
const underline = /^ {0,3}(?:=+|-+)[ \t]*$/

function paragraph(lines, i) {
  let end = i + 1
  while (end < lines.length && !blank.test(lines[end]) && (!begins(lines, end) || noItem.test(lines[end])) && !underline.test(lines[end])) end++
  const text = () => lines.slice(i, end).map((l) => l.trimStart()).join('\n').trimEnd()
  if (end < lines.length && underline.test(lines[end])) return { draw: () => <p class={`md-heading l${/=/.test(lines[end]) ? 1 : 2}`}>{inline(text())}</p>, end: end + 1 }
  return { draw: () => <p>{inline(text())}</p>, end, parts: () => {
    const whole = text()
    return whole.length > longest ? plain(whole) : [{ from: i, to: end, draw: () => <p>{inline(whole)}</p> }]
  } }
}
