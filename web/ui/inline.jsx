// Markdown within a paragraph: emphasis, code, links. It makes elements of a fixed set from
// text. It never parses HTML, so that no HTML of a model gets into the page (SECURITY 15).
// Every step takes time linear in the length of the text.
import './visible.js'
import { Formula } from './code.jsx'

const longest = 65_536 // characters; a longer paragraph is shown as plain text
const deepest = 16 // levels of nested emphasis
const punctuation = /[!-/:-@[-`{-~]/
const space = /^\s?$/
const mark = /^[\p{P}\p{S}]$/u

/** Returns a paragraph's text as nodes for Preact. With label, which is for the text of a link, it makes no links. */
export function inline(text, label = false) {
  if (text.length > longest) return [text]
  const list = new List()
  const brackets = pairs(text)
  const unclosed = new Set() // lengths of backtick runs that are not closed
  let plain = ''
  const flush = () => {
    if (plain) list.add({ value: plain, plain })
    plain = ''
  }
  const put = (value, source) => {
    flush()
    list.add({ value, plain: source })
  }
  for (let i = 0; i < text.length;) {
    const c = text[i]
    if (c === '\\' || c === '$') {
      const made = label ? null : maths(text, i)
      if (made) {
        put(made.value, text.slice(i, made.end))
        i = made.end
        continue
      }
    }
    if (c === '\\' && i + 1 < text.length && (punctuation.test(text[i + 1]) || text[i + 1] === '\n')) {
      if (text[i + 1] === '\n') put(<br />, ' ')
      else plain += text[i + 1]
      i += 2
      continue
    }
    if (c === '\n') {
      const hard = plain.endsWith('  ')
      plain = plain.trimEnd()
      if (hard) put(<br />, ' ')
      else plain += '\n'
      i++
      continue
    }
    const found = c === '`' ? code(text, i, unclosed)
      : c === '&' ? entity(text, i)
        : label ? null
          : c === '[' && text[i + 1] === '^' ? noteMark(text, i) : c === '[' || (c === '!' && text[i + 1] === '[') ? link(text, i, brackets)
            : c === '<' ? angled(text, i)
              : c === 'h' ? bare(text, i) : null
    if (found) {
      if (found.text !== undefined) plain += found.text
      else put(found.value, text.slice(i, found.end))
      i = found.end
    } else if (c === '*' || c === '_' || c === '~') {
      const n = run(text, i)
      flush()
      list.add(delimiter(text, i, n))
      i += n
    } else if (c === '`') {
      const n = run(text, i)
      plain += text.slice(i, i + n)
      i += n
    } else {
      plain += c
      i++
    }
  }
  flush()
  emphasise(list)
  return list.values()
}

/** Returns how often the character at i is repeated from there on. */
function run(text, i) {
  let n = 1
  while (text[i + n] === text[i]) n++
  return n
}

function code(text, i, unclosed) {
  const n = run(text, i)
  if (unclosed.has(n)) return null
  for (let at = text.indexOf('`', i + n); at >= 0; at = text.indexOf('`', at)) {
    const m = run(text, at)
    if (m === n) {
      const inner = text.slice(i + n, at).replace(/\n/g, ' ')
      return { value: <code>{/^ .*[^ ].* $/.test(inner) ? inner.slice(1, -1) : inner}</code>, end: at + n }
    }
    at += m
  }
  unclosed.add(n)
  return null
}

/** Returns, for the position of each [, the position of its ]. Brackets in code and in addresses do not count. It needs one pass. */
function pairs(text) {
  const ends = new Map()
  const open = []
  const unclosed = new Set()
  for (let i = 0; i < text.length; i++) {
    const whole = text[i] === '`' ? code(text, i, unclosed)?.end ?? i + run(text, i) : text[i] === '<' ? angled(text, i)?.end : 0
    if (whole) i = whole - 1
    else if (text[i] === '\\') i++
    else if (text[i] === '[') open.push(i)
    else if (text[i] === ']' && open.length) ends.set(open.pop(), i)
  }
  return ends
}

