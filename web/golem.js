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
import { GolemError } from './golem/error.js'
import { compiled, ok } from './golem/load.js'
import { Run } from './golem/run.js'

export { GolemError, Run }

/** @import { RunOptions } from './golem/run.js' */

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

const plain = ({ approve, artifact, attachments, signal, ...rest }) => rest

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
    /** @type {{name: string, about: string, input: string}[]} what init can begin with; input is a first task */ this.templates = []
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

  /** Sends a message of its own kind; used by this module. A signal ends the call, progress hears how far it is. */
  ask(method, params = {}, bytes = undefined, transfer = [], { signal, progress } = {}) {
    const id = ++this.#last
    if (this.#over) return Promise.reject(this.#over)
    return new Promise((resolve, reject) => {
      const cancel = () => this.#worker.postMessage({ id, cancel: true })
      signal?.addEventListener('abort', cancel)
      this.#calls.set(id, {
        reject,
        take: (m) => {
          if (m.progress !== undefined) return progress?.(m.progress)
          this.#calls.delete(id)
          signal?.removeEventListener('abort', cancel)
          if (m.error) reject(new GolemError(m.error))
          else resolve(m.bytes && m.result ? { ...m.result, bytes: m.bytes } : m.bytes ?? m.result)
        },
      })
      this.#worker.postMessage({ id, method, params, bytes }, transfer)
      if (signal?.aborted) cancel()
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
   * @param {{signal?: AbortSignal, progress?: (done: number) => void}} [how] progress hears how many files are written;
   *   an aborted create is E_INTERRUPTED, and nothing is made
   */
  async create(name, files = {}, how = {}) {
    const all = Object.entries(files)
    const texts = Object.fromEntries(all.filter(([, v]) => typeof v === 'string'))
    const data = all.filter(([, v]) => typeof v !== 'string')
    await this.ask('create', { project: name, texts, names: data.map(([path]) => path) }, data.map(([, v]) => v), [], how)
  }

  /** Makes a project from a template, as golem init does; the first one if none is named. */
  async init(name, template = '') {
    await this.ask('init', { project: name, template })
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

  /**
   * What a packed project (golem pack) is, after all of it was verified; a file
   * that was changed is E_LOCK.
   * @param {Uint8Array} data
   * @returns {Promise<{name: string, version?: string, entry?: string, files: number, bytes: number, digest: string, signer?: {key: string, comment: string}}>}
   */
  inspectPack(data) {
    return this.ask('inspectPack', {}, data)
  }

  /** Makes a project of a packed one, with the libraries in it; nothing is made if it is refused. @param {Uint8Array} data */
  importPack(name, data) {
    return this.ask('importPack', { project: name }, data)
  }

  /**
   * The project as one file with its libraries, as golem pack writes it, and
   * what was left out. A project with errors is refused.
   * @returns {Promise<{blob: Blob, left: string[], digest: string}>}
   */
  async exportPack(name, options = {}) {
    const { bytes, ...rest } = await this.ask('exportPack', { ...plain(options), project: name })
    return { blob: new Blob([bytes], { type: 'application/zip' }), ...rest }
  }

  /**
   * The libraries that are installed in this browser, and why others cannot be used.
   * @returns {Promise<{libraries: {name: string, version?: string, description?: string, exports?: string[], dependencies?: string[], dir: string, origin: {from?: string}}[], faults: object[]}>}
   */
  libraries() {
    return this.ask('libraries')
  }

  /**
   * Installs a library: from a zip, or from files by their paths. from says where it came from.
   * fresh is false if the same files were installed already.
   * @param {Uint8Array | Record<string, Uint8Array>} files
   * @returns {Promise<{library: {name: string, version?: string, dir: string}, fresh: boolean, left: string[] | null}>}
   */
  installLibrary(files, from = '') {
    if (files instanceof Uint8Array) return this.ask('installLibrary', { from }, files)
    return this.ask('installLibrary', { from, names: Object.keys(files) }, Object.values(files))
  }

  /** Removes a library by its directory, such as utils@1.0.0. */
  async removeLibrary(dir) {
    await this.ask('removeLibrary', { library: dir })
  }

  /** A project's files. Paths are relative, with slashes. */
  files(name) {
    return {
      /** @returns {Promise<{path: string, dir?: boolean, size: number, modified: number}[]>} */
      list: () => this.ask('files', { project: name }),
      /** A file, or size bytes of it. @param {{from?: number, size?: number}} [part] @returns {Promise<Uint8Array>} */
      read: (path, part = {}) => this.ask('read', { ...part, project: name, path }),
      /**
       * Replaces or makes a file, whole. With base, only where it holds that text; E_CONFLICT otherwise.
       * @param {string|Uint8Array} data
       * @param {{base?: string}} [how]
       */
      write: (path, data, how = {}) => this.ask('write', { ...how, project: name, path }, typeof data === 'string' ? new TextEncoder().encode(data) : data),
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

  /**
   * The conversations that runs kept, the one that was written last first, as golem conversations --json lists
   * them. Go on with one by chat or run and the option resume, and changed: true although files of its workers have changed.
   * @returns {Promise<{id: string, time: string, title: string, worker: string, mode: string, messages: number, turns: number, status: string, usage: object, from?: {id: string, at: number}, error?: object}[]>}
   */
  conversations(name) {
    return this.ask('conversations', { project: name })
  }

  /**
   * One conversation as people read it: who is you, golem, tool or note; n numbers what the person said.
   * @returns {Promise<{listing: object, said: {who: string, n?: number, text?: string, tool?: string, id?: string, args?: string, error?: object}[]}>}
   */
  conversation(name, id) {
    return this.ask('conversation', { project: name, name: id })
  }

  /** One conversation as Markdown. */
  async exportConversation(name, id) {
    return new TextDecoder().decode(await this.ask('exportConversation', { project: name, name: id }))
  }

  /** Removes a conversation, as golem conversations remove; one that is in use is E_BUSY. */
  removeConversation(name, id) {
    return this.ask('removeConversation', { project: name, name: id })
  }

  /**
   * What runs wrote directly into a project's files, as golem undo. diff says what an undo would do, or of a run that
   * was undone what writing it again would do; undo and redo take the digest that was shown, the names of files that
   * define the project if they are to be written too, and partial if files whose old content was not kept are to be
   * left out.
   * @param {string} name
   */
  undo(name) {
    const ask = (action, run = '', how = {}) => this.ask('undo', { ...how, project: name, action, run })
    return {
      /** @returns {Promise<{item: object, digest: string, error?: object}[]>} */
      list: () => ask('list'),
      /** @returns {Promise<{item: object, digest: string, files: {path: string, to: string, definition?: boolean, patch: string}[]}>} */
      diff: (run) => ask('diff', run),
      /** @param {{digest?: string, definitions?: string[], partial?: boolean}} [how] */
      undo: (run, how) => ask('undo', run, how),
      redo: (run, how) => ask('redo', run, how),
    }
  }

  /**
   * What workers staged in a project, as golem clearance. diff says what a push would do; a push takes the digest
   * that was shown, and the names of files that define the project if they are to be pushed too.
   * @param {string} name
   */
  clearance(name) {
    const ask = (action, item, how = {}) => this.ask('clearance', { ...how, project: name, action, item })
    return {
      /** @returns {Promise<{item: object, digest: string, error?: object}[]>} */
      list: () => ask('list'),
      /** @returns {Promise<{item: object, digest: string, files: {path: string, to: string, definition?: boolean, patch: string}[]}>} */
      diff: (item, how) => ask('diff', item, how),
      /** @param {{digest?: string, target?: string, definitions?: string[]}} [how] */
      push: (item, how) => ask('push', item, how),
      discard: (item) => ask('discard', item),
      defer: (item) => ask('defer', item),
    }
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

  /** The approval rules that were kept for a project in this browser, as YAML, as golem approvals list. @returns {Promise<string[]>} */
  rules(name) {
    return this.ask('rules', { project: name })
  }

  /** Removes the rule of this number, from 1, and with this text; gives those that are left. @returns {Promise<string[]>} */
  removeRule(name, number, yaml) {
    return this.ask('rules', { project: name, remove: number, yaml })
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
   * What a worker is before it runs: prompt, tools and what
   * becomes of their calls, view and settings with their origins, as golem
   * describe --json. worker is a reference, the entry if it is left out.
   */
  describe(name, worker = '', options = {}) {
    return this.ask('describe', { ...plain(options), project: name, worker })
  }

  /** What a run would do, as golem run --dry-run --json: workers, models, tools, files, hosts, limits. Nothing runs and nothing is written. */
  plan(name, options = {}) {
    return this.ask('plan', { ...plain(options), project: name })
  }

  /** Who may call whom, as golem workers --tree --json. */
  tree(name, options = {}) {
    return this.ask('tree', { ...plain(options), project: name })
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

  /** Calls one tool of the entry worker, as a person, in a run of its own. In an open conversation, send('/tool NAME JSON') calls it there: same gate, same trace. */
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
    const { signal } = options
    signal?.addEventListener('abort', () => run.cancel(), { once: true })
    this.#worker.postMessage({
      id, method, params: { ...plain(options), project: name, input, headless: !options.approve, artifacts: !!options.artifact, attachments: attachments.map((a) => a.name) },
      bytes: attachments.length ? attachments.map((a) => a.data) : undefined,
    })
    if (signal?.aborted) run.cancel()
    return run
  }

  /** Ends golem at once, whatever it does. */
  close() {
    this.#end('golem was closed')
  }
}
