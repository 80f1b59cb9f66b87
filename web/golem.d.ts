/**
 * Types of golem.js: golem in a web page. docs/web.md shows how it is used.
 * @module
 */
import type { TracedEvent } from './golem-events.js'
import type { Fault, Header, Request, Where } from './golem-values.js'
import type { CallTree, ConversationListing, Description, Library, ModelOffer, Plan, Said, StagedItem, Widening, WorkerListing } from './golem-results.js'
import type { DeviceOptions, DeviceState, Provided, Waiting } from './golem-provide.js'

export * from './golem-events.js'
export * from './golem-values.js'
export * from './golem-results.js'
export * from './golem-provide.js'

export interface StartOptions extends Waiting {
  /** Where golem.wasm and golem-worker.js lie, with a slash at its end; default: beside golem.js. */
  base?: string | URL
  /** Told how much of golem is loaded. */
  progress?: (text: string) => void
}

/** Bytes that golem is given, such as a Uint8Array or what File.arrayBuffer gives; anything else is E_USAGE. */
export type Bytes = ArrayBuffer | ArrayBufferView

/** Starts golem. Resolves when it is ready for the first run. */
export function createGolem(options?: StartOptions): Promise<Golem>

/** All that golem.js throws. */
export class GolemError extends Error {
  constructor(fault: Fault & { others?: Fault[] })
  /** As in docs/messages.md, such as E_NOT_FOUND. */
  code: string
  hint?: string
  where?: Where
  /** Further faults, if there were several. */
  others: Fault[]
}

/** What a person chose for the project; the same as flags of the command line. */
export interface ProjectOptions extends Waiting {
  /** provider:name; default: the project's own. */
  model?: string
  approval?: 'interactive' | 'approve_all' | 'auto_deny'
  /** Another worker than the project's entry. */
  entry?: string
  maxDepth?: number
  /** The same as limits.turns. */
  maxTurns?: number
  /** Settings of the models, such as {temperature: 0.2}. */
  modelSettings?: Record<string, unknown>
  /** Limits of the run, such as {turns: 20, cost: 0.5, tool_timeout: '1m'}. */
  limits?: Record<string, string | number>
  /** Yes, for this run, to what the project's files say beyond its sandbox. */
  trust?: boolean
  noImportTools?: boolean
  allowModuleImports?: boolean
  /** The person's own configuration, the text of a config.yaml. */
  config?: string
  /** Keys and addresses, such as OPENAI_API_KEY; kept in no file. */
  env?: Record<string, string>
  /** What the person keeps under names, for modules that a project gives {secret: NAME}; kept in no file. */
  secrets?: Record<string, string>
}

export interface CheckOptions extends ProjectOptions {
  /** native or browser; default: both. */
  platform?: string
}

export interface RunOptions extends ProjectOptions {
  /** Goes on with this kept conversation instead of beginning one; '' is the newest. */
  resume?: string
  /** With resume: goes on before the person's message of this number, as a branch. */
  at?: number
  /** With resume: goes on although files of its workers have changed. */
  changed?: boolean
  /** Any denied call or failed worker makes the exit code 1. */
  strict?: boolean
  /** mcp:SERVER:URI with empty data is a resource of an MCP server of the worker. */
  attachments?: { name: string; data: Bytes }[]
  /**
   * Asked before a side effect, and before a run for what the project's files say beyond its sandbox. null says
   * that nobody is there; without it whatever would ask is denied. signal aborts when the question is withdrawn or
   * the run is cancelled: then no answer counts any more.
   */
  approve?: (request: Request, signal: AbortSignal) => Decision | null | Promise<Decision | null>
  /** Given whole prompts, inputs and outputs as JSON, named by call: 0.2.prompt.json. */
  artifact?: (artifact: { name: string; data: string }) => void
  /** false keeps no trace in the project. */
  trace?: boolean
  prompts?: boolean
  /** A file of the project that the answers of the models are recorded in. */
  record?: string
}

/** keep saves request.lasting for this project in this browser: show it whole before that answer is given. */
export type Answer = 'yes' | 'no' | 'session' | 'always' | 'never' | 'keep'

