// Made from golem's own types by TestTypings with GOLEM_UPDATE=1.
import type { Fault, Request, Usage } from './golem-values.js'
import type { Answer } from './golem-provide.js'

export interface HardenReport {
  golem: string
  v: number
  worker: string
  source: string
  rounds: Round[]
  shown_cases: number
  held_cases: number
  shown: HardenPart
  held: HardenPart
  table: Table
  reach?: string[]
  tried?: Record<string, number>
  mutated: Mutated
  conflicts?: Conflict[]
  left_out?: LeftOut[]
  before: Cost
  after: Cost
  spent: HardenSpent
  changing?: number
  may_call?: string[]
  nothing_new?: boolean
  new_unseen?: number
  warning?: string
  files?: string[]
  draft?: string
  applied: boolean
}

export interface HardenPart {
  cases: number
  same: number
  differ: number
  fail: number
  unsure: number
  differences?: Difference[]
}

export interface TestReport {
  golem: string
  v: number
  platform: string
  verdicts: TestVerdict[]
  groups?: TestGroup[]
  models?: TestGroup[]
  faults?: Fault[]
  passed: number
  failed: number
  stale: number
  not_judged: number
  exit: number
}

export interface TestVerdict {
  file: string
  case: string
  line: number
  worker: string
  model: string
  sample?: number
  status: string
  misses?: TestMiss[]
  error?: Fault
  score?: number
  output: string
  turns: number
  usage: Usage
  ms: number
  pass_rate: number
  recorded?: string
}

export interface TestGroup {
  file: string
  case: string
  model: string
  status: string
  passed: number
  runs: number
  low: number
  high: number
  usage: Usage
  p50_ms: number
  p95_ms: number
}

export interface TestMiss {
  what: string
  want: string
  got: string
}

export interface NewTests {
  cases: NewTest[]
  files: NewTestFile[]
  left: LeftOut[]
  draft: string
}

export interface NewTest {
  run: string
  file: string
  case: string
}

export interface NewTestFile {
  path: string
  text: string
  data?: number[]
}

export interface BatchListing {
  golem: string
  v: number
  name: string
  pack: string
  project: string
  entry?: string
  key?: string
  inputs: string
  out: string
  place?: string
  begun: string
  items?: string
  next: number
  counts: BatchCounts
  running: boolean
  error?: Fault
}

export interface BatchCounts {
  total: number
  open: number
  running: number
  parked: number
  ok: number
  failed: number
  cancelled: number
}

export interface BatchProgress {
  type: string
  batch: string
  counts: BatchCounts
  failures?: Record<string, number>
  ended: number
  ms: number
  rate?: number
  left_ms?: number
  cost?: number
  line: string
}

export interface BatchSummary {
  golem: string
  v: number
  batch: string
  items: number
  statuses: Record<string, number>
  failures?: Record<string, number>
  denied?: number
  usage: Usage
  ms?: Record<string, number>
  item_cost?: Record<string, number>
}

export interface BatchResult {
  item: string
  status: string
  output?: unknown
  error?: Fault
  usage?: Usage
  cost?: unknown
  ms?: number
  attempt?: number
  files?: string[]
  denied?: number
}

export interface BatchGroup {
  question: BatchQuestion
  items: string[]
  answer?: BatchAnswer
}

export interface BatchQuestion {
  key: string
  of?: string
  request: Request
}

export interface BatchAnswer {
  key?: string
  rule?: BatchRule
  answer: Answer
  reason?: string
  text?: string
  by: string
  at: string
}

export interface BatchRule {
  of: string
  tool: string
  when?: Record<string, string>
}

export interface Round {
  problem?: string
  shown: HardenPart
  spent: HardenSpent
}

export interface Table {
  found: number
  of: number
  first?: string[]
}

export interface Mutated {
  inputs: number
  unsure: number
  refused: number
  failed?: Record<string, number>
  first?: Difference[]
}

export interface Conflict {
  input: unknown
  outputs: unknown[]
  from: string[]
}

export interface LeftOut {
  from: string
  why: string
}

export interface Cost {
  calls: number
  cost_usd?: number
  ms: number
  fuel?: number
  in?: number
  out?: number
  unpriced?: boolean
}

export interface HardenSpent {
  in: number
  out: number
  cost_usd?: number
  cost_partial?: boolean
}

export interface Difference {
  input: unknown
  expected: unknown
  got?: unknown
  unsure?: string
  error?: string
  files?: FileDifference[]
}

export interface FileDifference {
  path: string
  expected: FileState
  got: FileState
}

export interface FileState {
  state: string
  text?: string
}
