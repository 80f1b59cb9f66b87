// What a page calls: each method is a request to the worker that golem.wasm runs in.
import { isBytes, listed } from './link.js'

/** @import { Run, RunOptions } from './run.js' */
/** @typedef {ArrayBuffer | ArrayBufferView} Bytes a Uint8Array, for example */

const plain = ({ approve, artifact, attachments, signal, ...rest }) => rest

/**
 * golem, started. Made by createGolem. What waits takes {signal}, an
 * AbortSignal, among its options, the last argument.
 */
export class Golem {
  #link
  #provided = {}
  #listed = listed({})

  constructor(link, hello) {
    this.#link = link
    /** @type {string} golem's version */ this.version = hello.version
    /** @type {{name: string, keyVar: string, noKey: boolean, baseURL: string}[]} known model providers */ this.providers = hello.providers
    /** @type {{name: string, url: string, keyVar: string}[]} known search providers; url or keyVar is empty where there is none */ this.searches = hello.searches
    /** @type {{name: string, about: string, input: string}[]} what init can begin with; input is a first task */ this.templates = hello.templates
    /** @type {boolean} false: this browser lends no storage; what is made here ends with the page */ this.kept = hello.kept
    /** Resolves with a GolemError when golem has stopped, which only a crash or close does. @type {Promise<GolemError>} */
    this.ended = link.ended
  }

  /** The projects in this browser. @returns {Promise<{name: string, files: number, bytes: number}[]>} */
  list({ signal } = {}) {
    return this.#link.ask('list', {}, { signal })
  }

  /**
   * Makes a project of files, all of them or none; a name that is taken is
   * E_CONFLICT. What lies in .golem is left out.
   * @param {string} name
   * @param {Record<string, string|Bytes>} [files]
   * @param {{signal?: AbortSignal, progress?: (done: number) => void}} [how] progress hears how many files are written;
   *   an aborted create is E_INTERRUPTED, and nothing is made
   */
  async create(name, files = {}, how = {}) {
    const all = Object.entries(files)
    const texts = Object.fromEntries(all.filter(([, v]) => typeof v === 'string'))
    const data = all.filter(([, v]) => typeof v !== 'string')
    await this.#link.ask('create', { project: name, texts, names: data.map(([path]) => path) }, { ...how, settled: true }, data.map(([, v]) => v))
  }

  /** Makes a project from a template, as golem init does; the first one if none is named. */
  async init(name, template = '', { signal } = {}) {
    await this.#link.ask('init', { project: name, template }, { signal })
  }

  /** Deletes a project with all its files. */
  remove(name, { signal } = {}) {
    return this.#link.ask('remove', { project: name }, { signal })
  }

  /** Makes a project of a zip, with repository also of its .git; nothing is made if the zip is refused, or the call aborted. progress hears how many files are written. @param {Bytes} zip */
  importZip(name, zip, { repository, ...how } = {}) {
    return this.#link.ask('importZip', { project: name, repository }, { ...how, settled: true }, zip)
  }

