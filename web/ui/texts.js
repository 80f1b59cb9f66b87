// The texts of values, faults and durations, as the page shows them.

/** If v is the object that a trace has in place of a long text (SPEC §16), returns it with the name of the text's file; else null. */
export function beside(v) {
  if (!v || typeof v !== 'object' || typeof v.head !== 'string' || !('cut' in v) || !Object.keys(v).every((k) => ['cut', 'head', 'sha256', 'json'].includes(k))) return null
  return { ...v, name: `${v.sha256}.${v.json ? 'json' : 'txt'}` }
}

/** Returns a value for display: a long text that is missing becomes its beginning and a note. */
export function plain(v) {
  const gone = beside(v)
  return gone ? `${gone.head} [the first part of ${gone.cut} bytes; the rest, ${gone.name}, is not beside the trace]` : v
}

/** Returns a value as text: a string unchanged, another value as JSON. */
export function shown(v) {
  const p = plain(v)
  if (p === undefined || p === null) return ''
  return typeof p === 'string' ? p : JSON.stringify(p, (_, inner) => plain(inner), 2)
}

/** Says why the module of a hardened worker did not answer, as core/trace does (trace.Fallback). */
export function fallbackText(e) {
  const why = e.error ? faultText(e.error) : e.message ?? ''
  const how = { unsure: 'is unsure', input: 'was not asked' }[e.reason] ?? 'failed'
  if (e.reason === 'schema') return `the answer of the code of ${e.tool} does not fit, so the worker answers: ${why}`
  return `the code of ${e.tool} ${how}, so the worker answers: ${why}`
}

/** Returns a fault on one line: place, code, and message and hint in the words of the page. */
export function faultText(f) {
  if (!f) return ''
  const at = f.where?.file ? `${f.where.file}${f.where.line ? ':' + f.where.line : ''}: ` : ''
  const { message = f.message, hint } = f.page ?? f
  return `${at}${f.code}: ${message}${hint ? ` (${hint})` : ''}`
}

/** Returns the first line of a text as a title, as golem does: at most 60 characters; '' if it has no words. */
export function titled(text) {
  const line = [...text.trim().split('\n', 1)[0].replace(/\s+/g, ' ')]
  return line.length > 60 ? `${line.slice(0, 59).join('').trim()}…` : line.join('')
}

/** Formats milliseconds: 250 ms, 1.5 s, 2 min 5 s. */
export function seconds(ms) {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`
}
