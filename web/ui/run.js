// Makes a tree of calls and a transcript from the events of a run (SPEC §16): the lines of a
// trace file and, in a live run, the transient events between them. Nothing here uses the
// page's elements, so that the same code reads live runs and trace files.

import { call, cut, isOver, parentOf } from './calls.js'
import { beside, fallbackText, faultText, seconds, shown } from './texts.js'
import { backTo, begun, called, messages, notice, reasoned, say, settle, speaking, steered } from './transcript.js'
import { plus } from './usage.js'

/** An empty run. */
export function emptyRun() {
  return {
    header: null,
    conversation: '', // the name of the kept conversation, if it is not that of the run
    title: '', // the title that it was given
    /** @type {Map<string, Call>} */
    calls: new Map(),
    /** @type {{kind: string, id?: string, [k: string]: any}[]} */
    transcript: [],
    status: 'idle',
    exit: 0,
    permission: '', // ask, edits or plan; '' if nobody has changed it
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
    sent: null, // what began the run, if the person began it here: {text, attachments, alone, talks}; talks: it is a conversation
    tool: null, // if the run is only a tool that the person called: its name, arguments and worker
  }
}

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

const handlers = {
  'run.start'(run, e, at) {
    if (!run.begun) run.begun = at
    run.status = 'running'
    if (!run.resumed) begun(run, e)
  },
  'run.end'(run, e, at) {
    run.status = e.status
    run.exit = e.exit
    run.error = e.error ?? null
    run.denied = e.denied ?? []
    run.failed = (e.failed ?? []).map((id) => run.calls.get(id)?.name ?? id)
    run.output = e.output
    run.usage = e.usage ?? run.usage
    run.ms = e.ms ?? 0
    const root = run.calls.get('0')
    if (root && !isOver(root.status)) finish(root, e, at)
    settle(run)
  },
  // The conversation waits for the person.
  prompt(run, e, at) {
    const root = run.calls.get('0')
    if (root) Object.assign(root, { status: 'pending', thinking: false, lasted: root.turned ? at - root.turned : root.lasted, turned: 0 })
    run.status = 'waiting'
    settle(run)
  },
  message(run, e, at) {
    if (e.steering) return steered(run, e)
    // The first message of a conversation is the run's input, which is already in the transcript.
    const said = run.transcript.findLast((item) => item.kind !== 'notice')
    const last = said?.typed && !said.n ? said : run.transcript.at(-1) // a notice can come after what was typed
    const shown = last?.kind === 'you' && (last.text === e.text || (last.typed && last.text === '/' + e.text))
    if (e.role === 'user' && shown && last.typed) {
      last.text = e.text
      if (e.text !== '/new') last.n = messages(run)
      if (last.waits) run.transcript.push(...run.transcript.splice(run.transcript.indexOf(last), 1)) // it did not reach the exchange in which it was sent
    } else if (e.role === 'user' && !shown) say(run, 'you', { text: e.text })
    run.status = 'running'
    const root = run.calls.get('0')
    if (root) root.turned = at
  },
  'worker.start'(run, e, at) {
    const c = call(run, e.id, e)
    c.kind = 'worker'
    c.name = e.worker
    c.model = e.model
    c.source = e.source
    c.status = 'running'
    c.begun ||= at
    c.turned = at
  },
  // A worker's call; the event may come before the call begins. tool.end says how it ended.
  progress(run, e) {
    const c = call(run, e.id, e)
    c.kind = 'worker'
    c.name ||= e.description
    c.task = e.task ?? ''
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
    reasoned(c)
    c.asked = { begun: at, messages: e.messages }
  },
  delta(run, e) {
    const c = call(run, e.id, e)
    const live = speaking(run, c, c.turns)
    if (e.reset) live.text = ''
    if (e.reset && c.thought) Object.assign(c.thought, { text: '', live: true, spent: null })
    live.text += e.text ?? ''
    c.thinking = false
  },
  // What the model of the root reasons before it answers: one item of the transcript for each turn.
  reasoning(run, e, at) {
    const c = call(run, e.id, e)
    if (c.id !== '0') return
    if (!c.thought) say(run, 'thought', { said: (c.thought = { text: '', live: true, spent: null, begun: at }) })
    c.thought.text += e.text ?? ''
    c.thought.live = !e.over
    c.thought.spent = e.over ?? null
  },
  'model.end'(run, e) {
    const c = call(run, e.id, e)
    c.thinking = false
    if (c.thought && e.reasoning) c.thought.spent = e.reasoning
    reasoned(c)
    c.alone = plus(c.alone, e.usage)
    for (let up = c; up; up = up.parent && run.calls.get(up.parent)) up.usage = plus(up.usage, e.usage)
    c.rounds.push({ turn: e.turn, ms: e.ms, usage: e.usage, reasoning: e.reasoning, finish: e.finish, text: e.text, calls: Array.isArray(e.calls) ? e.calls : [], ...c.asked })
    run.usage = plus(run.usage, e.usage) // until run.end has the sum
    const s = e.text || c.says.at(-1)?.live ? speaking(run, c, e.turn) : null
    if (s && e.text) s.text = shown(e.text)
    if (s) s.live = false
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
    if ((parentOf(e.id) === '0' || e.id === '0') && !known) called(run, e.id)
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
    else notice(run, e, 'info', `${e.action}: item ${e.item} ${e.message ?? ''}`.trim())
  },
  fallback(run, e) {
    notice(run, e, 'info', fallbackText(e))
  },
  // The person changed what workers may do without asking.
  permission(run, e) {
    run.permission = shown(e.permission)
  },
  warning(run, e) {
    notice(run, e, e.level === 'info' ? 'info' : 'warn', e.message)
  },
  status(run, e) {
    if (e.before > 0) backTo(run, e.before)
    run.conversation = e.conversation ?? run.conversation
    run.title = e.title ?? run.title
    notice(run, e, e.level, e.page ?? e.text)
  },
  error(run, e) {
    notice(run, e, 'error', faultText(e))
  },
}

function finish(c, e, at) {
  if (c.lasted && c.turned) c.lasted = at - c.turned
  c.status = e.status
  c.error = e.error ?? null
  c.ms = e.ms ?? 0
  c.ended = at
  c.asking = null
  c.thinking = false
}
