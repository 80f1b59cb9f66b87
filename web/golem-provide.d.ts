// Types of what a page provides (Golem.provide, and the answers of approve), and of options of golem.js.
import type { Run } from './golem.js'
import type { Request } from './golem-values.js'
import type { RunOptions } from './golem-options.js'

/** Options that every method that returns a promise takes, as its last argument. */
export interface Waiting {
  /** When it aborts, the method fails with E_INTERRUPTED. What the method has written by then stays. */
  signal?: AbortSignal
}

export interface Provided {
  /** Toolsets of the page, by name. A worker gets one with toolsets: {page: {names: [NAME]}}. */
  toolsets?: Record<string, Record<string, ProvidedTool>>
  /** Models, by name: models.NAME is the model page:NAME. */
  models?: Record<string, ProvidedModel>
}

/** A function of the page as a tool. It runs in the page; its calls need the same approval as those of any tool. */
export interface ProvidedTool {
  /** Tells models what the tool does. */
  description?: string
  /** JSON Schema of the arguments; default: any object. */
  input?: object
  /** JSON Schema of the result, which golem checks. */
  output?: object
  /** What a call can do outside the conversation. A call of risk read runs at once, all others ask. Default: unknown, which asks as command does. */
  risk?: 'read' | 'write' | 'network' | 'destructive' | 'command'
  /** The time limit of a call, such as 30s; default: limits.tool_timeout. */
  timeout?: string
  /** Says that results have content from elsewhere, which may try to give a model instructions. For risk network this is always so. */
  untrusted?: boolean
  /** Runs the tool. It returns a string, or another value that is sent as JSON of at most 1 MiB. An error that it throws goes to the model. */
  run(args: any, call: ProvidedCall): unknown
}

export interface ProvidedCall {
  /** Aborts when the call has ended, for example because its time is over or the run was stopped. Then the result is not used. */
  signal: AbortSignal
}

/**
 * A function of the page as a model. It answers with one value, or piece by piece with an asynchronous iterator. An
 * error ends the request. If the error has an HTTP status (429, 503), golem repeats the request as for a provider.
 */
export type ProvidedModel = (request: ModelRequest, call: ProvidedCall) => ModelPiece | Promise<ModelPiece | AsyncIterable<ModelPiece>> | AsyncIterable<ModelPiece>

/** A worker that golem.expose offers. */
export interface Offer {
  /** The tool's name. */
  name: string
  worker: string
  entry?: string
  description: string
  input?: object
  emptyInput?: boolean
}

export interface ExposeOptions extends RunOptions {
  /** The ids of the workers to offer; default: all that golem.offers lists. */
  workers?: string[]
  /** What golem.offers listed and the person has seen; default: what it lists now. */
  offers?: Offer[]
  /** Called with the run of each call. */
  called?: (call: { tool: string; worker: string; run: Run }) => void
}

export interface Exposed {
  /** The names of the tools. At most four calls run at the same time, each with arguments of at most 1 MiB. */
  tools: string[]
  /** Withdraws the tools, and ends the calls that run. */
  close(): void
}

/** A request of chat completions: messages, tools and settings in the form of OpenAI's API. */
export interface ModelRequest {
  messages: ModelMessage[]
  tools?: { type: 'function'; function: { name: string; description?: string; parameters?: object } }[]
  temperature?: number
  [setting: string]: unknown
}

export interface ModelMessage {
  role: 'system' | 'user' | 'assistant' | 'tool'
  content?: string | { type: string; text?: string; image_url?: { url: string } }[] | null
  tool_calls?: { id: string; type: 'function'; function: { name: string; arguments: string } }[]
  tool_call_id?: string
}

/** A piece of an answer: a text, calls of tools, or a response or chunk of chat completions. */
export type ModelPiece = string | { text?: string; calls?: { name: string; args?: object | string }[]; usage?: { in: number; out: number } } | { choices: object[]; usage?: object }

export interface DeviceOptions {
  /** Downloads the model first, which a browser allows only after a click. */
  download?: boolean
  /** Called with the downloaded part, from 0 to 1. */
  progress?: (part: number) => void
  signal?: AbortSignal
}

/** The state of the browser's own model. */
export type DeviceState = 'unavailable' | 'downloadable' | 'downloading' | 'available'

/** A request as approve gets it. */
export interface Question extends Request {
  /** The JSON of each argument that is not a string: show this to the person, because a JavaScript number does not keep all digits. */
  shown?: Record<string, string>
}

/** An answer to a request. keep saves request.lasting for this project in this browser: show all of it before the person gives that answer. */
export type Answer = 'yes' | 'no' | 'session' | 'always' | 'never' | 'keep'

export interface Decision {
  /** One of request.answers. */
  answer: Answer
  /** Shown to the model after a no. */
  reason?: string
  /** The text, with yes to a request of kind input. */
  text?: string
}
