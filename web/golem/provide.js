// Calls of what a page provides: its functions as tools and models, and the
// browser's own model. It loads with the first such call.
import { answers } from './device.js'
import { coded } from './coded.js'

export { device } from './device.js'

/** The longest result of a tool, in characters of JSON. */
const longest = 1 << 20

/** Calls the function that golem's worker asks for, and posts what it gives, piece by piece. */
export async function serve(provided, { kind, set, name, data }, post, signal) {
  try {
    const given = JSON.parse(data)
    if (kind === 'tool') post({ piece: json(await provided.toolsets[set][name].run(given, { signal })), done: true })
    else await pieces(await (kind === 'device' ? answers : provided.models[name])(given, { signal }), post, signal)
  } catch (e) {
    post({ error: told(e) })
  }
}

/** A tool's result; none is an empty text. */
function json(out) {
  let text
  try {
    text = JSON.stringify(out) ?? ''
  } catch (e) {
    throw coded('E_TOOL_OUTPUT', `the result cannot be written as JSON: ${e.message}`)
  }
  if (text.length > longest) throw coded('E_TOOL_OUTPUT', `the result has ${text.length} characters; at most ${longest} are allowed`)
  return text
}

/** A model's answer: one value, or what an asynchronous iterator gives. */
async function pieces(out, post, signal) {
  let calls = 0
  const send = (piece) => post({ piece: JSON.stringify(chunk(piece, () => calls++)) })
  if (typeof out === 'object' && out?.[Symbol.asyncIterator]) {
    for await (const piece of out) {
      if (signal.aborted) return
      send(piece)
    }
  } else send(out)
  post({ done: true })
}

/** A piece of an answer as chat completions have it: a text, {text, calls, usage}, or such a chunk. */
function chunk(piece, next) {
  if (piece?.choices) return piece
  const { text, calls, usage } = typeof piece === 'string' ? { text: piece } : piece ?? {}
  if (text === undefined && calls === undefined && usage === undefined) throw coded('E_MODEL', 'a model must give a text, {text, calls, usage}, or what chat completions give')
  const tool_calls = calls?.map(({ name, args }) => ({ index: next(), type: 'function', function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args ?? {}) } }))
  return { choices: [{ index: 0, delta: { content: text ?? '', tool_calls } }], usage: usage && { prompt_tokens: usage.in, completion_tokens: usage.out } }
}

/** What a function threw, whatever it is. */
function told(e) {
  try {
    return { message: String(e?.message || e).slice(0, 2000), code: e?.golem ? e.code : '', hint: e?.golem ? e.hint : '', status: Number.isInteger(e?.status) ? e.status : 0 }
  } catch {
    return { message: 'it threw what cannot be read' }
  }
}
