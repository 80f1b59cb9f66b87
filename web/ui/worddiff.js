// Compares two texts word by word, after lines that are equal were put aside. The time is
// bounded: texts that differ in more than most words are shown as replaced.

const most = 2_000 // words or lines of a part that are compared with each other
const words = /\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu

/** Returns the parts of two lists in order: {same, a, b}; a part that is not the same has what the first list has in a, and the second in b. It is Myers' algorithm, with at most limit edits; then the rest is one part. */
function edits(a, b, limit) {
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let end = 0
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++
  const x = a.slice(start, a.length - end)
  const y = b.slice(start, b.length - end)
  const out = []
  const put = (same, from, to) => { if (from.length || to.length) out.push({ same, a: from, b: to }) }
  put(true, a.slice(0, start), b.slice(0, start))
  for (const p of middle(x, y, limit)) put(p.same, p.a, p.b)
  put(true, a.slice(a.length - end), b.slice(b.length - end))
  return out
}

function middle(x, y, limit) {
  if (!x.length || !y.length || Math.max(x.length, y.length) > most) return [{ same: false, a: x, b: y }]
  const kept = [] // the furthest positions after each number of edits
  let v = new Map([[1, 0]])
  for (let d = 0; d <= limit; d++) {
    kept.push(v)
    const next = new Map(v)
    for (let k = -d; k <= d; k += 2) {
      let i = k === -d || (k !== d && (v.get(k - 1) ?? -1) < (v.get(k + 1) ?? -1)) ? v.get(k + 1) ?? 0 : (v.get(k - 1) ?? 0) + 1
      while (i < x.length && i - k < y.length && x[i] === y[i - k]) i++
      next.set(k, i)
      if (i >= x.length && i - k >= y.length) return traced(kept, x, y, d)
    }
    v = next
  }
  return [{ same: false, a: x, b: y }]
}

/** Returns the parts from the positions that middle kept. */
function traced(kept, x, y, edits) {
  const marks = [] // from the end: 0 same, 1 only in x, 2 only in y
  let i = x.length
  let j = y.length
  for (let d = edits; d >= 0; d--) {
    const v = kept[d]
    const k = i - j
    const from = k === -d || (k !== d && (v.get(k - 1) ?? -1) < (v.get(k + 1) ?? -1)) ? k + 1 : k - 1
    const pi = d === 0 ? 0 : v.get(from) ?? 0
    const pj = d === 0 ? 0 : pi - from
    while (i > pi && j > pj) {
      marks.push(0)
      i--
      j--
    }
    if (d > 0) {
      marks.push(i > pi ? 1 : 2)
      i = pi
      j = pj
    }
  }
  const out = []
  let at = 0
  let bt = 0
  for (const m of marks.reverse()) {
    const same = m === 0
    if (out.at(-1)?.same !== same) out.push({ same, a: [], b: [] })
    if (m !== 2) out.at(-1).a.push(x[at++])
    if (m !== 1) out.at(-1).b.push(y[bt++])
  }
  return out
}

const join = (parts) => parts.map((p) => ({ same: p.same, a: p.a.join(''), b: p.b.join('') }))

/** Returns how two texts differ, in order: {same, a, b}, in which a is of the first text and b of the second. */
export function compared(a, b) {
  const lines = (text) => text.match(/[^\n]*\n|[^\n]+$/g) ?? []
  return edits(lines(a), lines(b), 500).flatMap((p) => (p.same || !p.a.length || !p.b.length ? join([p]) : join(edits(p.a.join('').match(words) ?? [], p.b.join('').match(words) ?? [], 400))))
}
