// Made from golem's own types by TestTypings with GOLEM_UPDATE=1.
import type { Bytes } from './golem-projects.js'
import type { Decision, Question, Waiting } from './golem-provide.js'

/** The person's settings for a project, as the flags of the command line. */
export interface ProjectOptions extends Waiting {
  /** provider:name; default: the project's model. */
  model?: string
  /** The worker to run instead of the project's entry. */
  entry?: string
  /** Settings of the models, such as {temperature: 0.2}. */
  modelSettings?: Record<string, unknown>
  approval?: 'interactive' | 'approve_all' | 'auto_deny'
  /** Says yes, for this run, to the settings of the project that reach beyond its sandbox. */
  trust?: boolean
  /** Loads no custom tools (.wasm files). */
  noImportTools?: boolean
  /** Lets workers import tool modules from outside the project. */
  allowModuleImports?: boolean
  /** How deep workers may call workers. */
  maxDepth?: number
  /** Limits of the run, such as {turns: 20, cost: 0.5, tool_timeout: '1m'}. */
  limits?: Record<string, string | number>
  /** The same as limits.turns. */
  maxTurns?: number
  /** The person's own configuration, the text of a config.yaml. */
  config?: string
  /** Keys and addresses, such as OPENAI_API_KEY; kept in no file. */
  env?: Record<string, string>
  /** The person's secrets by name, for modules to which the project gives {secret: NAME}; kept in no file. */
  secrets?: Record<string, string>
  /** Talks with golem's own worker assistant about the project's files, also if the project has no worker. */
  assistant?: boolean
}

/** Options of check. */
export interface CheckOptions extends ProjectOptions {
  /** native or browser; default: both. */
  platform?: string
}

/** Options of run, chat, call and resume. */
export interface RunOptions extends ProjectOptions {
  /** Files for the first message. A name mcp:SERVER:URI with empty data is a resource of an MCP server of the worker. */
  attachments?: { name: string; data: Bytes }[]
  /** The id of a kept conversation to continue; '' is the newest. */
  resume?: string
  /** With resume: continues although files of its workers have changed. */
  changed?: boolean
  /** With resume: what to do with a call that was running when golem ended; default: ask. */
  doubt?: 'ask' | 'repeat' | 'fail'
  /** With resume: branches off before the person's message of this number. */
  at?: number
  /** Any denied call or failed worker makes the exit code 1. */
  strict?: boolean
  /** Called with whole prompts, inputs and outputs as JSON; the name begins with the call's id: 0.2.prompt.json. */
  artifact?: (artifact: { name: string; data: string }) => void
  /** The file of the project in which the answers of the models are recorded. If it is neither empty nor a recording, the run is refused with E_CONFLICT. */
  record?: string
  /**
   * Called before a side effect, and before a run whose project has settings that reach beyond its sandbox. null says
   * that nobody can be asked; without approve all that would ask is denied. signal aborts when the question is
   * withdrawn or the run is cancelled: then an answer has no effect.
   */
  approve?: (request: Question, signal: AbortSignal) => Decision | null | Promise<Decision | null>
  /** false keeps no trace in the project. */
  trace?: boolean
  /** Keeps each worker's messages beside the trace, to be read by golem.prompts. */
  prompts?: boolean
}

/** Options of batch. */
export interface BatchOptions extends ProjectOptions, Pick<RunOptions, 'approve' | 'doubt'> {
  /** The inputs: the path of a file .jsonl or .csv or of a directory in the project; a list of texts and objects; or the name and content of a file .jsonl or .csv. Without inputs the batch of the option name goes on as it began. */
  inputs?: string | (string | object)[] | { name: string; data: Bytes | string }
  /** The field whose value names the item; default: the SHA-256 of the input. */
  key?: string
  /** The directory of the project for results and files; default: BATCH.out. */
  out?: string
  /** The name of the batch; default: made of the project, its content and the inputs. */
  name?: string
  /** How many items run beside each other; default: 4. */
  jobs?: number
  /** How often an item that failed is run again. */
  retry?: number
}
