// Places the boxes of a graph in layers, with callers before those that they call.

/**
 * Puts nodes into layers, so that each line leads from an earlier layer to a later one,
 * except lines that close a cycle. Within a layer nodes are near those that lead to
 * them.
 * @param {string[]} ids the nodes; the search for cycles takes them in this order
 * @param {[string, string][]} lines
 * @returns {{layers: string[][], back: Set<string>}} back has the lines that close a cycle, as `${from}\n${to}`
 */
export function layered(ids, lines) {
  const next = new Map(ids.map((id) => [id, []]))
  for (const [from, to] of lines) if (next.has(from) && next.has(to)) next.get(from).push(to)
  const back = new Set()
  const done = ordered(ids, next, back)
  const depth = new Map(ids.map((id) => [id, 0]))
  const callers = new Map(ids.map((id) => [id, []]))
  for (const from of done) {
    for (const to of next.get(from)) {
      if (back.has(`${from}\n${to}`)) continue
      depth.set(to, Math.max(depth.get(to), depth.get(from) + 1))
      callers.get(to).push(from)
    }
  }
  const layers = []
  for (const id of ids) (layers[depth.get(id)] ??= []).push(id)
  const row = new Map()
  for (const layer of layers) {
    const wish = new Map(layer.map((id) => {
      const rows = callers.get(id).map((c) => row.get(c))
      return [id, rows.length ? rows.reduce((a, b) => a + b, 0) / rows.length : 0]
    }))
    layer.sort((a, b) => wish.get(a) - wish.get(b)) // sort is stable
    layer.forEach((id, i) => row.set(id, i - (layer.length - 1) / 2))
  }
  return { layers, back }
}

/** Returns the ids with callers before those that they call. It uses no recursion, because a chain can be long. */
function ordered(ids, next, back) {
  const state = new Map() // 1: on the current path, 2: done
  const out = []
  for (const root of ids) {
    if (state.has(root)) continue
    state.set(root, 1)
    const way = [[root, 0]]
    while (way.length) {
      const [id, i] = way.at(-1)
      const to = next.get(id)[i]
      if (to === undefined) {
        state.set(id, 2)
        out.push(id)
        way.pop()
        continue
      }
      way.at(-1)[1]++
      if (state.get(to) === 1) back.add(`${id}\n${to}`)
      else if (!state.has(to)) {
        state.set(to, 1)
        way.push([to, 0])
      }
    }
  }
  return out.reverse()
}
