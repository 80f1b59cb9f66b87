// The messages between a page and the web worker of golem; cmd/wasm/main_js.go describes them.
import { GolemError } from './error.js'
import { Run } from './run.js'
import { toolName } from './coded.js'

/** The version of these messages. golem-worker.js and golem.wasm must have the same number. */
const form = 6

const unlike = 'golem.js, golem-worker.js and golem.wasm are not of one version'
const cancelled = () => new GolemError({ code: 'E_INTERRUPTED', message: 'it was cancelled' })

const usage = (message, hint) => new GolemError({ code: 'E_USAGE', message, hint })

/** Throws E_USAGE if signal is not an AbortSignal. */
function checkSignal(signal) {
  if (signal && typeof signal.addEventListener !== 'function') throw usage('signal must be an AbortSignal')
}

/** Throws E_USAGE if an option of a run is not of the type that it must have. */
function checkOptions({ signal, approve, artifact, attachments = [] }) {
  checkSignal(signal)
  for (const [name, f] of Object.entries({ approve, artifact })) if (f && typeof f !== 'function') throw usage(`${name} must be a function`)
  if (!Array.isArray(attachments) || !attachments.every((a) => typeof a?.name === 'string')) throw usage('attachments must be a list of {name, data}')
}

/** Returns the parts of a message of the person that carry its attachments: their names, and their bytes. */
function attachmentsOf({ attachments }) {
  checkOptions({ attachments })
  const names = attachments.map((a) => a.name)
  return { attachments: names, bytes: byteArray(attachments.map((a) => a.data), { names }) }
}

/** Throws E_INTERRUPTED if signal has aborted. */
export function checked(signal) {
  checkSignal(signal)
  if (signal?.aborted) throw cancelled()
}

/** Reports whether a value is an ArrayBuffer, also one of another frame, or a view of one. */
export const isBytes = (v) => ArrayBuffer.isView(v) || Object.prototype.toString.call(v) === '[object ArrayBuffer]'

/** Returns bytes, or an array of them, as Uint8Arrays for the worker. Other values are E_USAGE. */
function byteArray(v, { names, attachments } = {}, i) {
  if (v === undefined && i === undefined) return v
  if (Array.isArray(v) && i === undefined) return v.map((one, n) => byteArray(one, { names: names ?? attachments }, n))
  if (!isBytes(v)) throw new GolemError({ code: 'E_USAGE', message: `${names?.[i] ?? 'the content'} must be bytes: an ArrayBuffer, a Uint8Array or another view`, hint: 'of a File or Blob give await file.arrayBuffer(); a text can be encoded by TextEncoder' })
  return v instanceof Uint8Array ? v : new Uint8Array(v.buffer ?? v, v.byteOffset ?? 0, v.byteLength)
}

/** Returns what the worker needs to know about what a page provides (Golem.provide): all but the functions. */
export function listed(provided) {
  try {
    const { toolsets = {}, models = {}, ...other } = provided
    for (const name of Object.keys(other)) throw new Error(`it provides toolsets and models, and no ${JSON.stringify(name)}`)
    for (const name of Object.keys(models)) if (!name || /\s/.test(name)) throw new Error(`${JSON.stringify(name)} is no name of a model: it has no spaces`)
    for (const name of Object.values(toolsets).flatMap(Object.keys)) if (!toolName.test(name)) throw new Error(`${JSON.stringify(name)} is no name of a tool: it has up to 64 letters, digits, _ and -`)
    for (const f of [...Object.values(models), ...Object.values(toolsets).flatMap((tools) => Object.values(tools).map((t) => t.run))]) if (typeof f !== 'function') throw new Error('a model and the run of a tool are functions')
    const sets = Object.entries(toolsets).map(([name, tools]) => ({ name, tools: Object.entries(tools).map(([name, tool]) => ({ ...tool, name })) }))
    return { toolsets: JSON.parse(JSON.stringify(sets)), models: Object.keys(models) }
  } catch (e) {
    throw new GolemError({ code: 'E_USAGE', message: `golem cannot take what the page provides: ${e.message}`, hint: 'give golem.provide {toolsets: {NAME: {TOOL: {risk, run}}}, models: {NAME: function}}' })
  }
}

/** The connection to the web worker, with the calls that wait for its replies. */
export class Link {
  #worker
  #last = 0
  #calls = new Map()
  #base
  #over = null // the error with which golem ended; null: it runs
  #tell