export interface Decision {
  /** One of request.answers. */
  answer: Answer
  /** Shown to the model after a no. */
  reason?: string
  /** With yes to a request of kind input. */
  text?: string
}

/** How a run ended. */
export interface Result {
  /** The run's name: that of its trace, and of the conversation that resume goes on with. */
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

/** A run or conversation under way: iterate it for its events, await result. Leaving the loop early cancels it. */
export class Run implements AsyncIterable<Event> {
  private constructor()
  /** Rejects, with a GolemError, only if it could not begin or golem has stopped; a loop over it throws that too. */
  readonly result: Promise<Result>
  /** Ends it: model, tools and children stop, the trace ends properly. */
  cancel(): void
  /** Ends the exchange of a conversation that is under way; the conversation goes on. */
  stop(): void
  /** Says something in a conversation. */
  send(text: string): void
  /** Ends a conversation. */
  end(): void
  [Symbol.asyncIterator](): AsyncGenerator<Event, void, void>
}

export interface CreateOptions extends Waiting {
  /** Told how many files are written. A create that was aborted makes nothing. */
  progress?: (done: number) => void
}

export interface ZipOptions extends Waiting {
  /** The project's git repository goes along: its .git, but for hooks. */
  repository?: boolean
}

export interface ProjectListing {
  name: string
  files: number
  bytes: number
}

export interface FileEntry {
  path: string
  dir?: boolean
  size: number
  /** Milliseconds since 1970. */
  modified: number
}

/** A project's files. Paths are relative, with slashes. */
export interface Files {
  list(options?: Waiting): Promise<FileEntry[]>
  /** A file, or size bytes of it. */
  read(path: string, options?: Waiting & { from?: number; size?: number }): Promise<Uint8Array>
  /** Replaces or makes a file, whole. With base, only where it holds that text; E_CONFLICT otherwise. */
  write(path: string, data: string | Bytes, options?: Waiting & { base?: string }): Promise<void>
  remove(path: string, options?: Waiting): Promise<void>
  move(path: string, to: string, options?: Waiting): Promise<void>
}

export interface PushOptions extends Waiting {
  /** Of the snapshot that was shown. */
  digest?: string
  target?: string
  /** Names of files that define the project, if they are to be pushed too. */
  definitions?: string[]
}

/** What workers staged in a project, as golem clearance. */
export interface Clearance {
  list(options?: Waiting): Promise<StagedItem[]>
  diff(item: string, options?: PushOptions): Promise<StagedItem>
  push(item: string, options?: PushOptions): Promise<StagedItem>
  discard(item: string, options?: Waiting): Promise<StagedItem>
  defer(item: string, options?: Waiting): Promise<StagedItem>
}

export interface UndoOptions extends Waiting {
  /** Of what was shown. */
  digest?: string
  /** Names of files that define the project, if they are to be written too. */
  definitions?: string[]
  /** Leaves out files whose old content was not kept. */
  partial?: boolean
}

/** What runs wrote directly into a project's files, as golem undo. */
export interface Undo {
  list(options?: Waiting): Promise<StagedItem[]>
  diff(run: string, options?: Waiting): Promise<StagedItem>
  undo(run: string, options?: UndoOptions): Promise<StagedItem>
  redo(run: string, options?: UndoOptions): Promise<StagedItem>
}

/** What a packed project is, after all of it was verified. */
export interface PackListing {
  golem: string
  v: number
  name: string
  version?: string
  entry?: string
  files: number
  dirs?: string[]
  bytes: number
  digest: string
  signer?: { key: string; comment: string }
}

/** What a project is before it runs. */
export interface ProjectAbout {
  entry?: string
  description?: string
  mode?: string
  model?: string
  /** The entry is a tool, which needs no model. */
  tool?: boolean
  /** The entry's input schema. */
  input?: unknown
  emptyInput?: boolean
  faults: Fault[]
}

export interface AddToolOptions extends ProjectOptions {
  /** Only say what the module is and what it would need. */
  look?: boolean
  /** Its name in tools/, without .wasm. */
  name: string
  /** The address that the module was fetched from, for tools.lock. */
  from?: string
  /** The description beside the module, NAME.tools.yaml. */
  sidecar?: Bytes
  /** The state that a look gave: nothing else is written, in place of nothing else. */
  agreed?: string
}

/** A tool module that was not run. */
export interface AddedTool {
  module: ToolModule
  /** The module that had its place. */
  was?: ToolModule
  /** taken: a file had its place. beside: the description is a file that the project has already. */
  taken: boolean
  beside: boolean
  /** The digest that tools.lock had for the place; '' if none. */
  pinned: string
  /** How many other modules of the project a new tools.lock pins too. */
  others: number
  /** Stands for all that is written, and what it takes the place of. */
  state: string
}

/** What golem tool inspect --json shows. */
export interface ToolModule {
  path: string
  size: number
  sha256: string
  form: string
  built?: string
  tools?: { name: string; description?: string; inputSchema?: object; outputSchema?: object; risk?: string; exec?: string; timeout?: string; stateful?: boolean }[]
  described?: string
  imports?: { module: string; name: string }[]
  exports?: string[]
  /** In pages of 64 KiB. */
  memory?: { min: number; max: number }
  callable?: string[]
  needs?: string[]
  /** Why golem would not run it. */
  refused?: string
}

/** golem, started. Made by createGolem. */
export class Golem {
  private constructor()
  readonly version: string
  /** Known model providers. */
  readonly providers: { name: string; keyVar: string; noKey: boolean; baseURL: string }[]
  /** Known search providers; url or keyVar is empty where there is none. */
  readonly searches: { name: string; url: string; keyVar: string }[]
  /** What init can begin with; input is a first task. */
  readonly templates: { name: string; about: string; input: string }[]
  /** false: this browser lends no storage; what is made here ends with the page */
  readonly kept: boolean
  /** Resolves when golem has stopped, which only a crash or close does. */
  readonly ended: Promise<GolemError>
  list(options?: Waiting): Promise<ProjectListing[]>
  /** Makes a project of files, all of them or none. */
  create(name: string, files?: Record<string, string | Bytes>, options?: CreateOptions): Promise<void>
  /** Makes a project from a template; the first one if none is named. */
  init(name: string, template?: string, options?: Waiting): Promise<void>
  /** Deletes a project with all its files. */
  remove(name: string, options?: Waiting): Promise<void>
  importZip(name: string, zip: Bytes, options?: ZipOptions & CreateOptions): Promise<void>
  exportZip(name: string, options?: ZipOptions): Promise<Blob>
  inspectPack(data: Bytes, options?: Waiting): Promise<PackListing>
  importPack(name: string, data: Bytes, options?: Waiting): Promise<unknown>
  exportPack(name: string, options?: ProjectOptions): Promise<{ blob: Blob; left: string[]; digest: string }>
  libraries(options?: Waiting): Promise<{ libraries: Library[]; faults: Fault[] }>
  /** Installs a library from a zip, or from files by their paths. from says where it came from. */
  installLibrary(files: Bytes | Record<string, Bytes>, from?: string, options?: Waiting): Promise<{ library: Library; fresh: boolean; left: string[] | null; missing: string[] | null }>
  /** Puts a library in the place of the installed one of its name and version, or installs it beside other versions; look only says what that would change. */
  updateLibrary(files: Bytes | Record<string, Bytes>, from?: string, options?: Waiting & { look?: boolean }): Promise<{ library: Library; fresh: boolean; changes: string[] | null; left: string[] | null; missing: string[] | null }>
  /** Removes a library by its directory, such as utils@1.0.0. */
  removeLibrary(dir: string, options?: Waiting): Promise<void>
  /** Writes golem.lock of a project, as golem lib lock, and gives what changes in it as a diff; with look nothing is written. With agreed, a diff that was shown, it fails with E_CONFLICT if something else would change by now. */
  lockLibraries(name: string, options?: ProjectOptions & { look?: boolean; agreed?: string }): Promise<{ patch: string }>
  /** Puts a tool module into tools/ and pins it in tools.lock, as golem tool add. It gives what the module is and what has its place; with look nothing is written. With agreed, the state of such an answer, it fails with E_CONFLICT if something else would be written by now, or the project has something else in its place. */
  addTool(project: string, module: Bytes, options: AddToolOptions): Promise<AddedTool>
  files(name: string): Files
  /** The traces of a project's runs, newest first. */
  runs(name: string, options?: Waiting): Promise<{ name: string; size: number; modified: number }[]>
  /** One trace, its long texts in their places. */
  readRun(name: string, run: string, options?: Waiting): Promise<Uint8Array>
  prompts(name: string, run: string, options?: Waiting): Promise<Record<string, { role: string; text: string; tool?: string; calls?: { name: string; args: string }[] }[]>>
  wholeTrace(trace: Bytes, texts: { name: string; data: Bytes }[], options?: Waiting): Promise<Uint8Array>
  /** The conversations that runs kept, the newest first. */
  conversations(name: string, options?: Waiting): Promise<ConversationListing[]>
  conversation(name: string, id: string, options?: Waiting): Promise<{ listing: ConversationListing; said: Said[] }>
  /** One conversation as Markdown. */
  exportConversation(name: string, id: string, options?: Waiting): Promise<string>
  /** Removes a conversation; one that is in use is E_BUSY. */
  removeConversation(name: string, id: string, options?: Waiting): Promise<unknown>
  clearance(name: string): Clearance
  undo(name: string): Undo
  open(name: string, options?: ProjectOptions): Promise<ProjectAbout>
  /** Every problem of a project. */
  check(name: string, options?: CheckOptions): Promise<Fault[]>
  /** What a project's files say beyond its sandbox, and what of it was trusted in this browser. */
  trust(name: string, options?: ProjectOptions): Promise<{ digest: string; widenings: (Widening & { trusted: boolean })[] }>
  /** Forgets what was trusted of a project: the next run asks again. */
  distrust(name: string, options?: Waiting): Promise<{ removed: boolean }>
  /** The approval rules that were kept for a project in this browser, as YAML. */
  rules(name: string, options?: Waiting): Promise<string[]>
  /** Removes the rule of this number, from 1, and with this text; gives those that are left. */
  removeRule(name: string, number: number, yaml: string, options?: Waiting): Promise<string[]>
  /** What is wrong with a person's configuration, the text of a config.yaml. */
  checkConfig(config: string, options?: Waiting): Promise<Fault[]>
  workers(name: string, options?: ProjectOptions): Promise<{ workers: WorkerListing[]; faults: Fault[] }>
  /** What a worker is before it runs; the entry if none is named. */
  describe(name: string, worker?: string, options?: ProjectOptions): Promise<Description>
  /** What a run would do. Nothing runs and nothing is written. */
  plan(name: string, options?: ProjectOptions): Promise<Plan>
  /** Who may call whom. */
  tree(name: string, options?: ProjectOptions): Promise<CallTree>
  models(name: string, provider: string, options?: ProjectOptions): Promise<ModelOffer[]>
  /** Provides functions of this page, as tools and models, for what is asked for from now on, instead of those before. */
  provide(functions: Provided): void
  /** How it stands with the browser's own model, device:; downloads it if asked. */
  device(options?: DeviceOptions): Promise<DeviceState>
  /** Runs a project's entry for one answer. */
  run(name: string, input: string | object, options?: RunOptions): Run
  /** Starts a conversation; say more with send, end it with end. */
  chat(name: string, input?: string | object | null, options?: RunOptions): Run
  /** Calls one tool of the entry worker, as a person, in a run of its own. */
  call(name: string, tool: string, args: object, options?: RunOptions): Run
  /** Goes on with a kept conversation: result.run, or an id of conversations(); '' is the newest. */
  resume(name: string, id?: string, input?: string | object | null, options?: RunOptions): Run
  /** Ends golem at once, whatever it does. */
  close(): void
}

/** What a run tells, in order: the lines of golem run --json (docs/trace.md) and, in a conversation, prompt. */
export type Event = Header | TracedEvent | PromptEvent

/** The conversation waits for send or end. */
export interface PromptEvent {
  type: 'prompt'
}

/** In every event but the header and prompt. Those that no trace keeps have no seq. */
export interface Placed {
  seq?: number
  /** RFC 3339, UTC, with microseconds. */
  ts?: string
  /** Of the call that it belongs to; 0 is the root. */
  id: string
  parent?: string
  worker: string
  depth: number
}
