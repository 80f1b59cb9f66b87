// The methods that a page calls. Most send a request to the web worker in which golem.wasm runs.
import { Batch, batchesOf, inputsOf } from './batch.js'
import { GolemError } from './error.js'
import { filesOf } from './changes.js'
import { Kept } from './kept.js'
import { listed } from './link.js'
import { given, library, parted, started } from './request.js'

/** @import { Run } from './run.js' */
/** @import { RunOptions } from '../golem-options.js' */
/** @typedef {ArrayBuffer | ArrayBufferView} Bytes a Uint8Array, for example */

/**
 * A running golem, made by createGolem. Every method that returns a promise takes options
 * as its last argument, and among them {signal}, an AbortSignal.
 */
export class Golem extends Kept {
  #link
  #provided = {}
  #listed = listed({})

  constructor(link, hello) {
    super(link)
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
    const { bytes, ...rest } = parted(files)
    await this.#link.ask('create', { project: name, ...rest }, { ...how, settled: true }, bytes)
  }

  /** Makes a project from a template, as golem init does; '' is the first template. */
  async init(name, template = '', { signal } = {}) {
    await this.#link.ask('init', { project: name, template }, { signal })
  }

  /** Deletes a project with all its files. */
  remove(name, { signal } = {}) {
    return this.#link.ask('remove', { project: name }, { signal })
  }

  /** Gives a project another name. Its conversations, traces and undo go with it; golem asks again what was trusted, and kept rules do not hold any more. While something runs in it, it is E_BUSY. */
  rename(name, to, { signal } = {}) {
    return this.#link.ask('rename', { project: name, to }, { signal })
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
    const { names, bytes } = library(files)
    return this.#link.ask('installLibrary', { from, names }, { signal }, bytes)
  }

