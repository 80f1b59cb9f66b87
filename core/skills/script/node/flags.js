// parseArgs of Deno's standard library: --name VALUE, --name=VALUE, --no-name, -n and words.
export function parseArgs(args, {boolean = [], string = [], default: preset = {}, alias = {}, collect = [], negatable = []} = {}) {
  const list = (v) => (v === true ? [] : [v].flat())
  const every = boolean === true
  const names = {boolean: list(boolean), string: list(string), collect: list(collect)}
  const other = {}
  for (const [name, more] of Object.entries(alias)) for (const a of [more].flat()) [other[a], other[name]] = [[...(other[a] ?? []), name], [...(other[name] ?? []), a]]
  const is = (kind, name) => [name, ...(other[name] ?? [])].some((n) => names[kind].includes(n))
  const out = {_: []}
  const set = (name, value) => {
    for (const n of [name, ...(other[name] ?? [])]) out[n] = is('collect', name) ? [...(given.has(n) ? out[n] : []), value] : value
    for (const n of [name, ...(other[name] ?? [])]) given.add(n)
  }
  const typed = (name, text) => (is('string', name) || text === '' || Number.isNaN(Number(text)) ? text : Number(text))
  const given = new Set()
  for (const name of names.boolean) out[name] = false
  for (const name of names.collect) out[name] = []
  for (const [name, value] of Object.entries(preset)) for (const n of [name, ...(other[name] ?? [])]) out[n] = value
  for (let i = 0; i < args.length; i++) {
    const word = String(args[i]), m = /^--?([^=]+)(?:=([\s\S]*))?$/.exec(word)
    if (word === '--') {
      out._.push(...args.slice(i + 1))
      break
    }
    if (!m || word === '-') out._.push(Number.isNaN(Number(word)) || word === '' ? word : Number(word))
    else if (m[2] !== undefined) set(m[1], is('boolean', m[1]) ? m[2] !== 'false' : typed(m[1], m[2]))
    else if (/^--no-/.test(word) && (negatable.length === 0 || negatable.includes(m[1].slice(3)))) set(m[1].slice(3), false)
    else if (every || is('boolean', m[1]) || i + 1 >= args.length || /^-./.test(String(args[i + 1]))) set(m[1], is('string', m[1]) ? '' : true)
    else set(m[1], typed(m[1], String(args[++i])))
  }
  return out
}
export const parse = parseArgs
