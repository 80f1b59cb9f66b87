/**
 * Types of the batches of golem.js: one worker, many inputs. docs/batches.md says what they do.
 * @module
 */
import type { Fault } from './golem-values.js'
import type { BatchAnswer, BatchGroup, BatchListing, BatchProgress, BatchQuestion, BatchResult, BatchRule, BatchSummary } from './golem-reports.js'
import type { BatchOptions } from './golem-options.js'
import type { Question, Waiting } from './golem-provide.js'

/** A batch that runs: iterate over it for its progress, and await result. Leaving the loop early stops it. */
export class Batch implements AsyncIterable<BatchProgress> {
  private constructor()
  /** Rejects, with a GolemError, only if it could not begin or golem has stopped; a loop over it throws that too. */
  readonly result: Promise<BatchEnd>
  /** Stops the batch, as Ctrl+C. golem.batch with its name goes on where it was. */
  stop(): void
  [Symbol.asyncIterator](): AsyncGenerator<BatchProgress, void, void>
}

/** How the run of a batch ended. */
export interface BatchEnd {
  /** The name of the batch. */
  batch: string
  /** The directory of the project that has results.jsonl, summary.json and the files of the items. */
  out: string
  /** error: an item failed; parked: items wait for answers; stopped: error says why, such as a budget that is spent. */
  status: 'ok' | 'error' | 'parked' | 'stopped' | 'interrupted' | 'cancelled'
  /** The exit code that golem batch would have. */
  exit: number
  summary: BatchSummary
  /** The summary for people. */
  text: string
  /** How many items of clearance wait. */
  staged?: number
  /** Files that several items staged: if one is pushed, the others are refused. */
  shared?: { path: string; items: string[] }[]
  error?: Fault
}

/** The questions of parked items, as golem batch questions shows them, with the arguments in the form in which a person is to see them. */
export type BatchAsked = Omit<BatchGroup, 'question'> & { question: Omit<BatchQuestion, 'request'> & { request: Question } }

/** The batches of a project. */
export interface Batches {
  /** Lists them, the newest first. */
  list(options?: Waiting): Promise<BatchListing[]>
  show(batch: string, options?: Waiting): Promise<{ listing: BatchListing; summary: BatchSummary; text: string }>
  /** Returns items in the order of the inputs, at most 1,000, from the one of number from (0); all counts those that are looked for. */
  items(batch: string, options?: Waiting & { status?: string; code?: string; item?: string; from?: number; most?: number }): Promise<{ items: BatchResult[]; all: number }>
  /** Returns results.jsonl as it would be written now. */
  results(batch: string, options?: Waiting): Promise<Uint8Array>
  /** Returns the trace of an item, which is named by its key or its directory. */
  trace(batch: string, item: string, options?: Waiting): Promise<Uint8Array>
  /** Returns the questions of parked items; with again also those that are answered and whose items have not gone on. */
  questions(batch: string, options?: Waiting & { again?: boolean }): Promise<BatchAsked[]>
  /**
   * Returns which questions a rule for the tool of a question covers; without when with the conditions that golem proposes.
   * when is an object, or a line that a person wrote: path=/out/** text="two words", or * for any arguments. line is such a line.
   */
  covers(batch: string, question: string, when?: Record<string, string> | string | null, options?: Waiting): Promise<{ rule: BatchRule; text: string; line: string; covers: BatchAsked[]; shown: string }>
  /** Answers a question, by its key; with when all that the rule covers, if shown is that of a reply of covers. */
  answer(batch: string, answer: { question: string; when?: Record<string, string> | string | null; shown?: string } & Pick<BatchAnswer, 'reason' | 'text'> & { answer: 'yes' | 'no' }, options?: Waiting): Promise<unknown>
  /** Ends a batch: items that have not ended are cancelled. soon: the tab that runs it ends it within seconds. */
  cancel(batch: string, options?: Waiting): Promise<{ items: number; soon: boolean }>
  /** Removes what golem keeps of a batch; its outputs stay. One that runs is E_BUSY. */
  remove(batch: string, options?: Waiting): Promise<unknown>
  /** Goes on with a batch, and runs again what failed and, without failed, what was cancelled. */
  retry(batch: string, options?: BatchOptions & { failed?: boolean }): Batch
}