function link(text, i, brackets) {
  const image = text[i] === '!'
  const begin = image ? i + 1 : i
  const end = brackets.get(begin)
  if (end === undefined || text[end + 1] !== '(') return null
  const rest = text.slice(end + 2, end + 4096)
  const m = /^\s{0,2}(?:<([^<>\n]*)>|([^\s()<>]*(?:\([^\s()]*\)[^\s()<>]*)?))(?:\s{1,2}(?:"[^"]*"|'[^']*'))?\s{0,2}\)/.exec(rest)
  if (!m) return null
  const label = text.slice(begin + 1, end)
  return { value: outsideLink(m[1] ?? m[2], image ? label || 'image' : label, image ? 'image' : 'link'), end: end + 2 + m[0].length }
}

/** The mark of a footnote, [^1]; a click leads to its text. */
function noteMark(text, i) {
  const m = /^\[\^([^\]\s]{1,64})\]/.exec(text.slice(i, i + 80))
  return m && { value: <sup class="md-mark"><button type="button" aria-label={`footnote ${m[1]}`} onClick={(e) => toNote(e.target, m[1])}>{m[1]}</button></sup>, end: i + m[0].length }
}

/** Scrolls to the text of a footnote, which may be in a piece that is not drawn. */
function toNote(from, name) {
  const all = from.closest('.md')
  const to = [...all.querySelectorAll('.md-note')].find((e) => e.dataset.note === name) ?? [...all.querySelectorAll('.piece.far')].find((e) => e.textContent.includes(`[^${name}]:`))
  to?.scrollIntoView({ block: 'center' })
}

const farthest = 1_000 // characters of a formula within a line

/** A formula within a line: $x$ or \\(x\\). A $ that opens stands before a character that is not a space, one that closes after such a character and not before a digit, so that prices are not formulas. */
function maths(text, i) {
  const pair = text.startsWith('\\(', i) ? '\\)' : text.startsWith('\\[', i) ? '\\]' : text.startsWith('$$', i) ? '$$' : text[i] === '$' ? '$' : ''
  if (!pair) return null
  const begin = i + pair.length
  if (pair === '$' && (/[\s$]/.test(text[begin] ?? ' ') || /[\w$]/.test(text[i - 1] ?? ''))) return null
  const line = text.slice(begin, begin + farthest)
  for (let at = line.indexOf(pair); at >= 0; at = line.indexOf(pair, at + 1)) {
    if (pair === '$' && (/\s/.test(line[at - 1] ?? ' ') || /[\d$]/.test(line[at + 1] ?? '') || line[at - 1] === '\\')) continue
    const tex = line.slice(0, at).trim()
    const end = begin + at + pair.length
    return tex && !/\n\s*\n/.test(tex) ? { value: <Formula tex={tex} source={text.slice(i, end)} display={pair === '$$' || pair === '\\]'} />, end } : null
  }
  return null
}

function angled(text, i) {
  const rest = text.slice(i, i + 2048)
  if (/^<br\s*\/?>/i.test(rest)) return { value: <br />, end: i + rest.indexOf('>') + 1 }
  const m = /^<((?:https?:\/\/|mailto:)[^\s<>]+)>/.exec(rest)
  return m && { value: outsideLink(m[1], m[1], 'link'), end: i + m[0].length }
}

