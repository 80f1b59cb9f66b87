/**
 * Types of golem.js: golem in a web page. docs/web.md shows how it is used.
 * @module
 */
import type { TracedEvent } from './golem-events.js'
import type { Fault, Header, Where } from './golem-values.js'
import type { CallTree, ConversationListing, Description, ImportPlan, Library, ModelOffer, Plan, Said, Widening, WorkerListing } from './golem-results.js'
import type { HardenPart, HardenReport, NewTests, TestReport } from './golem-reports.js'
import type { BatchOptions, CheckOptions, ProjectOptions, RunOptions } from './golem-options.js'
import type { Batch, Batches } from './golem-batches.js'
import type { AddToolOptions, AddedTool, Bytes, Clearance, CreateOptions, Files, PackListing, ProjectAbout, ProjectListing, Undo, ZipOptions } from './golem-projects.js'
import type { DeviceOptions, DeviceState, ExposeOptions, Exposed, Offer, Provided, ProvidedTool, Waiting } from './golem-provide.js'

export * from './golem-options.js'
export * from './golem-events.js'
export * from './golem-values.js'
export * from './golem-results.js'
export * from './golem-reports.js'
export * from './golem-batches.js'
export * from './golem-projects.js'
export * from './golem-provide.js'

/** What test() runs; without record and models only recordings and scripts answer. */
export interface TestWhat {
  /** A regular expression (RE2) of "FILE: CASE". */
  filter?: string
  /** Only list the cases. */
  list?: boolean
  /** Run the cases with real models, and keep what they answer in tests/recordings. */
  record?: boolean
  /** Real models; the word tests stands for those that the files name. */
  models?: string[]
  samples?: number
  /** Who answers for hardened workers: only their modules, or only their models. */
  by?: 'hardened' | 'worker'
}

/** A case of a project's tests. */
export interface TestListed {
  file: string
  case: string
  line: number
  /** A reference; '' is the entry. */
  worker: string
}

export interface StartOptions extends Waiting {
  /** The URL of the directory of golem.wasm and golem-worker.js, with a slash at its end; default: that of golem.js. */
  base?: string | URL
  /** Called with a text that says how much of golem is loaded. */
  progress?: (text: string) => void
}

/** Starts golem. Resolves when it is ready for the first run. */
export function createGolem(options?: StartOptions): Promise<Golem>

/** The class of all errors that golem.js throws. */
export class GolemError extends Error {
  constructor(fault: Fault & { others?: Fault[] })
  /** A code of docs/errors.md, such as E_NOT_FOUND. */
  code: string
  hint?: string
  /** What a page shows in place of the message and the hint. */
  page?: Fault['page']
  where?: Where
  /** Further faults, if there were several. */
  others: Fault[]
}

/** How a run ended. */
export interface Result {
  /** The run's id: the name of its trace, and the id of the conversation for resume. */
  run: string
  status: Status
  /** The exit code that golem run would have. */
  exit: number
  /** The answer as data, where the worker has an output schema. */
  output?: unknown
  /** The answer as text. */
  text: string
  error?: Fault
  /** Calls that were denied because nobody could be asked. */
  denied?: string[]
  /** Workers that failed below the root. */
  failed?: { id: string; worker: string; error: Fault }[]
}

export type Status = 'ok' | 'needs_input' | 'error' | 'interrupted'

/** A run or conversation: iterate over it for its events, and await result. Leaving the loop early cancels it. */
export class Run implements AsyncIterable<Event> {
  private constructor()
  /** Rejects, with a GolemError, only if it could not begin or golem has stopped; a loop over it throws that too. */
  readonly result: Promise<Result>
  /** Ends the run: model, tools and children stop, and the trace is completed. */
  cancel(): void
  /** Ends the current exchange of a conversation; the conversation goes on. */
  stop(): void
  /** Sends the person's next message in a conversation, with files. While an exchange runs, it reaches the model before its next request; with after, or if it is a command, it waits for the end of the exchange. After the end of the conversation it throws E_USAGE. */
  send(text: string, more?: { attachments?: { name: string; data: Bytes }[]; after?: boolean }): void
  /** Sets what workers may do without a question, also while an exchange runs. The event permission says that it holds; a conversation that is resumed begins with 'ask'. */
  permission(name: 'ask' | 'edits' | 'plan'): void
  /** Ends a conversation. */
  end(): void
  [Symbol.asyncIterator](): AsyncGenerator<Event, void, void>
}

