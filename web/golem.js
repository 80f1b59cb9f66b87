/**
 * golem in a web page: runs LLM workers in this tab, files in the browser's
 * own storage, no backend. This module is the only thing that speaks to the
 * worker that golem.wasm runs in.
 *
 *   import { createGolem } from './golem.js'
 *   const golem = await createGolem()
 *   await golem.create('hello', { 'main.worker': '---\nmodel: openai:gpt-5-mini\n---\nGreet.' })
 *   const run = golem.run('hello', 'Ada', { env: { OPENAI_API_KEY }, approve: async (request) => ({ answer: 'no' }) })
 *   for await (const event of run) console.log(event.type)
 *   console.log((await run.result).text)
 *
 * It needs https or localhost, and golem.wasm (or golem.wasm.gz), golem-worker.js
 * and, for custom tools, golem-tool.js beside it, in browsers without JavaScript
 * Promise Integration golem-wazero.js and golem-wazero.wasm (or .gz). Everything it throws is a GolemError with a stable code.
 * @module
 */

/** An error of golem: a code of its documentation, what to do, and where. */
export class GolemError extends Error {
  constructor(fault) {
    super(fault.message)
    this.name = 'GolemError'
    /** @type {string} */ this.code = fault.code
    /** @type {string|undefined} */ this.hint = fault.hint
    /** @type {{file?: string, line?: number, column?: number, chain?: string[]}|undefined} */ this.where = fault.where
    /** @type {object[]} further faults, if there were several */ this.others = fault.others ?? []
  }
}

/**
 * Starts golem. Resolves when it is ready for the first run.
 * @param {{base?: string|URL, progress?: (text: string) => void}} [options]
 *   base: where golem.wasm and golem-worker.js lie; default: beside this module.
 * @returns {Promise<Golem>}
 */
export async function createGolem(options = {}) {
  const base = new URL(options.base ?? './', import.meta.url)
  const [script, wasm] = await Promise.all([
    fetch(new URL('golem-worker.js', base)).then(ok).then((r) => r.text()),
    compiled(base, options.progress),
  ]).catch((e) => {
    throw e instanceof GolemError ? e : new GolemError({ code: 'E_PLATFORM', message: `golem cannot be loaded: ${e.message}`, hint: 'check the connection and reload the page' })
  })
  options.progress?.('starting golem')
  const url = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }))
  const worker = new Worker(url, { name: 'golem' })
  const golem = new Golem(worker)
  worker.postMessage({ wasm, base: base.href })
  try {
    await golem.started
    Object.assign(golem, await golem.ask('hello'))
  } finally {
    URL.revokeObjectURL(url)
  }
  return golem
}

function ok(response) {
  if (!response.ok) throw new GolemError({ code: 'E_PLATFORM', message: `${response.url} cannot be read (${response.status})`, hint: 'is the whole of web/dist on the server?' })
  return response
}

/** The module, compiled as it comes: compressed where the server leaves it so, unpacked here. */
async function compiled(base, progress) {
  progress?.('loading golem')
  let response = await fetch(new URL('golem.wasm.gz', base)).catch(() => null)
  if (!response?.ok) response = ok(await fetch(new URL('golem.wasm', base)))
  const length = response.headers.has('Content-Encoding') ? 0 : Number(response.headers.get('Content-Length'))
  const { packed, stream } = await looked(response.body, (got) => length && progress?.(`loading golem, ${Math.floor((100 * got) / length)} %`))
  return WebAssembly.compileStreaming(new Response(packed ? stream.pipeThrough(new DecompressionStream('gzip')) : stream, { headers: { 'Content-Type': 'application/wasm' } }))
}

/** A stream, and whether it is packed: some servers unpack .gz themselves, so its first bytes tell. */
async function looked(body, told) {
  const reader = body.getReader()
  let head = new Uint8Array()
  let got = 0
  const more = async () => {
    const { done, value } = await reader.read()
    if (!done) told((got += value.length))
    return done ? null : value
  }
  for (let next; head.length < 2 && (next = await more()); ) head = new Uint8Array([...head, ...next])
  const stream = new ReadableStream({
    start: (to) => to.enqueue(head),
    async pull(to) {
      const next = await more()
      if (next) to.enqueue(next)
      else to.close()
    },
    cancel: (why) => reader.cancel(why),
  })
  return { packed: head[0] === 0x1f && head[1] === 0x8b, stream }
}

