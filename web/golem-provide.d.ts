// What a page provides (Golem.provide), and what the methods of golem.js take.

/** What every method that waits takes, as its last argument. */
export interface Waiting {
  /** When it aborts, the method ends with E_INTERRUPTED; what a change has written by then stays. */
  signal?: AbortSignal
}

export interface Provided {
  /** Toolsets of the page by name: a worker gets one with toolsets: {page: {names: [NAME]}}. */
  toolsets?: Record<string, Record<string, ProvidedTool>>
  /** Models: models.NAME is the model page:NAME. */
  models?: Record<string, ProvidedModel>
}

/** A function as a tool. It runs in the page, behind the same gate as any tool. */
export interface ProvidedTool {
  /** Tells models what it is for. */
  description?: string
  /** JSON Schema of the arguments; default: any object. */
  input?: object
  /** JSON Schema of the result, which golem checks. */
  output?: object
  /** What a call can do outside the conversation: read runs at once, all else asks. Default: unknown, which asks as command does. */
  risk?: 'read' | 'write' | 'network' | 'destructive' | 'command'
  /** Such as 30s; default: limits.tool_timeout. */
  timeout?: string
  /** Results have content from elsewhere, which may try to command a model. Those of risk network always do. */
  untrusted?: boolean
  /** A string is a text, whatever else goes as JSON, at most 1 MiB. An error goes to the model. */
  run(args: any, call: ProvidedCall): unknown
}

export interface ProvidedCall {
  /** Aborts when the call has ended (its time is over, the run was stopped): nobody waits for the result any more. */
  signal: AbortSignal
}

/**
 * A function as a model: it answers with one value, or with what an asynchronous iterator gives piece by piece. An
 * error ends the request; one with a status of HTTP (429, 503) is repeated as a provider's is.
 */
export type ProvidedModel = (request: ModelRequest, call: ProvidedCall) => ModelPiece | Promise<ModelPiece | AsyncIterable<ModelPiece>> | AsyncIterable<ModelPiece>

/** A request of chat completions: messages, tools and settings as OpenAI's protocol has them. */
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

/** A text; calls of tools; or what chat completions give, whole or as chunks. */
export type ModelPiece = string | { text?: string; calls?: { name: string; args?: object | string }[]; usage?: { in: number; out: number } } | { choices: object[]; usage?: object }

export interface DeviceOptions {
  /** Downloads the model first, which a browser allows after a click. */
  download?: boolean
  /** Told the part that is there, from 0 to 1. */
  progress?: (part: number) => void
  signal?: AbortSignal
}

/** How it stands with the browser's own model. */
export type DeviceState = 'unavailable' | 'downloadable' | 'downloading' | 'available'
