/**
 * Types of the projects of golem.js: their files, what is staged in them, undo, packs and tools.
 * @module
 */
import type { Fault } from './golem-values.js'
import type { StagedItem } from './golem-results.js'
import type { ProjectOptions } from './golem-options.js'
import type { Waiting } from './golem-provide.js'

/** Bytes, such as a Uint8Array or the result of File.arrayBuffer. Another value in their place is E_USAGE. */
export type Bytes = ArrayBuffer | ArrayBufferView

export interface CreateOptions extends Waiting {
  /** Called with the number of files that are written. If signal aborts, nothing is made. */
  progress?: (done: number) => void
}

export interface ZipOptions extends Waiting {
  /** Includes the project's git repository: .git, but no hooks and nothing else that starts programs. */
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
  /** Reads a file; with size, that many bytes of it, beginning at from. */
  read(path: string, options?: Waiting & { from?: number; size?: number }): Promise<Uint8Array>
  /** Writes a whole file, which may be new. With base, only if the file exists and has that text now; another text is E_CONFLICT. */
  write(path: string, data: string | Bytes, options?: Waiting & { base?: string }): Promise<void>
  remove(path: string, options?: Waiting): Promise<void>
  move(path: string, to: string, options?: Waiting): Promise<void>
}

export interface PushOptions extends Waiting {
  /** The digest of the snapshot that was shown. */
  digest?: string
  target?: string
  /** Names of files that define the project, if they are to be pushed too. */
  definitions?: string[]
}

/** Methods for what workers staged in a project, as golem clearance. */
export interface Clearance {
  list(options?: Waiting): Promise<StagedItem[]>
  diff(item: string, options?: PushOptions): Promise<StagedItem>
  push(item: string, options?: PushOptions): Promise<StagedItem>
  discard(item: string, options?: Waiting): Promise<StagedItem>
  defer(item: string, options?: Waiting): Promise<StagedItem>
}

export interface UndoOptions extends Waiting {
  /** A part of the run, by item.id of the list: in a conversation each exchange that wrote is one. Without it, the newest part that is not undone. */
  item?: string
  /** The digest of the diff that was shown. */
  digest?: string
  /** Names of files that define the project, if they are to be written too. */
  definitions?: string[]
  /** Leaves out files whose old content was not kept. */
  partial?: boolean
}

/** Methods to undo what runs wrote directly into a project's files, as golem undo. */
export interface Undo {
  list(options?: Waiting): Promise<StagedItem[]>
  diff(run: string, options?: Waiting & { item?: string }): Promise<StagedItem>
  undo(run: string, options?: UndoOptions): Promise<StagedItem>
  redo(run: string, options?: UndoOptions): Promise<StagedItem>
}

/** The description of a packed project that was verified. */
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

/** The description of a project before it runs. */
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
  /** The files are not a project, because they have no worker: only golem's own worker assistant works with them. */
  bare?: boolean
  faults: Fault[]
}

export interface AddToolOptions extends ProjectOptions {
  /** Only describes the module; nothing is written. */
  look?: boolean
  /** Its name in tools/, without .wasm. */
  name: string
  /** The address that the module was fetched from, for tools.lock. */
  from?: string
  /** The description beside the module, NAME.tools.yaml. */
  sidecar?: Bytes
  /** The state that a call with look returned. If it is another one now, nothing is written (E_CONFLICT). */
  agreed?: string
  /** The file name of a JavaScript or TypeScript source: the bytes are its text, and golem links the module. */
  source?: string
  /** The files that the source imports, by their path from its folder. */
  imports?: Record<string, Bytes>
}

/** What addTool found about a module, without running it. */
export interface AddedTool {
  module: ToolModule
  /** The module that was at its path before. */
  was?: ToolModule
  /** taken: a file was at its path before. beside: the description is a file that the project already had. */
  taken: boolean
  beside: boolean
  /** The digest that tools.lock had for its path; '' if none. */
  pinned: string
  /** How many other modules of the project a new tools.lock pins too. */
  others: number
  /** A digest of the lock and the files that are written, and of those that they replace. */
  state: string
}

/** The description of a module, as golem tool inspect --json prints it. */
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
