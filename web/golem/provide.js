// Calls the functions that a page provides as tools and models, and the browser's own model.
// It is loaded at the first such call.
import { answers } from './device.js'
import { coded } from './coded.js'

export { device } from './device.js'
export { expose, pageTools } from './expose.js'

/** The length limit of a tool's result, in characters of JSON. */
const longest = 1 << 20

/** Calls the function that golem's worker asks for, and posts its answer piece by piece, or its error. */
export async function serve(provided, { kind, set, name, data }, post, signal) {
  try {
    const given = JSON.parse(data)
    if (kind === 'tool') post({ piece: json(await provided.toolsets[set][name].run(given, { signal })), done: true })
    else await pieces(await (kind === 'device' ? answers : provided.models[name])(given, { signal }), post, signal)
  } catch (e) {
    post({ error: errorFields(e) })
  }
}

/** Returns a tool's result as JSON; undefined is an empty text. */
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

/** Posts a model's answer: one value, or each value of an asynchronous iterator. */
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

/** Returns a piece of an answer as a chunk of chat completions. The piece is a text, {text, calls, usage}, or already such a chunk. */
function chunk(piece, next) {
  if (piece?.choices) return piece
  const { text, calls, usage } = typeof piece === 'string' ? { text: piece } : piece ?? {}
  if (text === undefined && calls === undefined && usage === undefined) throw coded('E_MODEL', 'a model must give a text, {text, calls, usage}, or what chat completions give')
  const tool_calls = calls?.map(({ name, args }) => ({ index: next(), type: 'function', function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args ?? {}) } }))
  return { choices: [{ index: 0, delta: { content: text ?? '', tool_calls } }], usage: usage && { prompt_tokens: usage.in, completion_tokens: usage.out } }
}

/** Returns the error that a function threw in the form for the worker. It never throws, whatever e is. */
function errorFields(e) {
  try {
    return { message: String(e?.message || e).slice(0, 2000), code: e?.golem ? e.code : '', hint: e?.golem ? e.hint : '', status: Number.isInteger(e?.status) ? e.status : 0 }
  } catch {
    return { message: 'it threw what cannot be read' }
  }
}
