// A unified diff, coloured by its first column. Text stays text: whatever a
// line holds, it cannot become markup, and what cannot be seen is written out.

const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g

/** Control, bidirectional and invisible characters as escapes (SECURITY 9). */
export const visible = (s) => String(s ?? '').replace(hidden, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** How many lines a patch adds and removes. */
export function counts(patch) {
  let plus = 0
  let minus = 0
  for (const line of patch.split('\n')) {
    if (line.startsWith('+') && !line.startsWith('+++')) plus++
    if (line.startsWith('-') && !line.startsWith('---')) minus++
  }
  return { plus, minus }
}

const kinds = { '+': 'add', '-': 'del', '@': 'hunk', '\\': 'note' }

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

/** @param {{patch: string, label?: string}} props */
export function Diff({ patch, label = 'changes' }) {
  const lines = String(patch).replace(/\n$/, '').split('\n').filter((l) => !l.startsWith('--- ') && !l.startsWith('+++ '))
  const other = partners(lines)
  return (
    <pre class="diff" tabIndex={0} role="region" aria-label={label}>
      {lines.map((line, i) => (
        <span key={i} class={`diff-line ${kinds[line[0]] ?? ''}`}>{changed(line, other[i]) ?? (visible(line) || ' ')}{'\n'}</span>
      ))}
    </pre>
  )
}
