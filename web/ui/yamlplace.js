// Finds the place of a cursor in YAML that is being written: the path of keys to it. It reads
// line by line, because a text that is not complete cannot be parsed to a tree.

/** The element of a path that stands for an item of a list. */
export const ITEM = '[]'

const keyAt = /^(?:"([^"]*)"|'([^']*)'|([^\s:#{}[\],"'&*!|>][^:#{}[\],]*?))\s*:(?:\s+|$)/

/**
 * Returns the place at the end of before, the YAML up to the cursor; after is the rest.
 * @returns {{path: string[], word: string, key: boolean, value: boolean, present: Set<string>} | null} word is the word
 *   that is being written; key and value say whether it can be a key or a value; present has the other keys of its map; null in a comment
 */
export function placeIn(before, after) {
  const lines = before.split('\n')
  const stack = [] // {indent, name, keys: the keys of the level below}
  const root = new Set()
  for (const line of lines.slice(0, -1)) {
    if (!line.trim() || /^\s*#/.test(line)) continue
    pushKeys(stack, line, root)
  }
  const last = lines.at(-1)
  if (/(^|\s)#/.test(last)) return null
  const { rest, col } = pushKeys(stack, last, root, true)
  const path = stack.map((s) => s.name)
  const present = new Set(stack.at(-1)?.keys ?? root)
  for (const line of after.split('\n').slice(1)) { // the lines below, on the same level
    if (!line.trim()) continue
    const indent = line.search(/\S/)
    if (indent < col) break
    const m = indent === col && keyAt.exec(line.trimStart())
    if (m) present.add(m[1] ?? m[2] ?? m[3])
  }
  const m = keyAt.exec(rest)
  if (!m) return flow(rest, path, present)
  const inside = flow(rest.slice(m[0].length), [...path, m[1] ?? m[2] ?? m[3]], new Set())
  return { ...inside, key: inside.key && inside.path.length > path.length + 1 }
}

/** Pushes the keys of a line on the stack. With open, the line is being written, and its last key is not pushed. */
function pushKeys(stack, line, root, open = false) {
  let col = line.search(/\S|$/)
  let rest = line.slice(col)
  const dash = /^-(\s+|$)/
  while (stack.length && (stack.at(-1).indent > col || (stack.at(-1).indent === col && !(dash.test(rest) && stack.at(-1).name !== ITEM)))) stack.pop()
  for (let m; (m = dash.exec(rest));) {
    stack.push({ indent: col, name: ITEM, keys: new Set() })
    col += m[0].length
    rest = rest.slice(m[0].length)
  }
  const m = keyAt.exec(rest)
  if (m && !open) {
    const name = m[1] ?? m[2] ?? m[3]
    const above = stack.at(-1)?.keys ?? root
    above.add(name)
    stack.push({ indent: col, name, keys: new Set() })
  }
  return { rest, col }
}

/** Returns the place at the end of a value, which may be a flow mapping or sequence ({…}, […]). */
function flow(text, path, present) {
  const open = [] // the open braces and brackets: {map, name, keys}
  let word = ''
  for (let i = 0; i < text.length; i++) {
    const c = text[i]
    if (c === '"' || c === "'") {
      const end = text.indexOf(c, i + 1)
      word = text.slice(i + 1, end < 0 ? undefined : end)
      if (end < 0) break
      i = end
    } else if (c === '{' || c === '[') {
      open.push({ map: c === '{', name: c === '{' ? null : ITEM, keys: new Set() })
      word = ''
    } else if (c === '}' || c === ']') {
      open.pop()
      word = ''
    } else if (c === ',' && open.length) {
      if (open.at(-1).map) open.at(-1).name = null
      word = ''
    } else if (c === ':' && open.at(-1)?.map && open.at(-1).name === null && /\s|$/.test(text[i + 1] ?? '')) {
      open.at(-1).name = word.trim()
      open.at(-1).keys.add(word.trim())
      word = ''
    } else {
      word += c
    }
  }
  const top = open.at(-1)
  const key = !top || (top.map && top.name === null)
  return { path: [...path, ...open.map((o) => o.name).filter((n) => n !== null)], word: word.trimStart(), key, value: !top || top.name !== null, present: top?.keys ?? present }
}