  /**
   * Replaces the installed library of the same name and version, or installs the library beside other versions.
   * With look it only returns what that would change. dir is the installed library that the files update, such as utils@1.0.0.
   * With it, files of another name, or of a version that is installed from elsewhere, are refused (E_CONFLICT).
   * @param {Bytes | Record<string, Bytes>} files
   * @param {{look?: boolean, dir?: string, signal?: AbortSignal}} [how]
   * @returns {Promise<{library: {name: string, version?: string, dir: string}, fresh: boolean, changes: string[] | null, left: string[] | null, missing: string[] | null}>}
   */
  updateLibrary(files, from = '', { look = false, dir = '', signal } = {}) {
    const { names, bytes } = library(files)
    return this.#link.ask('installLibrary', { from, update: true, look, dir, names }, { signal }, bytes)
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
   * @param {{name: string, look?: boolean, agreed?: string, from?: string, sidecar?: Bytes, source?: string, imports?: Record<string, Bytes>, signal?: AbortSignal}} how name: in tools/, without .wasm; from: the address that it was fetched from; sidecar: the description beside it; source: the file name of a JavaScript or TypeScript source, which module then is; imports: the files that it imports, by their path from its folder
   */
  addTool(project, module, { name, look, agreed, from, sidecar, source, imports = {}, ...options } = {}) {
    return this.#link.ask('addTool', { ...this.#given(options), project, name, look, agreed, from, source, imports: Object.keys(imports) }, options, [module, ...(sidecar ? [sidecar] : []), ...Object.values(imports)])
  }

  /** Returns the methods for a project's files. Paths are relative, with slashes. */
  files(name) {
    return filesOf(this.#link, name)
  }

  /**
   * Returns a conversation as a file that importConversation and golem conversations import read elsewhere, as golem
   * conversations export -o: with the files that its calls changed. Secrets that golem knows are left out.
   * @returns {Promise<Uint8Array>}
   */
  moveConversation(name, id, options = {}) {
    return this.#link.ask('moveConversation', { ...this.#given(options), project: name, name: id }, options)
  }

  /**
   * Returns what importing such a file would do, and changes nothing. With agreed, the digest of such a reply that a person
   * agreed to, it does it, and the reply has the conversation's id; if it would do something else by then, it fails with E_CONFLICT.
   */
  importConversation(name, data, { agreed, ...options } = {}) {
    return this.#link.ask('importConversation', { ...this.#given(options), project: name, agreed }, options, data)
  }

  /** Describes a project: its entry, model and mode, and every problem it has. */
  open(name, options = {}) {
    return this.#link.ask('open', { ...this.#given(options), project: name }, options)
  }

  /** Returns every problem of a project, as golem check finds them. unsaved has texts of files, by path, that are checked in place of what the files have. @param {{unsaved?: Record<string, string>, [option: string]: any}} [options] */
  check(name, { unsaved, ...options } = {}) {
    return this.#link.ask('check', { ...this.#given(options), project: name, unsaved }, options)
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

  /**
   * Runs the tests of a project (tests/*.yaml), as golem test --json does; they change nothing.
   * what can have filter (a regular expression of "FILE: CASE"), list (only list the cases), record,
   * models, samples, and by: 'hardened' or 'worker' lets only modules or only models of hardened workers answer. Without record and models, answers come only from recordings and scripts.
   * With a real model nobody is asked: what a case does not answer is denied.
   */
  test(name, what = {}, options = {}) {
    const { filter = '', list = false, record = false, models = [], samples = 0, by = '' } = what
    return this.#link.ask('test', { ...this.#given(options), project: name, filter, list, record, models, samples, by }, options)
  }

  /**
   * Makes cases of kept runs, as golem test --accept: of the run runs[0], or of the newest. With
   * all, as golem trace export --cases: of all of runs, or of every kept run, without those that
   * cannot be a case. The reply has the files that keepTests(name, draft) writes; nothing is written before.
   */
  makeTests(name, { runs = [], all = false, ...options } = {}) {
    return this.#link.ask('accept', { ...this.#given(options), project: name, runs, all }, options)
  }

  /** Writes the newest reply of makeTests. It replaces no file of tests (E_CONFLICT). */
  keepTests(name, draft, options = {}) {
    return this.#link.ask('accept', { ...this.#given(options), project: name, apply: draft }, options)
  }

  /**
   * Lets a model write code that takes the place of a worker, as golem harden: the worker's tests
   * and kept conversations are its cases. Nothing changes before applyHardened(name, draft) with
   * the draft of the report. model names the model that writes; progress gets {round, of, shown, problem} after each round.
   */
  harden(name, worker, { rounds, again, progress, ...options } = {}) {
    return this.#link.ask('harden', { ...this.#given(options), project: name, worker, rounds, again }, { ...options, progress })
  }

  /** Writes the code of the newest report of harden, all files or none. If one was changed meanwhile, nothing is written (E_CONFLICT). */
  applyHardened(name, draft, options = {}) {
    return this.#link.ask('harden', { ...this.#given(options), project: name, apply: draft }, options)
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
   * Runs a project's entry once for each input, as golem batch. inputs is the path of a file .jsonl or .csv or of a
   * directory in the project, a list of texts and objects, or {name, data}. Without inputs the batch of the option
   * name goes on as it began, also after a reload. Leaving the loop over it stops it.
   * @returns {Batch} an async iterable of events of progress
   */
  batch(name, { inputs, ...options } = {}) {
    return this.#batch(name, options, inputsOf(inputs))
  }

  /** Returns the methods for the batches of a project, as golem batch list, show, questions, retry and cancel. @param {string} name */
  batches(name) {
    return batchesOf(this.#link, name, (options, more) => this.#batch(name, options, more))
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
   * model page:NAME. docs/web/providing.md shows both.
   */
  provide(functions) {
    this.#listed = listed(functions)
    this.#provided = functions
  }

  /** Lists what expose offers: the workers that the project exports, or its entry. */
  offers(name, options = {}) {
    return this.#link.ask('offers', { ...this.#given(options), project: name }, options)
  }

  /**
   * Offers workers to the agent of the browser, as tools of document.modelContext (WebMCP), until close is called, signal
   * aborts or golem ends. Each call is a run with these options: approve is asked, and without it what asks is denied.
   * offers are those that a person has seen; default: what the method offers lists. workers has the IDs of some of them. called gets {tool, worker, run} of each call.
   * @param {string} name
   * @param {RunOptions & {workers?: string[], offers?: object[], called?: (call: {tool: string, worker: string, run: Run}) => void}} [options]
   * @returns {Promise<{tools: string[], close(): void}>}
   */
  async expose(name, options = {}) {
    return this.#late((m) => m.expose(this, name, options))
  }

  /** Returns the tools that this page registered at document.modelContext as a toolset for provide. */
  async pageTools() {
    return this.#late((m) => m.pageTools())
  }

  async #late(use) {
    try {
      return await use(await this.#link.lender())
    } catch (e) {
      throw e.code ? new GolemError(e) : e
    }
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

  #given = (options) => given(options, this.#listed)

  #batch(name, options, { bytes, ...more }) {
    const make = ({ provided, ...rest }) => ({ params: { ...this.#given(rest), ...more, project: name, headless: !options.approve }, bytes })
    return new Batch(this.#link.start('batch', make, { ...options, provided: this.#provided }))
  }

  #start(method, name, input, options, more) {
    const make = ({ provided, ...rest }) => started(rest, this.#listed, { ...more, project: name, input })
    return this.#link.start(method, make, { ...options, provided: this.#provided })
  }

  /** Ends golem at once. Open calls fail with E_INTERRUPTED. */
  close() {
    this.#link.end('golem was closed')
  }
}
