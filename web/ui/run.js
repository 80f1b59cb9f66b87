// Makes a tree of calls and a transcript from the events of a run (SPEC §16): the lines of a
// trace file and, in a live run, the transient events between them. Nothing here uses the
// page's elements, so that the same code reads live runs and trace files.

import { plus } from './usage.js'
import { inPage } from './words.js'

/** @typedef {import('./usage.js').Usage} Usage */

/**
 * One call: a worker, or a tool.
 * @typedef {{
 *   id: string, parent: string, name: string, kind: 'worker'|'builtin'|'wasm',
 *   depth: number, task?: string, status: string, begun: number, ended: number, ms: number,
 *   args: any, result: any, parts: any[], error: any, module: string, fuel: number,
 *   model: string, source: string, turns: number, usage: Usage, alone: Usage, own: ?Usage,
 *   approvals: any[], diffs: any[], notices: any[], says: any[], rounds: any[], children: string[],
 * }} Call
 */

/** An empty run. */
export function emptyRun() {
  return {
    header: null,
    conversation: '', // the name of the kept conversation, if it is not that of the run
    /** @type {Map<string, Call>} */
    calls: new Map(),
    /** @type {{kind: string, id?: string, [k: string]: any}[]} */
    transcript: [],
    status: 'idle',
    exit: 0,
    error: null,
    denied: [],
    failed: [],
    output: undefined,
    usage: { in: 0, out: 0 },
    begun: 0,
    at: 0, // the time of the last event
    ms: 0,
    events: 0,
    missing: 0,
    kept: null, // the conversation that it continues, as golem.conversations lists it
    sent: null, // what began the run, if the person began it here: {text, attachments, alone}
    tool: null, // if the run is only a tool that the person called: its name, arguments and worker
  }
}

/** Puts the messages of a kept conversation into an empty run. */
export function recall(run, said) {
  run.resumed = true
  for (const s of said) {
    const stopped = s.error?.code === 'E_INTERRUPTED'
    if (s.who === 'you') say(run, 'you', { text: s.text ?? '', n: s.n })
    else if (s.who === 'golem') say(run, 'golem', { said: { text: s.text, live: false } })
    else if (s.who === 'tool') {
      const c = call(run, s.id, {})
      Object.assign(c, { name: s.tool, args: s.args, result: s.text, error: s.error ?? null, status: stopped ? 'stopped' : s.error ? 'error' : s.done ? 'ok' : 'pending' })
      say(run, 'call', { id: s.id })
    } else if (stopped) say(run, 'notice', { level: 'warn', text: 'stopped; the conversation goes on' })
    else say(run, 'notice', { level: s.error ? 'error' : 'info', text: s.error ? faultText(s.error) : s.text })
  }
  return run
}

const ended = new Set(['ok', 'error', 'denied', 'not_run', 'stopped', 'needs_input', 'interrupted', 'cut'])

/** Reports whether a status is one of an ended call. */
export const isOver = (status) => ended.has(status)

/** Applies one event to a run, in place. Events of unknown types are only counted. */
export function apply(run, e) {
  run.events++
  if (e.golem === 'trace') {
    run.header = e
    return run
  }
  const how = Object.hasOwn(handlers, e.type) && handlers[e.type]
  const at = e.ts ? Date.parse(e.ts) : Date.now()
  if (at > run.at) run.at = at
  if (how && ['string', 'undefined'].includes(typeof e.id)) how(run, e, at)
  return run
}

/** Reads the text of a trace file into a run. It ignores an incomplete last line. missing counts long texts that are not beside the trace. */
export function readTrace(text) {
  const run = emptyRun()
  const lines = text.split('\n')
  let header = false
  for (const [i, line] of lines.entries()) {
    if (!line) continue
    let event
    try {
      event = JSON.parse(line, (_, v) => {
        if (beside(v)) run.missing++
        return v
      })
    } catch {
      if (i >= lines.length - 2) break
      throw new Error(`line ${i + 1} is not JSON: this is not a golem trace`)
    }
    if (event === null || typeof event !== 'object') throw new Error(`line ${i + 1} is not an event: this is not a golem trace`)
    if (!header && event.golem !== 'trace') throw new Error('the first line is not a trace header: this is not a golem trace')
    header = true
    apply(run, event)
  }
  if (!header) throw new Error('the file is empty')
  if (run.status === 'running') cut(run)
  return run
}

/** Marks the calls of a trace that have no end, because the trace has none, as ended (cut). */
function cut(run) {
  for (const c of run.calls.values()) {
    if (isOver(c.status)) continue
    c.status = 'cut'
    c.ms = Math.max(0, run.at - c.begun) || 0
  }
}