/** golem, started. Made by createGolem. */
export class Golem {
  #worker
  #last = 0
  #calls = new Map()
  #over = null // why there is no golem any more
  #tell

  constructor(worker) {
    this.#worker = worker
    /** @type {string} golem's version */ this.version = ''
    /** @type {{name: string, keyVar: string, noKey: boolean, baseURL: string}[]} known model providers */ this.providers = []
    /** Resolves with a GolemError when golem has stopped, which only a crash or close does. @type {Promise<GolemError>} */
    this.ended = new Promise((resolve) => (this.#tell = resolve))
    this.started = new Promise((resolve, reject) => {
      this.ended.then(reject)
      worker.onmessage = ({ data }) => {
        if (data.ready) resolve()
        else if (data.fatal) this.#end(data.fatal, 'reload the page')
        else this.#calls.get(data.id)?.take(data)
      }
      worker.onerror = (e) => this.#end(e.message || 'the worker could not start', 'reload the page')
    })
  }

  /** Fails what is open and all that comes. */
  #end(message, hint) {
    this.#worker.terminate() // with the workers that tools run in
    this.#over ??= new GolemError({ code: hint ? 'E_PLATFORM' : 'E_INTERRUPTED', message, hint })
    for (const c of this.#calls.values()) c.reject(this.#over)
    this.#calls.clear()
    this.#tell(this.#over)
  }

  /** Sends a message of its own kind; used by this module. */
  ask(method, params = {}, bytes = undefined, transfer = []) {
    const id = ++this.#last
    if (this.#over) return Promise.reject(this.#over)
    return new Promise((resolve, reject) => {
      this.#calls.set(id, {
        reject,
        take: (m) => {
          this.#calls.delete(id)
          if (m.error) reject(new GolemError(m.error))
          else resolve(m.bytes ?? m.result)
        },
      })
      this.#worker.postMessage({ id, method, params, bytes }, transfer)
    })
  }

  /** The projects in this browser. @returns {Promise<{name: string, files: number, bytes: number}[]>} */
  list() {
    return this.ask('list')
  }

  /**
   * Makes a project of files, all of them or none; a name that is taken is
   * E_CONFLICT. What lies in .golem is left out.
   * @param {string} name
   * @param {Record<string, string|Uint8Array>} [files]
   */
  async create(name, files = {}) {
    const all = Object.entries(files)
    const texts = Object.fromEntries(all.filter(([, v]) => typeof v === 'string'))
    const data = all.filter(([, v]) => typeof v !== 'string')
    await this.ask('create', { project: name, texts, names: data.map(([path]) => path) }, data.map(([, v]) => v))
  }

  /** Deletes a project with all its files. */
  remove(name) {
    return this.ask('remove', { project: name })
  }

  /** Makes a project of a zip; nothing is made if the zip is refused. @param {Uint8Array} zip */
  importZip(name, zip) {
    return this.ask('importZip', { project: name }, zip)
  }

  /** The project as a zip, without keys and golem's own state. @returns {Promise<Blob>} */
  async exportZip(name) {
    return new Blob([await this.ask('exportZip', { project: name })], { type: 'application/zip' })
  }

  /** A project's files. Paths are relative, with slashes. */
  files(name) {
    return {
      /** @returns {Promise<{path: string, dir?: boolean, size: number, modified: number}[]>} */
      list: () => this.ask('files', { project: name }),
      /** @returns {Promise<Uint8Array>} */
      read: (path) => this.ask('read', { project: name, path }),
      /** Replaces or makes a file, whole. @param {string|Uint8Array} data */
      write: (path, data) => this.ask('write', { project: name, path }, typeof data === 'string' ? new TextEncoder().encode(data) : data),
      remove: (path) => this.ask('delete', { project: name, path }),
      move: (path, to) => this.ask('move', { project: name, path, to }),
    }
  }

  /** The traces of a project's runs, newest first. */
  async runs(name) {
    return (await this.ask('runs', { project: name })).map((r) => ({ name: r.path, size: r.size, modified: r.modified }))
  }

  /** One trace, its long texts in their places. @returns {Promise<Uint8Array>} */
  readRun(name, run) {
    return this.ask('readRun', { project: name, name: run })
  }

  /**
   * A trace file with the long texts that lie beside it in their places; one
   * that is missing, or does not fit its digest, is left out.
   * @param {Uint8Array} trace
   * @param {{name: string, data: Uint8Array}[]} texts the files of its folder
   * @returns {Promise<Uint8Array>}
   */
  wholeTrace(trace, texts) {
    return this.ask('wholeTrace', { names: texts.map((t) => t.name) }, [trace, ...texts.map((t) => t.data)])
  }

  /** What a project is: its entry, model and mode, and every problem it has. */
  open(name, options = {}) {
    return this.ask('open', { ...plain(options), project: name })
  }

  /** Every problem of a project, as golem check finds them. */
  check(name, options = {}) {
    return this.ask('check', { ...plain(options), project: name })
  }

  /** What a project's files say beyond its sandbox, and what of it was trusted in this browser, as golem trust --list. @returns {Promise<{digest: string, widenings: {file: string, path: string, value: string, module?: string, at: string, means: string, trusted: boolean}[]}>} */
  trust(name, options = {}) {
    return this.ask('trust', { ...plain(options), project: name })
  }

  /** Forgets what was trusted of a project: the next run asks again. */
  distrust(name) {
    return this.ask('trust', { project: name, remove: true })
  }

  /** What is wrong with a person's configuration (config.yaml), as text. */
  checkConfig(config) {
    return this.ask('config', { config })
  }

  /** The workers of a project, as golem workers lists them, and what keeps others from being listed. */
  workers(name, options = {}) {
    return this.ask('workers', { ...plain(options), project: name })
  }

  /**
   * The models of a provider, as golem models lists them; context in tokens,
   * price in US dollars for a million tokens, both where they are known.
   * @returns {Promise<{name: string, context?: number, price?: {in: string, cached?: string, out: string}}[]>}
   */
  models(name, provider, options = {}) {
    return this.ask('models', { ...plain(options), project: name, provider })
  }

  /**
   * Runs a project's entry for one answer.
   * @param {string} name
   * @param {string|object} input
   * @param {RunOptions} [options]
   * @returns {Run} an async iterable of events
   */
  run(name, input, options = {}) {
    return this.#start('run', name, input, options)
  }

  /** Starts a conversation; say more with Run.send, end it with Run.end. */
  chat(name, input, options = {}) {
    return this.#start('chat', name, input, options)
  }

  /** Calls one tool of the entry worker, as a person. */
  call(name, tool, args, options = {}) {
    return this.#start('call', name, args, { ...options, tool })
  }

  #start(method, name, input, options) {
    const id = ++this.#last
    const post = (m) => this.#worker.postMessage({ id, ...m })
    const run = new Run(post, options)
    if (this.#over) {
      run.fail(this.#over)
      return run
    }
    this.#calls.set(id, {
      reject: (e) => run.fail(e),
      take: (m) => {
        if (m.event || m.ask || m.withdrawn || m.artifact) return run.take(m)
        this.#calls.delete(id)
        if (m.error) run.fail(new GolemError(m.error))
        else run.finish(m.result)
      },
    })
    const attachments = options.attachments ?? []
    this.#worker.postMessage({
      id, method, params: { ...plain(options), project: name, input, headless: !options.approve, artifacts: !!options.artifact, attachments: attachments.map((a) => a.name) },
      bytes: attachments.length ? attachments.map((a) => a.data) : undefined,
    })
    return run
  }

  /** Ends golem at once, whatever it does. */
  close() {
    this.#end('golem was closed')
  }
}

