// A unified diff, coloured by its first column. Text stays text: whatever a
// line holds, it cannot become markup, and what cannot be seen is written out.

const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g

/** Control, bidirectional and invisible characters as escapes (SECURITY 9). */
export const visible = (s) => s.replace(hidden, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)

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

/** @param {{patch: string, label?: string}} props */
export function Diff({ patch, label = 'changes' }) {
  const lines = patch.replace(/\n$/, '').split('\n').filter((l) => !l.startsWith('--- ') && !l.startsWith('+++ '))
  return (
    <pre class="diff" tabIndex={0} role="region" aria-label={label}>
      {lines.map((line, i) => (
        <span key={i} class={`diff-line ${kinds[line[0]] ?? ''}`}>{visible(line) || ' '}{'\n'}</span>
      ))}
    </pre>
  )
}
