// What a person sees of a conversation: messages, answers, calls and notices, in their order.

import { byID, call } from './calls.js'
import { faultText, plain, shown, titled } from './texts.js'

/** Returns the title of the conversation that a run shows: the one that it was given, or the first line of the first message (SPEC §11); '' if the run is only a tool. */
export function titleOf(run) {
  const first = run.tool ? null : run.transcript.find((item) => item.kind === 'you' && item.n)
  return run.title || titled(first?.text || first?.files?.[0]?.name || '')
}

/** Puts the messages of a kept conversation, or the first ones of them, into an empty run. */
export function recall(run, said, { worker = '', title = '' } = {}, end = said.length) {
  run.resumed = true
  const first = said.find((s) => s.n)
  if (title !== titled(first?.text || first?.files?.[0] || '')) run.title = title
  for (const s of said.slice(0, end)) {
    const stopped = s.error?.code === 'E_INTERRUPTED'
    if (s.who === 'you') say(run, 'you', { text: s.text ?? '', n: s.n, files: s.files?.map((name) => ({ name })) })
    else if (s.who === 'golem') say(run, 'golem', { said: { text: s.text, live: false } })
    else if (s.who === 'thought') say(run, 'thought', { said: { text: s.text, live: false, spent: s.spent ?? null } })
    else if (s.who === 'tool') {
      const c = call(run, s.id, {})
      Object.assign(c, { name: s.tool, args: parsed(s.args), result: s.text, error: s.error ?? null, ms: null, status: stopped ? 'stopped' : s.error ? (s.error.code === 'E_DENIED' ? 'denied' : 'error') : s.done ? 'ok' : 'pending' })
      say(run, 'call', { id: s.id })
    } else if (stopped) say(run, 'notice', { level: 'warn', text: 'stopped; the conversation goes on' })
    else say(run, 'notice', { level: s.error ? 'error' : 'info', text: s.error ? faultText(s.error) : s.text })
  }
  if (run.calls.size) call(run).name = worker
  return run
}

/** Returns the value of a JSON text; a text that is no JSON stays a text. */
function parsed(text) {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Adds an item; a message of the person gets the next number, unless rest says another one. */
export const say = (run, kind, rest) => {
  const n = kind === 'you' && rest.text !== '/new' ? { n: messages(run) } : null
  run.transcript.push({ kind, key: (run.said = (run.said ?? -1) + 1), ...n, ...rest })
}

/** Adds a call to the transcript. The calls of one turn may begin in any order; they are shown in the order of their ids. */
export function called(run, id) {
  say(run, 'call', { id })
  const list = run.transcript
  let at = list.length - 1
  while (at > 0 && list[at - 1].kind === 'call' && byID(list[at - 1].id, id) > 0) at--
  list.splice(at, 0, list.pop())
}

/** Returns the number of the person's next message. */
export const messages = (run) => run.transcript.filter((item) => item.n).length + 1

/** Adds a text that the person typed in a conversation; waits: while an exchange ran. It gets a number when an event says that it is a message, not a command or an answer to a form. */
export const type = (run, text, files, waits = false) => say(run, 'you', { text, n: undefined, typed: true, files, waits })

/** Reports whether a text is a command of a conversation and not a message, as ui.ParseCommand does. */
export const isCommand = (text) => /^\/[^ /.\n]+( |$)/.test(text.trim())

/** Adds the input with which a run begins. A conversation can begin with a command: the arguments of /tool are no message and get no number. After another command, the message is in the transcript already. */
export function begun(run, e) {
  const input = plain(e.input)
  const text = typeof input === 'object' && input ? run.sent?.text ?? JSON.stringify(input) : shown(input)
  const typed = run.transcript.findLast((item) => item.typed && !item.n)
  if (typed && !isCommand(typed.text)) Object.assign(typed, { text, n: messages(run) })
  if (typed) return
  const command = run.sent?.talks && isCommand(run.sent.text)
  say(run, 'you', { text: command ? run.sent.text : text, files: run.sent?.attachments ?? e.files, ...(command && { n: undefined }) })
}

/** Shows a message that was sent while an exchange ran and has reached the model now. It has no number. */
export function steered(run, e) {
  const typed = run.transcript.findLast((item) => item.typed && !item.n && !item.steering && item.text === e.text)
  const last = run.transcript.at(-1)
  if (typed) typed.steering = true
  else if (last?.kind !== 'you' || last.text !== e.text) say(run, 'you', { text: e.text, n: undefined, files: e.files, steering: true })
}

/** Takes the person's message n and what follows it out of the transcript: the conversation goes on before it. */
export function backTo(run, n) {
  const at = run.transcript.findIndex((item) => item.kind === 'you' && item.n === n)
  if (at < 0) return
  settle(run)
  run.transcript.length = at
}

/** Marks all texts of workers as complete, at the end of an exchange. */
export function settle(run) {
  for (const c of run.calls.values()) {
    for (const s of c.says) s.live = false
    reasoned(c)
  }
}

/** Marks the reasoning of a turn as complete. */
export function reasoned(c) {
  if (c.thought) c.thought.live = false
  c.thought = null
}

/** Returns the message of a worker in a turn, to which text is added. Messages of the root are in the transcript. */
export function speaking(run, c, turn) {
  let s = c.says.at(-1)
  if (!s || !s.live || s.turn !== turn) {
    s = { turn, text: '', live: true }
    c.says.push(s)
    if (c.id === '0') say(run, 'golem', { said: s })
  }
  return s
}

/** Adds a notice, which its call has, too. */
export function notice(run, e, level, text) {
  const n = { level, text }
  // Every event but a status makes its call known, except the root's, which can come before it begins.
  const about = e.id && e.id !== '0' && e.type !== 'status' ? call(run, e.id, e) : run.calls.get(e.id || '0')
  about?.notices.push(n)
  say(run, 'notice', { ...n, worker: e.worker, depth: e.depth ?? 0 })
}