/** Returns the link for a bare URL that begins at i, or null. */
function bare(text, i) {
  if (i && /[\w/]/.test(text[i - 1])) return null
  const m = /^https?:\/\/[^\s<>"'`|]+/.exec(text.slice(i, i + 2048))
  if (!m) return null
  let address = m[0].replace(/[.,;:!?*_~]+$/, '')
  if (address.endsWith(')') && !address.includes('(')) address = address.slice(0, -1)
  return { value: outsideLink(address, address, 'link'), end: i + address.length }
}

const decoder = document.createElement('textarea') // its content is text: no element can come of it

function entity(text, i) {
  const m = /^&(?:([a-zA-Z][a-zA-Z\d]{1,31})|#(\d{1,7})|#[xX]([\da-fA-F]{1,6}));/.exec(text.slice(i, i + 34))
  if (!m) return null
  if (m[1]) {
    decoder.innerHTML = m[0]
    return decoder.value.endsWith(';') && m[1] !== 'semi' ? null : { text: decoder.value, end: i + m[0].length }
  }
  const n = m[2] ? Number(m[2]) : parseInt(m[3], 16)
  return { text: n > 0 && n <= 0x10ffff ? String.fromCodePoint(n) : '\ufffd', end: i + m[0].length }
}

/** Returns a link that shows its host and is followed only after a click. An image becomes a link too, and is never loaded. */
function outsideLink(address, label, kind) {
  let url = null
  try {
    url = new URL(address)
  } catch {
    // A relative address in a model's text has no target.
  }
  if (!url || !['https:', 'http:', 'mailto:'].includes(url.protocol)) return <span>{label ? inline(label, true) : address}{label && address && address !== label && <span class="md-host"> ({address})</span>}</span>
  const host = url.protocol === 'mailto:' ? url.pathname : url.host
  const text = kind === 'image' ? `[image: ${label}]` : label || url.href
  return (
    <a href={url.href} target="_blank" rel="noopener noreferrer nofollow" referrerpolicy="no-referrer" title={`opens ${url.href} in a new tab`}>
      {kind === 'link' && label ? inline(label, true) : text}{!leadsTo(text, host) && <span class="md-host"> ({host})</span>}
    </a>
  )
}

/** Reports whether a text is an address of exactly this host, or the host itself. Any other text can look like another address. */
const leadsTo = (text, host) => text === host || text === `mailto:${host}` || /^https?:\/\/([\w.:-]+)(?![^/?#])/.exec(text)?.[1] === host

/** A linked list of values, in which a range can be joined to one value, with a second list of the delimiters in it. */
class List {
  first = null
  last = null
  marks = null // the last delimiter

  add(node) {
    node.prev = this.last
    node.next = null
    if (this.last) this.last.next = node
    else this.first = node
    this.last = node
    if (!node.mark) return
    node.up = this.marks
    if (node.up) node.up.down = node
    this.marks = node
  }

  /** Joins the values between two delimiters to one. If they are nested too deeply, the result is their plain text. */
  wrap(from, to, make) {
    const inner = []
    let depth = 0
    let plain = ''
    for (let n = from.next; n !== to; n = n.next) {
      inner.push(nodeText(n))
      plain += n.mark ? nodeText(n) : n.plain
      depth = Math.max(depth, n.depth ?? 0)
    }
    const node = depth < deepest ? { value: make(inner), plain, depth: depth + 1 } : { value: plain, plain, depth }
    from.next = to.prev = Object.assign(node, { prev: from, next: to })
    from.down = to
    to.up = from
  }

  values() {
    const out = []
    for (let n = this.first; n; n = n.next) {
      const v = nodeText(n)
      if (v !== '') out.push(v)
    }
    return out
  }
}

const nodeText = (n) => (n.mark ? n.mark.repeat(n.count) : n.value)

/** Returns a delimiter for a run of n characters * _ or ~: whether it may begin or end emphasis, as CommonMark says. */
function delimiter(text, i, n) {
  const c = text[i]
  const before = text[i - 1] ?? ' '
  const after = text[i + n] ?? ' '
  const left = !space.test(after) && (!mark.test(after) || space.test(before) || mark.test(before))
  const right = !space.test(before) && (!mark.test(before) || space.test(after) || mark.test(after))
  const strict = c === '_'
  if (c === '~' && n !== 2) return { value: c.repeat(n), plain: c.repeat(n) }
  return { mark: c, count: n, size: n, opens: left && (!strict || !right || mark.test(before)), closes: right && (!strict || !left || mark.test(after)) }
}

/** Pairs the delimiters. It does not search the same delimiters twice for an opener, so that the time is linear. */
function emphasise(list) {
  const bottom = new Map()
  let closer = list.marks
  while (closer?.up) closer = closer.up
  while (closer) {
    if (!closer.closes || !closer.count) {
      closer = closer.down
      continue
    }
    const kind = `${closer.mark}${closer.opens}${closer.size % 3}`
    const stop = bottom.get(kind)
    let opener = closer.up
    while (opener && opener !== stop && !(opener.mark === closer.mark && opener.opens && mayPair(opener, closer))) opener = opener.up
    if (!opener || opener === stop) {
      bottom.set(kind, closer.up)
      closer = closer.down
      continue
    }
    const n = opener.count >= 2 && closer.count >= 2 ? 2 : 1
    opener.count -= n
    closer.count -= n
    list.wrap(opener, closer, (inner) => (closer.mark === '~' ? <del>{inner}</del> : n === 2 ? <strong>{inner}</strong> : <em>{inner}</em>))
    if (!opener.count) drop(opener)
    if (!closer.count) closer = drop(closer)
  }
}

/** Removes a used delimiter from the list of delimiters, and returns the next one. */
function drop(mark) {
  if (mark.up) mark.up.down = mark.down
  if (mark.down) mark.down.up = mark.up
  return mark.down
}

const mayPair = (opener, closer) => opener.mark === '~' || !(opener.closes || closer.opens) || (opener.size + closer.size) % 3 !== 0 || (opener.size % 3 === 0 && closer.size % 3 === 0)
