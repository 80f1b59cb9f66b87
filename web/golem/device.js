// The browser's own model (the Prompt API, LanguageModel) behind requests of chat completions:
// text in, text out, and nothing leaves the computer. It cannot call tools itself: a JSON
// Schema constrains its output to an answer or the names and arguments of tools.
import { coded } from './coded.js'

const why = {
  unavailable: ['this computer or browser cannot run the browser’s model', 'choose another model'],
  downloadable: ['the browser has not downloaded its model yet', 'download it in the choice of the model; a page of your own calls golem.device({ download: true }) at a click'],
  downloading: ['the browser is still downloading its model', 'wait until it is there, or choose another model'],
}

/**
 * Returns the state of the browser's model: unavailable, downloadable, downloading or
 * available. With download it first downloads the model, which a browser allows only after
 * a click; progress gets the downloaded part, from 0 to 1.
 */
export async function device({ download, progress, signal } = {}) {
  const model = globalThis.LanguageModel
  if (!model) return 'unavailable'
  if (download) {
    const monitor = (m) => m.addEventListener('downloadprogress', (e) => progress?.(e.loaded))
    const session = await model.create({ monitor, signal })
    session.destroy()
  }
  return model.availability()
}

/** Yields the answer to a request of chat completions, piece by piece. */
export async function* answers({ messages, tools, response_format: format }, { signal }) {
  const state = await device()
  if (state !== 'available') throw coded('E_PLATFORM', ...(why[state] ?? why.unavailable))
  const schema = format?.json_schema?.schema
  const said = spoken(messages, tools)
  let session
  try {
    session = await LanguageModel.create({ initialPrompts: said.slice(0, -1), signal })
    const last = said.slice(-1)
    if (!tools?.length) {
      for await (const text of session.promptStreaming(last, { signal, ...(schema && { responseConstraint: schema }) })) yield text
      return
    }
    yield read(await session.prompt(last, { signal, responseConstraint: constraint(tools, schema) }))
  } catch (e) {
    if (e?.name !== 'QuotaExceededError') throw e
    throw coded('E_MODEL', `the conversation is longer than the browser’s model takes${session?.contextWindow ? ` (${session.contextWindow} tokens)` : ''}`, 'start a new conversation, give the worker a shorter prompt and fewer tools, or choose another model')
  } finally {
    session?.destroy()
  }
}

/** Returns the messages in the form of the Prompt API: one system message at the start, and results of tools as messages of the user. */
function spoken(messages, tools) {
  const out = [{ role: 'system', content: messages.filter((m) => m.role === 'system').map((m) => text(m.content)).concat(tools?.length ? [offered(tools)] : []).join('\n\n') }]
  const add = (role, content) => {
    const last = out.at(-1)
    if (last.role === role) last.content += `\n\n${content}`
    else out.push({ role, content })
  }
  const names = {}
  for (const m of messages) {
    if (m.role === 'assistant') {
      for (const c of m.tool_calls ?? []) names[c.id] = c.function.name
      if (m.tool_calls?.length) add('assistant', JSON.stringify({ calls: m.tool_calls.map((c) => ({ tool: c.function.name, args: JSON.parse(c.function.arguments) })) }))
      else add('assistant', tools?.length ? JSON.stringify({ answer: text(m.content) }) : text(m.content))
    } else if (m.role === 'tool') add('user', `Result of ${names[m.tool_call_id] ?? 'a tool'}:\n${text(m.content)}`)
    else if (m.role === 'user') add('user', text(m.content))
  }
  if (out.at(-1).role !== 'user') add('user', 'Go on.')
  return out[0].content ? out : out.slice(1)
}

const text = (content) => (typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('\n'))

const offered = (tools) => `You can use tools. Answer {"calls": [{"tool": NAME, "args": {…}}]} to use some: their results are the next message. Answer {"answer": …} when you need none.\nThe tools:\n${tools.map(({ function: f }) => `- ${f.name}: ${f.description ?? ''} Its args: ${JSON.stringify(f.parameters ?? {})}`).join('\n')}`

/** Returns the JSON Schema that constrains the output: an answer that fits schema, or calls of tools that fit their schemas. */
function constraint(tools, schema = { type: 'string' }) {
  const call = tools.map(({ function: f }) => ({
    type: 'object', required: ['tool', 'args'], additionalProperties: false, properties: { tool: { const: f.name }, args: f.parameters ?? { type: 'object' } },
  }))
  const one = (name, value) => ({ type: 'object', required: [name], additionalProperties: false, properties: { [name]: value } })
  return { anyOf: [one('answer', schema), one('calls', { type: 'array', minItems: 1, items: { anyOf: call } })] }
}

/** Parses an output that fits the constraint: it returns the answer as text, or the calls. */
function read(said) {
  let out
  try {
    out = JSON.parse(said)
  } catch {
    throw coded('E_MODEL', 'the browser’s model did not keep to the form of its answers', 'say it again, give the worker fewer tools, or choose another model')
  }
  if (Array.isArray(out?.calls)) return { calls: out.calls.map(({ tool, args }) => ({ name: tool, args })) }
  const answer = out?.answer ?? out
  return typeof answer === 'string' ? answer : JSON.stringify(answer)
}