/**
 * @typedef {object} RunOptions
 * @property {string} [model] provider:name; default the project's own
 * @property {string} [approval] interactive, approve_all, auto_deny
 * @property {string} [entry] another worker than the project's entry
 * @property {number} [maxDepth]
 * @property {number} [maxTurns] the same as limits.turns
 * @property {Record<string, unknown>} [modelSettings] settings of the models for the run, e.g. {temperature: 0.2, max_output_tokens: 4000}
 * @property {Record<string, string|number>} [limits] limits of the run, e.g. {turns: 20, tool_timeout: '1m', tool_output: '10KB'}
 * @property {boolean} [strict] any denied call or failed worker makes the exit code 1
 * @property {boolean} [trust] yes, for this run, to what the project's files say beyond its sandbox
 * @property {string} [config] the person's own configuration, the text of a config.yaml
 * @property {Record<string, string>} [env] keys and addresses, e.g. OPENAI_API_KEY; kept in no file
 * @property {{name: string, data: Uint8Array}[]} [attachments]
 * @property {(request: Request, signal: AbortSignal) => Promise<{answer: 'yes'|'no'|'session'|'always'|'never', reason?: string, text?: string}|null>} [approve]
 *   asked before a side effect, and before a run for what the project's files say beyond its sandbox; null says that
 *   nobody is there; without it whatever would ask is denied; signal aborts when the question is
 *   withdrawn or the run is cancelled: then no answer counts any more
 * @property {(artifact: {name: string, data: string}) => void} [artifact]
 *   given whole prompts, inputs and outputs as JSON, named by call: 0.2.prompt.json
 * @property {boolean} [trace] false keeps no trace in the project
 */

