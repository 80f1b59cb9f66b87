// The methods that a page calls. Most send a request to the web worker in which golem.wasm runs.
import { isBytes, listed } from './link.js'

/** @import { Run, RunOptions } from './run.js' */
/** @typedef {ArrayBuffer | ArrayBufferView} Bytes a Uint8Array, for example */

const plain = ({ approve, artifact, attachments, signal, ...rest }) => rest

/**
 * A running golem, made by createGolem. Every method that returns a promise takes options
 * as its last argument, and among them {signal}, an AbortSignal.
 */
export class Golem {
  #link
  #provided = {}
  #listed = listed({})

  constructor(link, hello) {
    this.#link = link
    /** @type {string} golem's version */ this.version = hello.version
    /** @type {string} the commit it was built from, '' if that is not known */ this.commit = hello.commit ?? ''
    /** @type {string} the date of that commit */ this.date = hello.date ?? ''
    /** @type {{name: string, keyVar: string, noKey: boolean, baseURL: string}[]} known model providers */ this.providers = hello.providers
    /** @type {{name: string, url: string, keyVar: string}[]} known search providers; url or keyVar may be empty */ this.searches = hello.searches
    /** @type {{name: string, about: string, input: string}[]} the templates for init; input is a first task */ this.templates = hello.templates
    /** @type {boolean} false: this browser gives the page no storage, and all files are lost when the page is closed */ this.kept = hello.kept
    /** Resolves with a GolemError when golem has stopped, which only a crash or close does. @type {Promise<GolemError>} */
    this.ended = link.ended
  }

  /** Lists the projects in this browser. @returns {Promise<{name: string, files: number, bytes: number}[]>} */
  list({ signal } = {}) {
    return this.#link.ask('list', {}, { signal })
  }

  /**
   * Makes a project from files: all of them or, after an error, none. A name that is
   * taken is E_CONFLICT. Files in .golem are left out.
   * @param {string} name
   * @param {Record<string, string|Bytes>} [files]
   * @param {{signal?: AbortSignal, progress?: (done: number) => void}} [how] progress gets the number of files that are
   *   written; if signal aborts, create fails with E_INTERRUPTED and makes nothing
   */
  async create(name, files = {}, how = {}) {
    const all = Object.entries(files)
    const texts = Object.fromEntries(all.filter(([, v]) => typeof v === 'string'))
    const data = all.filter(([, v]) => typeof v !== 'string')
    await this.#link.ask('create', { project: name, texts, names: data.map(([path]) => path) }, { ...how, settled: true }, data.map(([, v]) => v))
  }

  /** Makes a project from a template, as golem init does; '' is the first template. */
  async init(name, template = '', { signal } = {}) {
    await this.#link.ask('init', { project: name, template }, { signal })
  }

  /** Deletes a project with all its files. */
  remove(name, { signal } = {}) {
    return this.#link.ask('remove', { project: name }, { signal })
  }

  /** Makes a project from a zip, with repository also its .git. If the zip is refused or signal aborts, nothing is made. progress gets the number of files that are written. @param {Bytes} zip */
  importZip(name, zip, { repository, ...how } = {}) {
    return this.#link.ask('importZip', { project: name, repository }, { ...how, settled: true }, zip)
  }