function call(run, id = '0', e = {}) {
  let c = run.calls.get(id)
  if (!c) {
    c = {
      id, parent: parentOf(id), name: '', kind: 'builtin', depth: e.depth ?? 0, status: 'pending',
      begun: 0, ended: 0, ms: 0, args: undefined, result: undefined, parts: [], error: null, module: '', fuel: 0,
      model: '', source: '', turns: 0, usage: { in: 0, out: 0 }, alone: { in: 0, out: 0 }, own: null,
      approvals: [], diffs: [], notices: [], says: [], rounds: [], children: [],
    }
    run.calls.set(id, c)
    if (c.parent) {
      const up = call(run, c.parent)
      const before = up.children.at(-1)
      up.children.push(id)
      if (before !== undefined && byID(before, id) > 0) up.children.sort(byID)
    }
  }
  return c
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

const say = (run, kind, rest) => {
  const n = kind === 'you' && rest.text !== '/new' ? { n: messages(run) } : null
  run.transcript.push({ kind, key: (run.said = (run.said ?? -1) + 1), ...n, ...rest })
}

/** Adds a call to the transcript. The calls of one turn may begin in any order; they are shown in the order of their ids. */
function called(run, id) {
  say(run, 'call', { id })
  const list = run.transcript
  let at = list.length - 1
  while (at > 0 && list[at - 1].kind === 'call' && byID(list[at - 1].id, id) > 0) at--
  list.splice(at, 0, list.pop())
}

/** Returns the number of the person's next message. */
const messages = (run) => run.transcript.filter((item) => item.n).length + 1

/** Adds a text that the person typed in a conversation. It gets a number when an event says that it is a message, not a command or an answer to a form. */
export const type = (run, text) => say(run, 'you', { text, n: undefined, typed: true })

/** Marks all texts of workers as complete, at the end of an exchange. */
function settle(run) {
  for (const c of run.calls.values()) {
    for (const s of c.says) s.live = false
  }
}

const handlers = {
  'run.start'(run, e, at) {
    if (!run.begun) run.begun = at
    run.status = 'running'
    const input = plain(e.input)
    if (!run.resumed) say(run, 'you', { text: typeof input === 'object' && input ? run.sent?.text ?? JSON.stringify(input) : shown(input) })
  },
  'run.end'(run, e) {
    run.status = e.status
    run.exit = e.exit
    run.error = e.error ?? null
    run.denied = e.denied ?? []
    run.failed = (e.failed ?? []).map((id) => run.calls.get(id)?.name ?? id)
    run.output = e.output
    run.usage = e.usage ?? run.usage
    run.ms = e.ms ?? 0
    settle(run)
  },
  // The conversation waits for the person.
  prompt(run) {
    const root = run.calls.get('0')
    if (root) Object.assign(root, { status: 'pending', thinking: false })
    run.status = 'waiting'
    settle(run)
  },
  message(run, e) {
    // The first message of a conversation is the run's input, which is already in the transcript.
    const last = run.transcript.at(-1)
    const shown = last?.kind === 'you' && (last.text === e.text || (last.typed && last.text === '/' + e.text))
    if (e.role === 'user' && shown && last.typed) {
      last.text = e.text
      if (e.text !== '/new') last.n = messages(run)
    } else if (e.role === 'user' && !shown) say(run, 'you', { text: e.text })
    run.status = 'running'
  },
  'worker.start'(run, e, at) {
    const c = call(run, e.id, e)
    c.kind = 'worker'
    c.name = e.worker
    c.model = e.model
    c.source = e.source
    c.status = 'running'
    c.begun ||= at
  },
  // A worker's call; the event may come before the call begins. tool.end says how it ended.
  progress(run, e) {
    const c = call(run, e.id, e)
    c.kind = 'worker'
    c.name ||= e.description
    c.task = e.task ?? ''
    if (e.status === 'failed' && !isOver(c.status)) c.status = 'error'
  },
  'worker.end'(run, e, at) {
    const c = call(run, e.id, e)
    c.usage = e.usage ?? c.usage
    c.own = e.own ?? null
    if (e.id === '0') finish(c, e, at)
  },
  'model.start'(run, e, at) {
    const c = call(run, e.id, e)
    c.turns = e.turn
    c.status = 'running'
    c.thinking = true
    c.asked = { begun: at, messages: e.messages }
  },
  delta(run, e) {
    const c = call(run, e.id, e)
    const live = speaking(run, c, c.turns)
    if (e.reset) live.text = ''
    live.text += e.text ?? ''
    c.thinking = false
  },
  'model.end'(run, e) {
    const c = call(run, e.id, e)
    c.thinking = false
    c.alone = plus(c.alone, e.usage)
    for (let up = c; up; up = up.parent && run.calls.get(up.parent)) up.usage = plus(up.usage, e.usage)
    c.rounds.push({ turn: e.turn, ms: e.ms, usage: e.usage, finish: e.finish, text: e.text, calls: Array.isArray(e.calls) ? e.calls : [], ...c.asked })
    run.usage = plus(run.usage, e.usage) // until run.end has the sum
    if (e.text) {
      const s = speaking(run, c, e.turn)
      s.text = shown(e.text)
      s.live = false
    }
  },
  retry(run, e) {
    notice(run, e, 'warn', `trying again in ${seconds(e.wait_ms)}: attempt ${e.attempt} failed (${e.code}${e.message ? ': ' + e.message : ''})`)
  },
  'tool.start'(run, e, at) {
    const c = call(run, e.id, e)
    c.kind = e.kind
    c.name = e.tool
    c.module = e.module ?? ''
    c.args = e.args
    c.status = 'running'
    c.begun = at
    const known = run.resumed && run.transcript.some((item) => item.kind === 'call' && item.id === e.id)
    if ((c.parent === '0' || e.id === '0') && !known) called(run, e.id)
  },
  'tool.end'(run, e, at) {
    const c = call(run, e.id, e)
    c.result = e.result
    c.parts = Array.isArray(e.parts) ? e.parts : []
    c.fuel = e.fuel ?? 0
    finish(c, e, at)
  },
  approval(run, e, at) {
    const c = call(run, e.id, e)
    c.approvals.push(e)
    if (e.source === 'user' && e.tool && c.begun && at > c.begun) c.waited = at - c.begun // how long it waited for the person; for other questions the start is not known
    c.asking = null
  },
  ask(run, e) {
    call(run, e.id, e).asking = e.request
  },
  diff(run, e) {
    call(run, e.id, e).diffs.push(e)
  },
  clearance(run, e) {
    if (e.error) notice(run, e, 'error', `${e.action} of item ${e.item}: ${faultText(e.error)}`)
    else if (e.action === 'pending') notice(run, e, 'info', `[!] ${e.message}`)
    else notice(run, e, 'info', `${e.action}: item ${e.item} ${e.message ?? ''}`)
  },
  warning(run, e) {
    notice(run, e, 'warn', e.message)
  },
  status(run, e) {
    run.conversation = /this is the branch (\S+) now/.exec(e.text)?.[1] ?? run.conversation
    notice(run, e, e.level, inPage(e.text))
  },
  error(run, e) {
    notice(run, e, 'error', faultText(e))
  },
}

function finish(c, e, at) {
  c.status = e.status
  c.error = e.error ?? null
  c.ms = e.ms ?? 0
  c.ended = at
  c.asking = null
}

/** Returns the message of a worker in a turn, to which text is added. Messages of the root are in the transcript. */
function speaking(run, c, turn) {
  let s = c.says.at(-1)
  if (!s || !s.live || s.turn !== turn) {
    s = { turn, text: '', live: true }
    c.says.push(s)
    if (c.id === '0') say(run, 'golem', { said: s })
  }
  return s
}

function notice(run, e, level, text) {
  const n = { level, text }
  run.calls.get(e.id || '0')?.notices.push(n)
  say(run, 'notice', { ...n, worker: e.worker, depth: e.depth ?? 0 })
}

/** If v is the object that a trace has in place of a long text (SPEC §16), returns it with the name of the text's file; else null. */
function beside(v) {
  if (!v || typeof v !== 'object' || typeof v.head !== 'string' || !('cut' in v) || !Object.keys(v).every((k) => ['cut', 'head', 'sha256', 'json'].includes(k))) return null
  return { ...v, name: `${v.sha256}.${v.json ? 'json' : 'txt'}` }
}

/** Returns a value for display: a long text that is missing becomes its beginning and a note. */
export function plain(v) {
  const gone = beside(v)
  return gone ? `${gone.head} [the first part of ${gone.cut} bytes; the rest, ${gone.name}, is not beside the trace]` : v
}

/** Returns a value as text: a string unchanged, another value as JSON. */
export function shown(v) {
  const p = plain(v)
  if (p === undefined || p === null) return ''
  return typeof p === 'string' ? p : JSON.stringify(p, (_, inner) => plain(inner), 2)
}

/** Returns a fault on one line: place, code, message and hint. */
export function faultText(f) {
  if (!f) return ''
  const at = f.where?.file ? `${f.where.file}${f.where.line ? ':' + f.where.line : ''}: ` : ''
  return inPage(`${at}${f.code}: ${f.message}${f.hint ? ` (${f.hint})` : ''}`)
}

/** Formats milliseconds: 250 ms, 1.5 s, 2 min 5 s. */
export function seconds(ms) {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`
}