  constructor(worker) {
    this.#worker = worker
    this.ended = new Promise((resolve) => (this.#tell = resolve))
    this.started = new Promise((resolve, reject) => {
      this.ended.then(reject)
      worker.onmessage = ({ data }) => {
        if (data.ready && data.form === form && data.worker === form) resolve()
        else if (data.ready) this.end(unlike, 'put all files of one version of golem side by side, and reload the page')
        else if (data.fatal) this.end(data.fatal, data.hint ?? 'reload the page')
        else this.#calls.get(data.id)?.take(data)
      }
      worker.onerror = (e) => this.end(e.message || 'the worker could not start', 'reload the page')
    })
  }

  begin(wasm, base) {
    this.#base = base
    this.#worker.postMessage({ wasm, base, form })
  }

  /** Loads the module for what the page and golem lend each other. */
  lender() {
    return import(/* @vite-ignore */ new URL(LATE['golem-provide.js'], this.#base))
  }

  /** Returns the state of the browser's own model; see Golem.device. */
  async own(options = {}) {
    checked(options.signal)
    try {
      return await (await this.lender()).device(options)
    } catch (e) {
      checked(options.signal)
      throw new GolemError({ code: 'E_PLATFORM', message: `the browser’s model is not there: ${e.message}`, hint: 'a browser downloads it only after a click' })
    }
  }

  /** Ends the worker. All open calls and all later ones fail with this message. */
  end(message, hint) {
    this.#worker.terminate() // with the workers that tools run in
    this.#over ??= new GolemError({ code: hint ? 'E_PLATFORM' : 'E_INTERRUPTED', message, hint })
    for (const c of this.#calls.values()) c.reject(this.#over)
    this.#calls.clear()
    this.#tell(this.#over)
  }

  /**
   * Calls a method of the worker and returns its result. When signal aborts, the call is cancelled and ask fails at
   * once; with settled, ask still waits for the worker's reply.
   */
  async ask(method, params = {}, { signal, progress, settled } = {}, bytes = undefined) {
    if (this.#over) throw this.#over
    checked(signal)
    const { promise, resolve, reject } = within()
    const id = this.#open({
      reject,
      take: (m) => {
        if (m.progress !== undefined) return progress?.(m.progress)
        this.#calls.delete(id)
        if (m.error) reject(new GolemError(m.error))
        else resolve(m.bytes && m.result ? { ...m.result, bytes: m.bytes } : m.bytes ?? m.result)
      },
    })
    const abort = () => {
      this.#post({ id, cancel: true })
      if (!settled) reject(cancelled())
    }
    signal?.addEventListener('abort', abort)
    try {
      this.#post({ id, method, params, bytes: byteArray(bytes, params) })
      return await promise
    } finally {
      this.#calls.delete(id)
      signal?.removeEventListener('abort', abort)
    }
  }

  /** Starts a run, a conversation or a call, and returns its Run. make returns its parameters and bytes. */
  start(method, make, given) {
    let inside
    let id = 0
    const options = given ?? {}
    const { signal } = options
    const run = new Run((m) => this.#post({ id, ...m, ...(m.attachments && attachmentsOf(m)) }), { ...options, lender: () => this.lender() }, (own) => (inside = own))
    const abort = () => run.cancel()
    const over = () => {
      this.#calls.delete(id)
      signal?.removeEventListener?.('abort', abort)
    }
    try {
      if (this.#over) throw this.#over
      checkOptions(options)
      const { params, bytes } = make(options)
      id = this.#open({
        reject: (e) => inside.fail(e),
        take: (m) => {
          if (m.events || m.ask || m.withdrawn || m.artifact || m.lend || m.unlend) return inside.take(m)
          over()
          if (m.error) inside.fail(new GolemError(m.error))
          else inside.finish(m.result)
        },
      })
      signal?.addEventListener('abort', abort)
      this.#post({ id, method, params, bytes: byteArray(bytes, params) })
      if (signal?.aborted) abort()
    } catch (e) {
      over()
      inside.fail(e)
    }
    return run
  }

  #open(call) {
    this.#calls.set(++this.#last, call)
    return this.#last
  }

  #post(m) {
    try {
      JSON.stringify([m.params, m.answer]) // golem reads these as JSON
      this.#worker.postMessage(m)
    } catch (e) { // it has a function or another value that cannot be copied
      throw new GolemError({ code: 'E_USAGE', message: `golem cannot take this value: ${e.message}` })
    }
  }
}

/** Does what Promise.withResolvers does, which not every browser has. */
function within() {
  const out = {}
  out.promise = new Promise((resolve, reject) => Object.assign(out, { resolve, reject }))
  return out
}
