// Workers as tools of the browser's agent (WebMCP, document.modelContext), and tools of the page
// as tools of workers. It is loaded when a page asks for it.
import { coded, toolName } from './coded.js'

const most = 4 // calls at the same time
const longest = 1 << 20 // characters of arguments
const own = new Set() // the names of the tools that golem offers: workers do not get them

const absent = () => coded('E_PLATFORM', 'this browser has no document.modelContext, so it has no agent to which a page could offer tools', 'use a browser with WebMCP; Chromium has it behind the flag WebMCP')

const modelContext = () => {
  const there = globalThis.document?.modelContext
  if (typeof there?.registerTool !== 'function') throw absent()
  return there
}

/** The schema of the arguments of a tool, which is an object: that of the worker, or else one text. */
const schemaOf = ({ input, emptyInput }) => {
  if (input?.type === 'object') return input
  if (input?.properties) return { ...input, type: 'object' }
  return { type: 'object', properties: { input: { type: 'string', description: 'what the worker is to do' } }, required: emptyInput ? [] : ['input'], additionalProperties: false }
}

/** See Golem.expose. */
export async function expose(golem, name, { workers, offers: shown, called, signal, ...options } = {}) {
  const context = modelContext()
  const all = shown ?? await golem.offers(name, { ...options, signal })
  for (const id of workers ?? []) if (!all.some((o) => o.worker === id)) throw coded('E_USAGE', `the project does not offer a worker ${JSON.stringify(id)}`, `it offers ${all.map((o) => o.worker).join(', ')}`)
  const offers = workers ? all.filter((o) => workers.includes(o.worker)) : all
  const stop = new AbortController()
  const calls = new Map() // AbortControllers of the calls that run, with the name of the tool
  const close = () => {
    stop.abort()
    for (const o of offers) own.delete(o.name)
    for (const one of calls.keys()) one.abort()
    context.removeEventListener?.('toolcancel', cancel)
  }
  const cancel = (e) => {
    for (const [one, tool] of calls) if (!e.toolName || tool === e.toolName) one.abort()
  }
  const call = async (offer, input) => {
    const args = argumentsOf(offer, input)
    if (stop.signal.aborted) throw coded('E_INTERRUPTED', `${offer.name} was withdrawn`)
    if (calls.size >= most) throw coded('E_BUSY', `${most} calls run already`, 'wait until one of them ends')
    const one = new AbortController()
    calls.set(one, offer.name)
    try {
      const run = golem.run(name, args, { ...options, entry: offer.entry || undefined, signal: one.signal })
      called?.({ tool: offer.name, worker: offer.worker, run })
      return answerOf(await run.result)
    } finally {
      calls.delete(one)
    }
  }
  signal?.addEventListener('abort', close, { once: true })
  golem.ended.then(close)
  try {
    for (const o of offers) {
      const execute = (input) => call(o, input).catch((e) => ({ error: errorFields(e) })) // the browser tells an agent nothing of what a tool throws
      await context.registerTool({ name: o.name, description: o.description || `a worker of the project ${name}`, inputSchema: schemaOf(o), execute }, { signal: stop.signal })
      own.add(o.name)
    }
    if (signal?.aborted) throw coded('E_INTERRUPTED', 'it was cancelled')
  } catch (e) {
    close()
    throw e.golem ? e : coded('E_CONFLICT', `the browser takes no tool of these workers: ${e.message}`, 'another tool of this page may have the same name')
  }
  context.addEventListener?.('toolcancel', cancel)
  return { tools: offers.map((o) => o.name), close }
}

/** Returns the input of a run for the arguments of an agent. Throws E_TOOL_INPUT or E_LIMIT. */
function argumentsOf(offer, input) {
  let text
  try {
    text = JSON.stringify(input ?? {})
  } catch (e) {
    throw coded('E_TOOL_INPUT', `the arguments cannot be written as JSON: ${e.message}`)
  }
  if (!text?.startsWith('{')) throw coded('E_TOOL_INPUT', 'the arguments must be an object')
  if (text.length > longest) throw coded('E_LIMIT', `the arguments have ${text.length} characters; at most ${longest} are allowed`)
  const args = JSON.parse(text) // what the page or the agent changes later has no effect
  if (offer.input?.type === 'object' || offer.input?.properties) return args
  if (typeof (args.input ?? '') !== 'string') throw coded('E_TOOL_INPUT', 'input must be a text')
  return args.input ?? ''
}

/** Returns what an agent gets of a run that has ended. */
function answerOf({ status, output, text, error, denied }) {
  if (error) return { error: errorFields(error) }
  if (status === 'interrupted') return { error: { code: 'E_INTERRUPTED', message: 'the run was stopped' } }
  if (denied?.length) return { answer: output ?? text, denied: `${denied.length} calls were denied, because nobody could be asked` }
  return output !== undefined && typeof output === 'object' ? output : text
}

const errorFields = (e) => ({ code: e.code || 'E_TOOL', message: String(e.message || e).slice(0, 2000), hint: e.hint || undefined })

/** See Golem.pageTools. */
export async function pageTools() {
  const context = modelContext()
  const out = {}
  for (const tool of await context.getTools()) {
    if (own.has(tool.name) || !toolName.test(tool.name) || tool.origin !== location.origin) continue
    const input = tool.inputSchema && JSON.parse(JSON.stringify(tool.inputSchema))
    out[tool.name] = { description: String(tool.description).slice(0, 4000), input, untrusted: true, run: (args, { signal }) => context.executeTool(tool, args, { signal }) }
  }
  return out
}