/**
 * A question to the person. One is open at a time; the answer is bound to its id.
 * @typedef {object} Request
 * @property {string} id
 * @property {'tool'|'input'|'turns'|'trust'} kind a call of a tool; a text for a worker that asks, which is text beside answer 'yes'; whether to go on past limits.turns; what a project's files say beyond its sandbox
 * @property {string[]} answers those that count: yes and no, for a call also session, never and maybe always
 * @property {'low'|'medium'|'high'} risk
 * @property {string} [call] the trace id of the call or worker run
 * @property {string[]} [workerPath] IDs from the root
 * @property {string} [title] of kinds other than tool: the question
 * @property {{path: string, value: string, means?: string, where?: string}[]} [lines] what a yes covers
 * @property {string} [tool] of a call: its name
 * @property {string} [type] tool_call, file_write or command
 * @property {string} [description]
 * @property {string} [module] of a custom tool: its file and digest
 * @property {{name: string, value: string}[]} [grants] all that the module was given: files, hosts, keys of config
 * @property {object} [args] what will run
 * @property {{op: string, mount?: string, path: string}[]} [paths]
 * @property {string} [diff] the change to a file, unified
 * @property {boolean} [unchanged] the file has the content that the call would write
 * @property {string} [rule] the setting that asks
 * @property {string} [why] why the person is asked, in plain words
 */

const plain = ({ approve, artifact, attachments, ...rest }) => rest

/** A run or conversation under way: iterate it for its events, await result. */
export class Run {
  #post
  #options
  #queue = []
  #wake = null
  #over = false
  #gone = new AbortController()
  #open = new Map() // questions that wait, by request id

  constructor(post, options) {
    this.#post = post
    this.#options = options
    /** How it ended: {run, status, exit, text, output, error, denied, failed}. Rejects only if it could not begin. */
    this.result = new Promise((resolve, reject) => {
      this.finish = (r) => {
        this.#end()
        resolve(r)
      }
      this.fail = (e) => {
        this.#end()
        reject(e)
      }
    })
    this.result.catch(() => {}) // whoever wants it awaits it
  }

  #end() {
    this.#over = true
    this.#gone.abort()
    this.#wake?.()
  }

  take(m) {
    if (m.event) {
      this.#queue.push(JSON.parse(m.event))
      this.#wake?.()
    } else if (m.artifact) {
      this.#options.artifact(m.artifact)
    } else if (m.ask) {
      this.#answer(m.ask)
    } else {
      this.#open.get(m.withdrawn)?.abort()
    }
  }

  /** Every question has an id and an answer of its own; one that was withdrawn takes none. */
  async #answer(request) {
    let decision = { answer: 'no' } // a front end that breaks is a denial
    const withdrawn = new AbortController()
    this.#open.set(request.id, withdrawn)
    try {
      decision = await this.#options.approve(request, AbortSignal.any([this.#gone.signal, withdrawn.signal]))
    } catch {
      // It is told where it broke.
    }
    this.#open.delete(request.id)
    if (withdrawn.signal.aborted) return
    if (decision == null) this.#post({ answer: { id: request.id, answer: 'nobody' } })
    else this.#post({ answer: { answer: decision.answer, reason: decision.reason, text: decision.text, id: request.id } })
  }

  /** Ends it: model, tools and children stop, the trace ends properly. */
  cancel() {
    this.#gone.abort()
    this.#post({ cancel: true })
  }

  /** Says something in a conversation. */
  send(text) {
    this.#post({ say: text })
  }

  /** Ends a conversation. */
  end() {
    this.#post({ end: true })
  }

  async *[Symbol.asyncIterator]() {
    for (;;) {
      while (this.#queue.length) yield this.#queue.shift()
      if (this.#over) return
      await new Promise((resolve) => (this.#wake = resolve))
      this.#wake = null
    }
  }
}