  /** The project as a zip, without keys and golem's own state; with repository its .git is in it. @returns {Promise<Blob>} */
  async exportZip(name, { signal, repository } = {}) {
    return new Blob([await this.#link.ask('exportZip', { project: name, repository }, { signal })], { type: 'application/zip' })
  }

  /**
   * What a packed project (golem pack) is, after all of it was verified; a file
   * that was changed is E_LOCK.
   * @param {Bytes} data
   * @returns {Promise<{name: string, version?: string, entry?: string, files: number, bytes: number, digest: string, signer?: {key: string, comment: string}}>}
   */
  inspectPack(data, { signal } = {}) {
    return this.#link.ask('inspectPack', {}, { signal }, data)
  }

  /** Makes a project of a packed one, with the libraries in it; nothing is made if it is refused. @param {Bytes} data */
  importPack(name, data, { signal } = {}) {
    return this.#link.ask('importPack', { project: name }, { signal }, data)
  }

  /**
   * The project as one file with its libraries, as golem pack writes it, and
   * what was left out. A project with errors is refused.
   * @returns {Promise<{blob: Blob, left: string[], digest: string}>}
   */
  async exportPack(name, options = {}) {
    const { bytes, ...rest } = await this.#link.ask('exportPack', { ...this.#given(options), project: name }, options)
    return { blob: new Blob([bytes], { type: 'application/zip' }), ...rest }
  }

  /**
   * The libraries that are installed in this browser, and why others cannot be used.
   * @returns {Promise<{libraries: {name: string, version?: string, description?: string, exports?: string[], dependencies?: string[], dir: string, origin: {from?: string}}[], faults: object[]}>}
   */
  libraries({ signal } = {}) {
    return this.#link.ask('libraries', {}, { signal })
  }

  /**
   * Installs a library: from a zip, or from files by their paths. from says where it came from.
   * fresh is false if the same files were installed already.
   * @param {Bytes | Record<string, Bytes>} files
   * @returns {Promise<{library: {name: string, version?: string, dir: string}, fresh: boolean, left: string[] | null}>}
   */
  installLibrary(files, from = '', { signal } = {}) {
    if (isBytes(files)) return this.#link.ask('installLibrary', { from }, { signal }, files)
    return this.#link.ask('installLibrary', { from, names: Object.keys(files ?? {}) }, { signal }, Object.values(files ?? {}))
  }

  /**
   * Puts a library in the place of the installed one of its name and version, or installs it beside those of other
   * versions. With look it only says what that would change.
   * @param {Bytes | Record<string, Bytes>} files
   * @param {{look?: boolean, signal?: AbortSignal}} [how]
   * @returns {Promise<{library: {name: string, version?: string, dir: string}, fresh: boolean, changes: string[] | null, left: string[] | null}>}
   */
  updateLibrary(files, from = '', { look = false, signal } = {}) {
    const zip = isBytes(files)
    return this.#link.ask('installLibrary', { from, update: true, look, names: zip ? [] : Object.keys(files ?? {}) }, { signal }, zip ? files : Object.values(files ?? {}))
  }

  /** Removes a library by its directory, such as utils@1.0.0. */
  async removeLibrary(dir, { signal } = {}) {
    await this.#link.ask('removeLibrary', { library: dir }, { signal })
  }

  /** Writes golem.lock of a project, as golem lib lock; with look it only says what that would change, as a diff. With agreed, such a diff, it fails with E_CONFLICT if something else would change by now. @returns {Promise<{patch: string}>} '' if nothing changes */
  lockLibraries(name, { look = false, agreed = '', ...options } = {}) {
    return this.#link.ask('lockLibraries', { ...this.#given(options), project: name, look, agreed }, options)
  }

  /**
   * Puts a tool module into tools/ and pins it in tools.lock, as golem tool add. With look it only says what the module
   * is and what it would need. agreed: the state that a look gave; if it is another one now, nothing is written (E_CONFLICT).
   * @param {Bytes} module
   * @param {{name: string, look?: boolean, agreed?: string, from?: string, sidecar?: Bytes, signal?: AbortSignal}} how name: in tools/, without .wasm; from: the address that it was fetched from; sidecar: the description beside it
   */
  addTool(project, module, { name, look, agreed, from, sidecar, ...options } = {}) {
    return this.#link.ask('addTool', { ...this.#given(options), project, name, look, agreed, from }, options, sidecar ? [module, sidecar] : [module])
  }

  /** A project's files. Paths are relative, with slashes. */
  files(name) {
    return {
      /** @returns {Promise<{path: string, dir?: boolean, size: number, modified: number}[]>} */
      list: ({ signal } = {}) => this.#link.ask('files', { project: name }, { signal }),
      /** A file, or size bytes of it. @param {{from?: number, size?: number, signal?: AbortSignal}} [part] @returns {Promise<Uint8Array>} */
      read: (path, { signal, ...part } = {}) => this.#link.ask('read', { ...part, project: name, path }, { signal }),
      /**
       * Replaces or makes a file, whole. With base, only where it holds that text; E_CONFLICT otherwise.
       * @param {string|Bytes} data
       * @param {{base?: string, signal?: AbortSignal}} [how]
       */
      write: (path, data, { signal, ...how } = {}) => this.#link.ask('write', { ...how, project: name, path }, { signal }, typeof data === 'string' ? new TextEncoder().encode(data) : data),
      remove: (path, { signal } = {}) => this.#link.ask('delete', { project: name, path }, { signal }),
      move: (path, to, { signal } = {}) => this.#link.ask('move', { project: name, path, to }, { signal }),
    }
  }

  /** The traces of a project's runs, newest first. */
  async runs(name, { signal } = {}) {
    return (await this.#link.ask('runs', { project: name }, { signal })).map((r) => ({ name: r.path, size: r.size, modified: r.modified }))
  }

  /** One trace, its long texts in their places. @returns {Promise<Uint8Array>} */
  readRun(name, run, { signal } = {}) {
    return this.#link.ask('readRun', { project: name, name: run }, { signal })
  }

  /**
   * The messages of each worker run, as its model got them, by the id of its call; of a run that was given prompts: true.
   * @returns {Promise<Record<string, {role: string, text: string, tool?: string, calls?: {name: string, args: string}[]}[]>>}
   */
  prompts(name, run, { signal } = {}) {
    return this.#link.ask('prompts', { project: name, name: run }, { signal })
  }

  /**
   * A trace file with the long texts that lie beside it in their places; one
   * that is missing, or does not fit its digest, is left out.
   * @param {Bytes} trace
   * @param {{name: string, data: Bytes}[]} texts the files of its folder
   * @returns {Promise<Uint8Array>}
   */
  wholeTrace(trace, texts, { signal } = {}) {
    return this.#link.ask('wholeTrace', { names: texts.map((t) => t.name) }, { signal }, [trace, ...texts.map((t) => t.data)])
  }

  /**
   * The conversations that runs kept, the one that was written last first, as golem conversations --json lists
   * them. Go on with one by chat or run and the option resume, and changed: true although files of its workers have changed.
   * @returns {Promise<{id: string, time: string, title: string, worker: string, mode: string, messages: number, turns: number, status: string, usage: object, from?: {id: string, at: number}, error?: object}[]>}
   */
  conversations(name, { signal } = {}) {
    return this.#link.ask('conversations', { project: name }, { signal })
  }

  /**
   * One conversation as people read it: who is you, golem, tool or note; n numbers what the person said.
   * @returns {Promise<{listing: object, said: {who: string, n?: number, text?: string, tool?: string, id?: string, args?: string, error?: object}[]}>}
   */
  conversation(name, id, { signal } = {}) {
    return this.#link.ask('conversation', { project: name, name: id }, { signal })
  }

  /** One conversation as Markdown. */
  async exportConversation(name, id, { signal } = {}) {
    return new TextDecoder().decode(await this.#link.ask('exportConversation', { project: name, name: id }, { signal }))
  }

  /** Removes a conversation, as golem conversations remove; one that is in use is E_BUSY. */
  removeConversation(name, id, { signal } = {}) {
    return this.#link.ask('removeConversation', { project: name, name: id }, { signal })
  }

  /**
   * What runs wrote directly into a project's files, as golem undo. diff says what an undo would do, or of a run that
   * was undone what writing it again would do; undo and redo take the digest that was shown, the names of files that
   * define the project if they are to be written too, and partial if files whose old content was not kept are to be
   * left out.
   * @param {string} name
   */
  undo(name) {
    const ask = (action, run = '', { signal, ...how } = {}) => this.#link.ask('undo', { ...how, project: name, action, run }, { signal })
    return {
      /** @returns {Promise<{item: object, digest: string, error?: object}[]>} */
      list: (how) => ask('list', '', how),
      /** @returns {Promise<{item: object, digest: string, files: {path: string, to: string, definition?: boolean, patch: string}[]}>} */
      diff: (run, how) => ask('diff', run, how),
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
    const ask = (action, item, { signal, ...how } = {}) => this.#link.ask('clearance', { ...how, project: name, action, item }, { signal })
    return {
      /** @returns {Promise<{item: object, digest: string, error?: object}[]>} */
      list: (how) => ask('list', undefined, how),
      /** @returns {Promise<{item: object, digest: string, files: {path: string, to: string, definition?: boolean, patch: string}[]}>} */
      diff: (item, how) => ask('diff', item, how),
      /** @param {{digest?: string, target?: string, definitions?: string[]}} [how] */
      push: (item, how) => ask('push', item, how),
      discard: (item, how) => ask('discard', item, how),
      defer: (item, how) => ask('defer', item, how),
    }
  }

  /** What a project is: its entry, model and mode, and every problem it has. */
  open(name, options = {}) {
    return this.#link.ask('open', { ...this.#given(options), project: name }, options)
  }

  /** Every problem of a project, as golem check finds them. */
  check(name, options = {}) {
    return this.#link.ask('check', { ...this.#given(options), project: name }, options)
  }

  /** What a project's files say beyond its sandbox, and what of it was trusted in this browser, as golem trust --list. @returns {Promise<{digest: string, widenings: {file: string, path: string, value: string, module?: string, at: string, means: string, trusted: boolean}[]}>} */
  trust(name, options = {}) {
    return this.#link.ask('trust', { ...this.#given(options), project: name }, options)
  }

  /** Forgets what was trusted of a project: the next run asks again. */
  distrust(name, { signal } = {}) {
    return this.#link.ask('trust', { project: name, remove: true }, { signal })
  }

  /** The approval rules that were kept for a project in this browser, as YAML, as golem approvals list. @returns {Promise<string[]>} */
  rules(name, { signal } = {}) {
    return this.#link.ask('rules', { project: name }, { signal })
  }

  /** Removes the rule of this number, from 1, and with this text; gives those that are left. @returns {Promise<string[]>} */
  removeRule(name, number, yaml, { signal } = {}) {
    return this.#link.ask('rules', { project: name, remove: number, yaml }, { signal })
  }

  /** What is wrong with a person's configuration (config.yaml), as text. */
  checkConfig(config, { signal } = {}) {
    return this.#link.ask('config', { config }, { signal })
  }

  /** The workers of a project, as golem workers lists them, and what keeps others from being listed. */
  workers(name, options = {}) {
    return this.#link.ask('workers', { ...this.#given(options), project: name }, options)
  }

  /**
   * What a worker is before it runs: prompt, tools and what
   * becomes of their calls, view and settings with their origins, as golem
   * describe --json. worker is a reference, the entry if it is left out.
   */
  describe(name, worker = '', options = {}) {
    return this.#link.ask('describe', { ...this.#given(options), project: name, worker }, options)
  }

  /** What a run would do, as golem run --dry-run --json: workers, models, tools, files, hosts, limits. Nothing runs and nothing is written. */
  plan(name, options = {}) {
    return this.#link.ask('plan', { ...this.#given(options), project: name }, options)
  }

  /** Who may call whom, as golem workers --tree --json. */
  tree(name, options = {}) {
    return this.#link.ask('tree', { ...this.#given(options), project: name }, options)
  }

  /**
   * The models of a provider, as golem models lists them; context in tokens,
   * price in US dollars for a million tokens, both where they are known.
   * @returns {Promise<{name: string, context?: number, price?: {in: string, cached?: string, out: string}}[]>}
   */
  models(name, provider, options = {}) {
    return this.#link.ask('models', { ...this.#given(options), project: name, provider }, options)
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
    return this.#start('call', name, args, options, { tool })
  }

  /**
   * Goes on with a conversation that a run or chat kept. id is the run of its
   * result, or one of conversations(); '' is the newest. Without an input a run
   * that was interrupted goes on where it was.
   */
  resume(name, id = '', input = undefined, options = {}) {
    return this.#start('chat', name, input, { ...options, resume: id })
  }

  /**
   * Provides functions of this page, for what is asked for from now on, instead of those that were provided before:
   * toolsets.NAME.TOOL is {description, input, output, risk, timeout, untrusted, run(args, {signal})}, which workers
   * get with toolsets: {page: {names: [NAME]}}; models.NAME is a function of ({messages, tools, …}, {signal}) and the
   * model page:NAME. docs/web.md shows both.
   */
  provide(functions) {
    this.#listed = listed(functions)
    this.#provided = functions
  }

  /**
   * How it stands with the browser's own model, device:. With download it is downloaded, which a browser allows after
   * a click; progress is told the part that is there, from 0 to 1.
   * @param {{download?: boolean, progress?: (part: number) => void, signal?: AbortSignal}} [options]
   * @returns {Promise<'unavailable'|'downloadable'|'downloading'|'available'>}
   */
  device(options) {
    return this.#link.own(options)
  }

  #given(options) {
    const own = plain(options)
    return { ...own, options: Object.keys(own), lent: { ...this.#listed, device: 'LanguageModel' in globalThis } }
  }

  #start(method, name, input, options, more) {
    const attachments = options.attachments ?? []
    const params = { ...this.#given(options), ...more, project: name, input, headless: !options.approve, artifacts: !!options.artifact, attachments: attachments.map((a) => a.name) }
    return this.#link.start(method, params, { ...options, provided: this.#provided }, attachments.length ? attachments.map((a) => a.data) : undefined)
  }

  /** Ends golem at once, whatever it does. */
  close() {
    this.#link.end('golem was closed')
  }
}
