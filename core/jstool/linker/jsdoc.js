// comment returns what the JSDoc comment above a statement says: its text, its parameters and
// its result; null if there is none.
export function comment(node) {
  const last = node.leadingComments?.at(-1)
  if (last?.type !== 'CommentBlock' || !last.value.startsWith('*')) return null
  const lines = last.value.slice(1).split(/\r?\n/).map((l) => l.replace(/^\s*\*? ?/, '').trimEnd())
  const blocks = [[]]
  for (const line of lines) {
    if (/^@\w/.test(line)) blocks.push([])
    blocks.at(-1).push(line)
  }
  const out = {text: joined(blocks.shift()), params: [], returns: '', typedefs: []}
  for (const block of blocks) {
    const [, tag, rest] = /^@(\w+)\s*([\s\S]*)$/.exec(block.join('\n'))
    const {type, after} = braces(rest)
    switch (tag) {
      case 'param':
      case 'arg':
      case 'argument':
      case 'property':
      case 'prop': {
        const p = parameter(type, after)
        if (p) out.params.push(p)
        break
      }
      case 'return':
      case 'returns':
        out.returns = type
        break
      case 'typedef':
        out.typedefs.push({type, name: after.trim().split(/\s/)[0]})
        break
      case 'description':
        out.text ||= joined([rest])
    }
  }
  return out
}

// typedefs returns the @typedef comments of a file: their name, type and properties.
export function typedefs(ast) {
  const out = []
  for (const c of ast.comments ?? []) {
    const said = comment({leadingComments: [c]})
    for (const t of said?.typedefs ?? []) out.push({...t, properties: said.params})
  }
  return out
}

// braces splits {TYPE} from what follows; braces inside the type are counted.
function braces(text) {
  if (text[0] !== '{') return {type: '', after: text}
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '{') depth++
    if (text[i] === '}' && --depth === 0) return {type: text.slice(1, i).trim(), after: text.slice(i + 1)}
  }
  return {type: '', after: text}
}

// parameter reads "[name=default] - text" after a type.
function parameter(type, after) {
  const found = /^\s*(?:\[\s*([\w$.]+)\s*(?:=\s*([^\]]*))?\]|([\w$.]+))\s*(?:-\s*)?([\s\S]*)$/.exec(after)
  if (!found) return null
  const [, bracketed, fallback, name, text] = found
  let optional = !!bracketed
  if (type.endsWith('=')) [type, optional] = [type.slice(0, -1), true]
  let value
  if (fallback !== undefined) {
    try {
      value = JSON.parse(fallback.trim().replace(/^'(.*)'$/, '"$1"'))
    } catch {
      value = undefined
    }
  }
  return {name: bracketed ?? name, type, optional, text: joined([text]), default: value}
}

const joined = (lines) => lines.join('\n').trim().replace(/[ \t]*\n(?!\n)[ \t]*/g, '\n').replace(/([^\n])\n(?!\n)/g, '$1 ')
