// Made from golem's own types by TestTypings with GOLEM_UPDATE=1.
import type { Placed } from './golem.js'
import type { CallRef, Fault, FileRef, Message, PageWords, Part, Reasoned, Request, Usage, Where } from './golem-values.js'

export interface RunStartEvent extends Placed {
  type: 'run.start'
  input: unknown
  files?: FileRef[]
  earlier?: Message[]
  resumes?: string
}

export interface RunEndEvent extends Placed {
  type: 'run.end'
  status: string
  exit: number
  output?: unknown
  error?: Fault
  denied?: string[]
  failed?: string[]
  opened?: string[]
  usage: Usage
  ms: number
}

export interface WorkerStartEvent extends Placed {
  type: 'worker.start'
  source: string
  digest: string
  model: string
  model_from?: string
  tools: string[]
  hardened?: string
}

export interface WorkerEndEvent extends Placed {
  type: 'worker.end'
  status: string
  output?: unknown
  error?: Fault
  usage: Usage
  own?: Usage
  ms: number
}

export interface ModelStartEvent extends Placed {
  type: 'model.start'
  turn: number
  messages: number
}

export interface ModelEndEvent extends Placed {
  type: 'model.end'
  turn: number
  model: string
  finish: string
  text: string
  calls?: CallRef[]
  usage: Usage
  attempts: number
  reasoning?: Reasoned
  ms: number
}

export interface RetryEvent extends Placed {
  type: 'retry'
  turn: number
  attempt: number
  code: string
  message?: string
  wait_ms: number
}

export interface ToolStartEvent extends Placed {
  type: 'tool.start'
  tool: string
  kind: string
  module?: string
  args: unknown
}

export interface ToolEndEvent extends Placed {
  type: 'tool.end'
  tool: string
  status: string
  result?: unknown
  text?: string
  parts?: Part[]
  error?: Fault
  fuel?: number
  fuel_varies?: boolean
  ms: number
}

export interface ApprovalEvent extends Placed {
  type: 'approval'
  kind?: string
  tool?: string
  setting: string
  rule?: string
  source: string
  decision: string
  remember?: string
  reason?: string
  allow?: string
}

export interface ClearanceEvent extends Placed {
  type: 'clearance'
  item?: string
  action: string
  message?: string
  target?: string
  ok?: boolean
  error?: Fault
  items?: string[]
}

export interface MessageEvent extends Placed {
  type: 'message'
  role: string
  text: string
  files?: FileRef[]
  steering?: boolean
}

export interface FallbackEvent extends Placed {
  type: 'fallback'
  tool: string
  call?: string
  reason: string
  message?: string
  error?: Fault
}

export interface PermissionEvent extends Placed {
  type: 'permission'
  permission: string
}

export interface WarningEvent extends Placed {
  type: 'warning'
  code: string
  message: string
  level?: string
}

export interface ErrorEvent extends Placed {
  type: 'error'
  code: string
  message: string
  where?: Where
  hint?: string
  page?: PageWords
}

export interface DeltaEvent extends Placed {
  type: 'delta'
  text: string
  reset?: boolean
}

export interface ReasoningEvent extends Placed {
  type: 'reasoning'
  text: string
  over?: Reasoned
}

export interface ProgressEvent extends Placed {
  type: 'progress'
  status: string
  description: string
  task?: string
}

export interface StatusEvent extends Placed {
  type: 'status'
  text: string
  page?: string
  level: string
  conversation?: string
  draft?: string
  before?: number
  title?: string
}

export interface DiffEvent extends Placed {
  type: 'diff'
  path: string
  before?: string
  after?: string
  patch: string
}

export interface AskEvent extends Placed {
  type: 'ask'
  request: Request
}

export type TracedEvent = RunStartEvent | RunEndEvent | WorkerStartEvent | WorkerEndEvent | ModelStartEvent | ModelEndEvent | RetryEvent | ToolStartEvent | ToolEndEvent | ApprovalEvent | ClearanceEvent | MessageEvent | FallbackEvent | PermissionEvent | WarningEvent | ErrorEvent | DeltaEvent | ReasoningEvent | ProgressEvent | StatusEvent | DiffEvent | AskEvent