/** A running golem, made by createGolem. */
export class Golem {
  private constructor()
  /** The version of golem. */
  readonly version: string
  /** The commit that golem was built from; '' if it is not known. */
  readonly commit: string
  /** The date of the commit. */
  readonly date: string
  /** Known model providers. */
  readonly providers: { name: string; keyVar: string; noKey: boolean; baseURL: string }[]
  /** Known search providers; url or keyVar may be empty. */
  readonly searches: { name: string; url: string; keyVar: string }[]
  /** The templates for init; input is a first task. */
  readonly templates: { name: string; about: string; input: string }[]
  /** false: this browser gives the page no storage, and all files are lost when the page is closed. */
  readonly kept: boolean
  /** Resolves when golem has stopped, which only a crash or close does. */
  readonly ended: Promise<GolemError>
  /** Lists the projects. */
  list(options?: Waiting): Promise<ProjectListing[]>
  /** Makes a project from files: all of them or, after an error, none. */
  create(name: string, files?: Record<string, string | Bytes>, options?: CreateOptions): Promise<void>
  /** Makes a project from a template; '' is the first template. */
  init(name: string, template?: string, options?: Waiting): Promise<void>
  /** Deletes a project with all its files. */
  remove(name: string, options?: Waiting): Promise<void>
  /** Gives a project another name. Its conversations, traces and undo go with it; golem asks again what was trusted, and kept rules end. While something runs in it, it is E_BUSY. */
  rename(name: string, to: string, options?: Waiting): Promise<void>
  /** Makes a project from a zip, or nothing if it is stopped. The repository is left out without `{ repository: true }`. */
  importZip(name: string, zip: Bytes, options?: ZipOptions & CreateOptions): Promise<void>
  /** Returns a project as a zip. The repository is left out without `{ repository: true }`. */
  exportZip(name: string, options?: ZipOptions): Promise<Blob>
  /** Verifies a packed project, and returns its description and who signed it. */
  inspectPack(data: Bytes, options?: Waiting): Promise<PackListing>
  /** Makes a project from a packed project. Nothing in it is trusted. */
  importPack(name: string, data: Bytes, options?: Waiting): Promise<unknown>
  /** Packs a project with its libraries, without a signature. left names what is not in it. */
  exportPack(name: string, options?: ProjectOptions): Promise<{ blob: Blob; left: string[]; digest: string }>
  /** Lists the installed libraries. */
  libraries(options?: Waiting): Promise<{ libraries: Library[]; faults: Fault[] }>
  /** Installs a library from a zip, or from files by their paths. from says where it came from. */
  installLibrary(files: Bytes | Record<string, Bytes>, from?: string, options?: Waiting): Promise<{ library: Library; fresh: boolean; left: string[] | null; missing: string[] | null }>
  /** Replaces the installed library of the same name and version, or installs the library beside other versions. With look it only returns what that would change. dir is the installed library that the files update, such as utils@1.0.0. With it, files of another name, or of a version that is installed from elsewhere, are refused (E_CONFLICT). */
  updateLibrary(files: Bytes | Record<string, Bytes>, from?: string, options?: Waiting & { look?: boolean; dir?: string }): Promise<{ library: Library; fresh: boolean; changes: string[] | null; left: string[] | null; missing: string[] | null }>
  /** Removes a library by its directory, such as utils@1.0.0. */
  removeLibrary(dir: string, options?: Waiting): Promise<void>
  /** Writes golem.lock of a project, as golem lib lock, and returns the change as a diff. With look it writes nothing. agreed is a diff that was shown: if the change is another one now, it fails with E_CONFLICT. */
  lockLibraries(name: string, options?: ProjectOptions & { look?: boolean; agreed?: string }): Promise<{ patch: string }>
  /** Writes a tool module, or the module of a JavaScript or TypeScript source, into tools/ and pins it in tools.lock, as golem tool add. It returns what it found about the module and about the files that it replaces. With look it writes nothing. agreed is the state of such a reply: if the state is another one now, it fails with E_CONFLICT. */
  addTool(project: string, module: Bytes, options: AddToolOptions): Promise<AddedTool>
  /** Returns the methods for a project's files: list, read, write, remove, move. */
  files(name: string): Files
  /** Lists the traces of a project's runs, newest first. */
  runs(name: string, options?: Waiting): Promise<{ name: string; size: number; modified: number }[]>
  /** Returns a trace with its long texts put in their places. */
  readRun(name: string, run: string, options?: Waiting): Promise<Uint8Array>
  /** Returns what the models got, in a run with the option prompts. */
  prompts(name: string, run: string, options?: Waiting): Promise<Record<string, { role: string; text: string; tool?: string; calls?: { name: string; args: string }[] }[]>>
  /** Puts long texts back into a trace. */
  wholeTrace(trace: Bytes, texts: { name: string; data: Bytes }[], options?: Waiting): Promise<Uint8Array>
  /** A trace as requests of OTLP/HTTP in JSON, one a line, for a collector of OpenTelemetry; with contents they have what was said, too. */
  otlp(trace: Bytes, options?: Waiting & { contents?: boolean }): Promise<string>
  /** Lists the conversations that runs kept, the last written one first. */
  conversations(name: string, options?: Waiting & { search?: string }): Promise<ConversationListing[]>
  /** Returns a conversation for display. branches has its messages that exist in several forms: n is the number of the message, ids has for each form a conversation that has it, index is the place of this conversation's form there. */
  conversation(name: string, id: string, options?: Waiting): Promise<{ listing: ConversationListing; said: Said[]; branches: { n: number; ids: string[]; index: number }[] }>
  /** Gives a conversation that is not open a title, and returns the title: the first line, at most 60 characters. In an open one, send '/title WORDS'. */
  renameConversation(name: string, id: string, title: string, options?: Waiting): Promise<string>
  /** Returns a conversation as Markdown. */
  exportConversation(name: string, id: string, options?: Waiting): Promise<string>
  /** Returns a conversation as a file that importConversation and golem conversations import read elsewhere: with the files that its calls changed, and without secrets that golem knows. */
  moveConversation(name: string, id: string, options?: ProjectOptions): Promise<Uint8Array>
  /** Returns what importing such a file would do, and changes nothing. With agreed, the digest of such a reply that a person agreed to, it does it, and the reply has the id; if it would do something else by then, it fails with E_CONFLICT. */
  importConversation(name: string, data: Bytes, options?: ProjectOptions & { agreed?: string }): Promise<ImportPlan & { id?: string }>
  /** Removes a conversation; one that is in use is E_BUSY. */
  removeConversation(name: string, id: string, options?: Waiting): Promise<unknown>
  /** Returns the methods for what workers staged, as golem clearance. */
  clearance(name: string): Clearance
  /** Returns the methods to undo what runs wrote, as golem undo. */
  undo(name: string): Undo
  /** Describes a project before it runs. */
  open(name: string, options?: ProjectOptions): Promise<ProjectAbout>
  /** Returns every problem of a project. unsaved has texts of files, by path, that are checked in place of what the files have. */
  check(name: string, options?: CheckOptions & { unsaved?: Record<string, string> }): Promise<Fault[]>
  /** Lists the settings of a project that reach beyond its sandbox, and which of them were trusted in this browser. */
  trust(name: string, options?: ProjectOptions): Promise<{ digest: string; widenings: (Widening & { trusted: boolean })[] }>
  /** Removes the trust in a project's widenings: the next run asks again. */
  distrust(name: string, options?: Waiting): Promise<{ removed: boolean }>
  /** Returns the approval rules that were kept for a project in this browser, each as YAML. */
  rules(name: string, options?: Waiting): Promise<string[]>
  /** Removes the rule of this number, counted from 1, which must have the text yaml. Returns the rules that are left. */
  removeRule(name: string, number: number, yaml: string, options?: Waiting): Promise<string[]>
  /** Returns the faults of a person's configuration, the text of a config.yaml. */
  checkConfig(config: string, options?: Waiting): Promise<Fault[]>
  /** Lists the workers of a project. */
  workers(name: string, options?: ProjectOptions): Promise<{ workers: WorkerListing[]; faults: Fault[] }>
  /** Describes a worker before it runs; '' is the entry. */
  describe(name: string, worker?: string, options?: ProjectOptions): Promise<Description>
  /** Runs the tests of a project; they change nothing but, with record, tests/recordings. */
  test(name: string, what?: TestWhat, options?: ProjectOptions): Promise<TestReport>
  test(name: string, what: { list: true }, options?: ProjectOptions): Promise<{ cases: TestListed[]; faults: Fault[] }>
  /** Makes cases of a kept run, by default of the newest; with all, of all of runs or of every kept run, without those that cannot be one. Nothing is written before keepTests with the draft. */
  makeTests(name: string, options?: ProjectOptions & { runs?: string[]; all?: boolean }): Promise<NewTests>
  /** Writes the newest reply of makeTests. It replaces no file of tests. */
  keepTests(name: string, draft: string, options?: ProjectOptions): Promise<NewTests>
  /** Lets a model write code that takes the place of a worker. Nothing changes before applyHardened with the report's draft. */
  harden(name: string, worker: string, options?: ProjectOptions & { rounds?: number; again?: boolean; progress?: (at: { round: number; of: number; problem?: string; shown?: HardenPart }) => void }): Promise<HardenReport & { text: string }>
  /** Writes the code of the newest report, all files or none. */
  applyHardened(name: string, draft: string, options?: ProjectOptions): Promise<HardenReport & { text: string }>
  /** Returns what a run would do. Nothing runs and nothing is written. */
  plan(name: string, options?: ProjectOptions): Promise<Plan>
  /** Returns which worker may call which. */
  tree(name: string, options?: ProjectOptions): Promise<CallTree>
  /** Lists the models that a provider offers. */
  models(name: string, provider: string, options?: ProjectOptions): Promise<ModelOffer[]>
  /** Provides functions of this page, as tools and models, for later calls, and replaces those that were provided before. */
  provide(functions: Provided): void
  /** Lists the exported workers, or the entry, which expose offers. */
  offers(name: string, options?: ProjectOptions): Promise<Offer[]>
  /** Offers workers as tools to the browser's agent (WebMCP). */
  expose(name: string, options?: ExposeOptions): Promise<Exposed>
  /** Returns the tools that the page registered for the browser's agent, for provide. */
  pageTools(): Promise<Record<string, ProvidedTool>>
  /** Returns the state of the browser's own model, device:. With download it first downloads the model. */
  device(options?: DeviceOptions): Promise<DeviceState>
  /** Runs a project's entry for one answer. */
  run(name: string, input: string | object, options?: RunOptions): Run
  /** Starts a conversation. Run.send sends further messages, Run.end ends it. */
  chat(name: string, input?: string | object | null, options?: RunOptions): Run
  /** Calls one tool of the entry worker, on behalf of the person, in a run of its own. args can be a JSON text, whose numbers keep all digits. */
  call(name: string, tool: string, args: string | object, options?: RunOptions): Run
  /** Runs a project's entry once for each input. Without inputs the batch of the option name goes on as it began. */
  batch(name: string, options?: BatchOptions): Batch
  /** Returns the methods for the batches of a project and their questions. */
  batches(name: string): Batches
  /** Continues a kept conversation. id is result.run, or an id of conversations(); '' is the newest. */
  resume(name: string, id?: string, input?: string | object | null, options?: RunOptions): Run
  /** Ends golem at once. Open calls fail with E_INTERRUPTED. */
  close(): void
}

/** An event of a run: a line of golem run --json (docs/trace.md) or, in a conversation, prompt. They come in order. */
export type Event = Header | TracedEvent | PromptEvent

/** The conversation waits for send or end. */
export interface PromptEvent {
  type: 'prompt'
}

/** Fields of every event but the header and prompt. Events that are not in the trace have no seq. */
export interface Placed {
  seq?: number
  /** RFC 3339, UTC, with microseconds. */
  ts?: string
  /** The id of the call that the event belongs to; 0 is the root. */
  id: string
  parent?: string
  worker: string
  depth: number
}