  /** Returns the project as a zip, without keys and golem's own state; with repository .git is in it too. @returns {Promise<Blob>} */
  async exportZip(name, { signal, repository } = {}) {
    return new Blob([await this.#link.ask('exportZip', { project: name, repository }, { signal })], { type: 'application/zip' })
  }

  /**
   * Verifies a packed project (golem pack) and describes it. If a file in it was changed, it
   * fails with E_LOCK.
   * @param {Bytes} data
   * @returns {Promise<{name: string, version?: string, entry?: string, files: number, bytes: number, digest: string, signer?: {key: string, comment: string}}>}
   */
  inspectPack(data, { signal } = {}) {
    return this.#link.ask('inspectPack', {}, { signal }, data)
  }

  /** Makes a project from a packed one, with the libraries in it. If it is refused, nothing is made. @param {Bytes} data */
  importPack(name, data, { signal } = {}) {
    return this.#link.ask('importPack', { project: name }, { signal }, data)
  }

  /**
   * Returns the project and its libraries as one file, as golem pack writes it, and the
   * names of the files that were left out. A project with errors is refused.
   * @returns {Promise<{blob: Blob, left: string[], digest: string}>}
   */
  async exportPack(name, options = {}) {
    const { bytes, ...rest } = await this.#link.ask('exportPack', { ...this.#given(options), project: name }, options)
    return { blob: new Blob([bytes], { type: 'application/zip' }), ...rest }
  }

  /**
   * Lists the libraries that are installed in this browser, and a fault for each that cannot be used.
   * @returns {Promise<{libraries: {name: string, version?: string, description?: string, exports?: string[], dependencies?: string[], dir: string, origin: {from?: string}}[], faults: object[]}>}
   */
  libraries({ signal } = {}) {
    return this.#link.ask('libraries', {}, { signal })
  }

  /**
   * Installs a library from a zip, or from files by their paths. from says where it came from.
   * fresh is false if the same files were installed already.
   * @param {Bytes | Record<string, Bytes>} files
   * @returns {Promise<{library: {name: string, version?: string, dir: string}, fresh: boolean, left: string[] | null, missing: string[] | null}>}
   */
  installLibrary(files, from = '', { signal } = {}) {
    if (isBytes(files)) return this.#link.ask('installLibrary', { from }, { signal }, files)
    return this.#link.ask('installLibrary', { from, names: Object.keys(files ?? {}) }, { signal }, Object.values(files ?? {}))
  }

  /**
   * Replaces the installed library of the same name and version, or installs the library beside other versions.
   * With look it only returns what that would change.
   * @param {Bytes | Record<string, Bytes>} files
   * @param {{look?: boolean, signal?: AbortSignal}} [how]
   * @returns {Promise<{library: {name: string, version?: string, dir: string}, fresh: boolean, changes: string[] | null, left: string[] | null, missing: string[] | null}>}
   */
  updateLibrary(files, from = '', { look = false, signal } = {}) {
    const zip = isBytes(files)
    return this.#link.ask('installLibrary', { from, update: true, look, names: zip ? [] : Object.keys(files ?? {}) }, { signal }, zip ? files : Object.values(files ?? {}))
  }

  /** Removes a library by its directory, such as utils@1.0.0. */
  async removeLibrary(dir, { signal } = {}) {
    await this.#link.ask('removeLibrary', { library: dir }, { signal })
  }

  /** Writes golem.lock of a project, as golem lib lock, and returns the change as a diff. With look it writes nothing. agreed is a diff that was shown: if the change is another one now, it fails with E_CONFLICT. @returns {Promise<{patch: string}>} '' if nothing changes */
  lockLibraries(name, { look = false, agreed = '', ...options } = {}) {
    return this.#link.ask('lockLibraries', { ...this.#given(options), project: name, look, agreed }, options)
  }

  /**
   * Writes a tool module into tools/ and pins it in tools.lock, as golem tool add. With look it only describes the
   * module. agreed is the state that a call with look returned: if it is another one now, nothing is written (E_CONFLICT).
   * @param {Bytes} module
   * @param {{name: string, look?: boolean, agreed?: string, from?: string, sidecar?: Bytes, signal?: AbortSignal}} how name: in tools/, without .wasm; from: the address that it was fetched from; sidecar: the description beside it
   */
  addTool(project, module, { name, look, agreed, from, sidecar, ...options } = {}) {
    return this.#link.ask('addTool', { ...this.#given(options), project, name, look, agreed, from }, options, sidecar ? [module, sidecar] : [module])
  }

  /** Returns the methods for a project's files. Paths are relative, with slashes. */
  files(name) {
    return {
      /** @returns {Promise<{path: string, dir?: boolean, size: number, modified: number}[]>} */
      list: ({ signal } = {}) => this.#link.ask('files', { project: name }, { signal }),
      /** Reads a file from the byte from on; with size, that many bytes of it. @param {{from?: number, size?: number, signal?: AbortSignal}} [part] @returns {Promise<Uint8Array>} */
      read: (path, { signal, ...part } = {}) => this.#link.ask('read', { ...part, project: name, path }, { signal }),
      /**
       * Writes a whole file, which may be new. With base, only if the file exists and has that text now; another text is E_CONFLICT.
       * @param {string|Bytes} data
       * @param {{base?: string, signal?: AbortSignal}} [how]
       */
      write: (path, data, { signal, ...how } = {}) => this.#link.ask('write', { ...how, project: name, path }, { signal }, typeof data === 'string' ? new TextEncoder().encode(data) : data),
      remove: (path, { signal } = {}) => this.#link.ask('delete', { project: name, path }, { signal }),
      move: (path, to, { signal } = {}) => this.#link.ask('move', { project: name, path, to }, { signal }),
    }
  }

  /** Lists the traces of a project's runs, newest first. */
  async runs(name, { signal } = {}) {
    return (await this.#link.ask('runs', { project: name }, { signal })).map((r) => ({ name: r.path, size: r.size, modified: r.modified }))
  }

  /** Returns a trace with its long texts put in their places. @returns {Promise<Uint8Array>} */
  readRun(name, run, { signal } = {}) {
    return this.#link.ask('readRun', { project: name, name: run }, { signal })
  }

  /**
   * Returns the messages that each worker run sent to its model, by the id of its call, if the run had the option prompts.
   * @returns {Promise<Record<string, {role: string, text: string, tool?: string, calls?: {name: string, args: string}[]}[]>>}
   */
  prompts(name, run, { signal } = {}) {
    return this.#link.ask('prompts', { project: name, name: run }, { signal })
  }

  /**
   * Returns a trace file with the long texts of the files beside it put in their places. A
   * text that is missing, or does not fit its digest, is left out.
   * @param {Bytes} trace
   * @param {{name: string, data: Bytes}[]} texts the files of its folder
   * @returns {Promise<Uint8Array>}
   */
  wholeTrace(trace, texts, { signal } = {}) {
    return this.#link.ask('wholeTrace', { names: texts.map((t) => t.name) }, { signal }, [trace, ...texts.map((t) => t.data)])
  }

  /**
   * Lists the conversations that runs kept, as golem conversations --json does, the last written one first. To go on with
   * one, call chat or run with the option resume, and with changed: true if files of its workers have changed.
   * @returns {Promise<{id: string, time: string, title: string, worker: string, mode: string, messages: number, turns: number, status: string, usage: object, from?: {id: string, at: number}, error?: object}[]>}
   */
  conversations(name, { signal } = {}) {
    return this.#link.ask('conversations', { project: name }, { signal })
  }

  /**
   * Returns a conversation for display: who is you, golem, tool or note; n numbers the messages of the person.
   * @returns {Promise<{listing: object, said: {who: string, n?: number, text?: string, tool?: string, id?: string, args?: string, error?: object}[]}>}
   */
  conversation(name, id, { signal } = {}) {
    return this.#link.ask('conversation', { project: name, name: id }, { signal })
  }

  /** Returns a conversation as Markdown. */
  async exportConversation(name, id, { signal } = {}) {
    return new TextDecoder().decode(await this.#link.ask('exportConversation', { project: name, name: id }, { signal }))
  }

  /** Removes a conversation, as golem conversations remove; one that is in use is E_BUSY. */
  removeConversation(name, id, { signal } = {}) {
    return this.#link.ask('removeConversation', { project: name, name: id }, { signal })
  }

  /**
   * Returns the methods to undo what runs wrote directly into a project's files, as golem undo. diff says what an undo
   * would do or, for a run that was undone, what a redo would do. undo and redo take the digest that was shown; in
   * definitions the names of files that define the project, if they are to be written too; and partial to leave out
   * files whose old content was not kept.
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
   * Returns the methods for what workers staged in a project, as golem clearance. diff says what a push would do. push
   * takes the digest that was shown and, in definitions, the names of files that define the project, if they are to be
   * pushed too.
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

  /** Describes a project: its entry, model and mode, and every problem it has. */
  open(name, options = {}) {
    return this.#link.ask('open', { ...this.#given(options), project: name }, options)
  }

  /** Returns every problem of a project, as golem check finds them. */
  check(name, options = {}) {
    return this.#link.ask('check', { ...this.#given(options), project: name }, options)
  }

  /** Lists the settings of a project that reach beyond its sandbox (widenings), and which of them were trusted in this browser, as golem trust --list. @returns {Promise<{digest: string, widenings: {file: string, path: string, value: string, module?: string, at: string, means: string, trusted: boolean}[]}>} */
  trust(name, options = {}) {
    return this.#link.ask('trust', { ...this.#given(options), project: name }, options)
  }

  /** Removes the trust in a project's widenings: the next run asks again. */
  distrust(name, { signal } = {}) {
    return this.#link.ask('trust', { project: name, remove: true }, { signal })
  }

  /** Returns the approval rules that were kept for a project in this browser, each as YAML, as golem approvals list. @returns {Promise<string[]>} */
  rules(name, { signal } = {}) {
    return this.#link.ask('rules', { project: name }, { signal })
  }

  /** Removes the rule of this number, counted from 1, which must have the text yaml. Returns the rules that are left. @returns {Promise<string[]>} */
  removeRule(name, number, yaml, { signal } = {}) {
    return this.#link.ask('rules', { project: name, remove: number, yaml }, { signal })
  }

  /** Returns the faults of a person's configuration; config is the text of a config.yaml. */
  checkConfig(config, { signal } = {}) {
    return this.#link.ask('config', { config }, { signal })
  }

  /** Returns the workers of a project, as golem workers lists them, and the faults of those that cannot be listed. */
  workers(name, options = {}) {
    return this.#link.ask('workers', { ...this.#given(options), project: name }, options)
  }

  /**
   * Describes a worker before it runs, as golem describe --json: its prompt, its tools and
   * whether their calls need approval, its view, and its settings with their origins.
   * worker is a reference to a worker; '' is the entry.
   */
  describe(name, worker = '', options = {}) {
    return this.#link.ask('describe', { ...this.#given(options), project: name, worker }, options)
  }

  /** Returns what a run would do, as golem run --dry-run --json: workers, models, tools, files, hosts, limits. Nothing runs and nothing is written. */
  plan(name, options = {}) {
    return this.#link.ask('plan', { ...this.#given(options), project: name }, options)
  }

  /** Returns which worker may call which, as golem workers --tree --json. */
  tree(name, options = {}) {
    return this.#link.ask('tree', { ...this.#given(options), project: name }, options)
  }

  /**
   * Lists the models of a provider, as golem models does. context is in tokens, price in US
   * dollars for a million tokens; they are missing if they are not known.
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

  /** Starts a conversation. Run.send sends further messages, Run.end ends it. */
  chat(name, input, options = {}) {
    return this.#start('chat', name, input, options)
  }

  /** Calls one tool of the entry worker, on behalf of the person, in a run of its own. args is an object or JSON text, whose numbers keep all digits. To call it in an open conversation, with its approvals and trace, use send('/tool NAME JSON'). */
  call(name, tool, args, options = {}) {
    return this.#start('call', name, args, options, { tool })
  }

  /**
   * Continues a conversation that a run or chat kept. id is the field run of its result, or
   * an id of conversations(); '' is the newest. Without an input an interrupted run
   * continues where it was.
   */
  resume(name, id = '', input = undefined, options = {}) {
    return this.#start('chat', name, input, { ...options, resume: id })
  }

  /**
   * Provides functions of this page for later calls, and replaces those that were provided before.
   * toolsets.NAME.TOOL is {description, input, output, risk, timeout, untrusted, run(args, {signal})}; workers get it
   * with toolsets: {page: {names: [NAME]}}. models.NAME is a function of ({messages, tools, …}, {signal}) and the
   * model page:NAME. docs/web.md shows both.
   */
  provide(functions) {
    this.#listed = listed(functions)
    this.#provided = functions
  }

  /**
   * Returns the state of the browser's own model, device:. With download it first downloads the model, which a browser
   * allows only after a click; progress gets the downloaded part, from 0 to 1.
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

  #start(method, name, input, given, more) {
    const make = ({ provided, ...options }) => {
      const attachments = options.attachments ?? []
      return {
        params: { ...this.#given(options), ...more, project: name, input, headless: !options.approve, artifacts: !!options.artifact, attachments: attachments.map((a) => a.name) },
        bytes: attachments.length ? attachments.map((a) => a.data) : undefined,
      }
    }
    return this.#link.start(method, make, { ...given, provided: this.#provided })
  }

  /** Ends golem at once. Open calls fail with E_INTERRUPTED. */
  close() {
    this.#link.end('golem was closed')
  }
}
