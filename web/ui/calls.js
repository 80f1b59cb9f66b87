// The calls of a run as a tree: workers, and the tools that they call.

import { plus } from './usage.js'

/** @typedef {import('./usage.js').Usage} Usage */

/**
 * One call: a worker, or a tool. In a conversation turned is when the message came that a worker
 * answers, and lasted how long the last answer took.
 * @typedef {{
 *   id: string, parent: string, name: string, kind: 'worker'|'builtin'|'wasm',
 *   depth: number, task?: string, status: string, begun: number, ended: number, ms: number,
 *   turned: number, lasted?: number,
 *   args: any, result: any, parts: any[], error: any, module: string, fuel: number,
 *   model: string, source: string, turns: number, usage: Usage, alone: Usage, own: ?Usage,
 *   approvals: any[], diffs: any[], notices: any[], says: any[], thought: any, rounds: any[], children: string[],
 * }} Call
 */

const ended = new Set(['ok', 'error', 'denied', 'not_run', 'stopped', 'needs_input', 'interrupted', 'cut'])

/** Reports whether a status is one of an ended call. */
export const isOver = (status) => ended.has(status)

/** Returns the call with this id, which is made if it is not known yet. */
export function call(run, id = '0', e = {}) {
  let c = run.calls.get(id)
  if (!c) {
    c = {
      id, parent: parentOf(id), name: '', kind: 'builtin', depth: e.depth ?? 0, status: 'pending',
      begun: 0, turned: 0, ended: 0, ms: 0, args: undefined, result: undefined, parts: [], error: null, module: '', fuel: 0,
      model: '', source: '', turns: 0, usage: { in: 0, out: 0 }, alone: { in: 0, out: 0 }, own: null,
      approvals: [], diffs: [], notices: [], says: [], thought: null, rounds: [], children: [],
    }
    run.calls.set(id, c)
    if (c.parent) hang(run, c)
  }
  return c
}

/** Places a call below the nearest known caller, and below it the calls that it made. */
function hang(run, c) {
  while (c.parent !== '0' && !run.calls.has(c.parent)) c.parent = parentOf(c.parent) || '0'
  const up = call(run, c.parent)
  let at = up.children.length
  while (at > 0 && byID(up.children[at - 1], c.id) > 0) at--
  let end = at
  while (up.children[end]?.startsWith(c.id + '.')) end++
  c.children = up.children.splice(at, end - at, c.id)
  for (const id of c.children) {
    const below = run.calls.get(id)
    below.parent = c.id
    c.usage = plus(c.usage, below.usage)
  }
}

/** Returns the id of the call that made a call; "" for the root (SPEC §16). */
export function parentOf(id) {
  const dot = id.lastIndexOf('.')
  return dot < 0 ? '' : id.slice(0, dot)
}

/** Compares ids for sorting in the order in which calls were made: 0.2 before 0.10. */
export function byID(a, b) {
  const x = a.split('.')
  const y = b.split('.')
  for (let i = 0; i < Math.min(x.length, y.length); i++) {
    if (x[i] !== y[i]) return Number(x[i]) - Number(y[i])
  }
  return x.length - y.length
}

/** Marks the calls of a trace that have no end, because the trace has none, as ended (cut). */
export function cut(run) {
  for (const c of run.calls.values()) {
    if (isOver(c.status)) continue
    c.status = 'cut'
    c.ms = Math.max(0, run.at - c.begun) || 0
  }
}
