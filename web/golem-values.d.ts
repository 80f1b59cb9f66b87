// Made from golem's own types by TestTypings with GOLEM_UPDATE=1.
import type { Answer } from './golem-provide.js'

export interface FileRef {
  name: string
  bytes: number
}

export interface Message {
  role: string
  text: string
  files?: FileRef[]
  steering?: boolean
}

export interface Fault {
  code: string
  message: string
  where?: Where
  hint?: string
  page?: PageWords
  severity?: string
}

export interface Usage {
  in: number
  out: number
  cached?: number
  written?: number
  estimated?: boolean
  cost_usd?: number
  cost_partial?: boolean
}

export interface CallRef {
  id: string
  name: string
}

export interface Reasoned {
  ms: number
  tokens: number
  estimated?: boolean
}

export interface Where {
  file?: string
  line?: number
  column?: number
  chain?: string[]
}

export interface PageWords {
  message?: string
  hint?: string
  do?: string
}

export interface Part {
  type: string
  mimeType?: string
  name?: string
  bytes: number
  data: string
}

export interface Header {
  golem: string
  v: number
  run: string
  version: string
  platform: string
  project: string
  entry: string
  started: string
  type: 'trace'
}

export interface Request {
  id: string
  kind: 'tool' | 'input' | 'turns' | 'trust' | 'resume' | 'secret'
  call?: string
  risk: string
  workerPath?: string[]
  workers?: AskingWorker[]
  answers: Answer[]
  title?: string
  lines?: Line[]
  type?: string
  tool?: string
  module?: string
  grants?: Grant[]
  description?: string
  args?: unknown
  paths?: PathUse[]
  diff?: string
  unchanged?: boolean
  runs?: string[]
  rule?: string
  why?: string
  lasting?: Lasting
}

export interface AskingWorker {
  id: string
  worker: string
  depth: number
  task?: string
}

export interface Line {
  path: string
  value: string
  means?: string
  where?: string
  danger?: string
  by?: string
}

export interface Grant {
  name: string
  value: string
}

export interface PathUse {
  op: string
  mount?: string
  path: string
}

export interface Lasting {
  says: string
  yaml: string
}
