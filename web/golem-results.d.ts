// Made from golem's own types by TestTypings with GOLEM_UPDATE=1.
import type { Fault, Grant } from './golem-values.js'

export interface StagedItem {
  item: Item
  digest: string
  error?: Fault
  files?: FileListing[]
}

export interface ConversationListing {
  id: string
  time: string
  title: string
  worker: string
  mode: string
  messages: number
  turns: number
  status: string
  usage: Spent
  from?: Origin
  error?: Fault
}

export interface Said {
  who: string
  n?: number
  text?: string
  files?: string[]
  tool?: string
  id?: string
  args?: string
  done?: boolean
  error?: Fault
  spent?: ThoughtSize
}

export interface Library {
  name: string
  version?: string
  description?: string
  exports?: string[]
  dependencies?: string[]
  dir: string
  origin?: WorkspaceOrigin
}

export interface Widening {
  file: string
  path: string
  value: string
  module?: string
  started?: string
  at?: string
  means?: string
}

export interface WorkerListing {
  id: string
  path: string
  source: string
  description: string
  shadowed: string[]
}

export interface Description {
  golem: string
  v: number
  id: string
  path: string
  source: string
  description?: string
  tool?: string
  prompt?: Prompt
  input?: unknown
  output?: unknown
  tools: ToolUse[]
  view: View
  settings: Value[]
  faults?: Fault[]
}

export interface Plan {
  golem: string
  v: number
  entry: string
  mode: string
  workers: PlannedWork[]
  hosts: PlannedHost[]
  faults?: Fault[]
}

export interface CallTree {
  golem: string
  v: number
  entry?: string
  workers: TreeWorker[]
  faults?: Fault[]
}

export interface ModelOffer {
  name: string
  context?: number
  price?: Price
}

export interface ImportPlan {
  origin: ExportOrigin
  listing: ConversationListing
  digest: string
  files: ImportFile[]
  instructions?: ImportText[]
  changed?: string[]
  doubts?: ImportDoubt[]
  model?: string
}

export interface Item {
  id: string
  type: string
  state: string
  message?: string
  lines?: string
  run?: string
  worker?: string
  created: string
  target?: string
  changes: Change[]
  replaces?: string
  was?: string
  own?: string
  made?: string[]
  to?: Target
  tip?: string
  commit?: string
  lost?: string[]
  blind?: string[]
}

export interface FileListing {
  path: string
  to: string
  definition?: boolean
  patch: string
}

export interface Spent {
  in: number
  out: number
  cached?: number
  written?: number
  estimated?: boolean
  cost?: number
  unpriced?: boolean
  suggested?: boolean
}

export interface Origin {
  id: string
  at: number
}

export interface ThoughtSize {
  ms: number
  tokens: number
  estimated?: boolean
}

export interface WorkspaceOrigin {
  from?: string
  commit?: string
  digest?: string
}

export interface Prompt {
  path: string
  line: number
  template: boolean
  source: string
  rendered?: string
}

export interface ToolUse {
  name: string
  from: string
  worker?: string
  risk: string
  level: string
  call: string
  why: string
  unless?: string[]
  uses?: string[]
  grants?: Grant[]
  description?: string
  input?: unknown
}

export interface View {
  mounts: MountUse[]
  restrict?: string
  readonly: boolean
  network: boolean
}

export interface Value {
  path: string
  value: string
  origin: string
}

export interface PlannedWork {
  id: string
  path: string
  source: string
  model?: string
  tools: ToolUse[]
  view: View
  limits: Value[]
}

export interface PlannedHost {
  host: string
  for: string
}

export interface TreeWorker {
  id: string
  path: string
  source: string
  description?: string
  shadowed?: string[]
  root: boolean
  tools: TreeTool[]
  calls: WorkerCall[]
}

export interface Price {
  in: string
  cached?: string
  out: string
}

export interface ExportOrigin {
  version: string
  platform: string
  project: string
  at: string
}

export interface ImportFile {
  path: string
  action: string
  why?: string
  diff?: string
  later?: boolean
}

export interface ImportText {
  worker: string
  text: string
}

export interface ImportDoubt {
  tool: string
  args: string
}

export interface Change {
  source: string
  path: string
  size: number
  digest?: string
  base?: string
  bases?: Record<string, string>
  binary?: boolean
  perm?: number
  base_perm?: number
  staged?: boolean
}

export interface Target {
  dir?: string
  git?: string
  branch?: string
  remote?: string
}

export interface MountUse {
  at: string
  root: string
  mode: string
  suffixes?: string[]
  max_file_bytes?: number
  approval?: Record<string, string>
  origin: string
}

export interface TreeTool {
  name: string
  worker?: string
  from: string
  risk: string
  call: string
  why: string
}

export interface WorkerCall {
  worker: string
  path?: string
  call: string
  why: string
  cycle?: boolean
  recursion?: boolean
}
