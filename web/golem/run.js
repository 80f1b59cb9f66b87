import { GolemError } from './error.js'

/**
 * A question to the person. One is open at a time; an answer counts only for the id of its question.
 * @typedef {object} Request
 * @property {string} id
 * @property {'tool'|'input'|'turns'|'trust'} kind tool: a call of a tool; input: a worker asks for a text, which is the text beside the answer 'yes'; turns: whether to go on past limits.turns; trust: settings of a project that reach beyond its sandbox
 * @property {string[]} answers the possible answers: yes and no, for a call also session, never and maybe always and keep
 * @property {'low'|'medium'|'high'} risk
 * @property {string} [call] the trace id of the call or worker run
 * @property {string[]} [workerPath] IDs from the root
 * @property {string} [title] of kinds other than tool: the question
 * @property {{path: string, value: string, means?: string, where?: string}[]} [lines] what the person says yes to
 * @property {string} [tool] of a call: its name
 * @property {string} [type] tool_call, file_write or command
 * @property {string} [description]
 * @property {string} [module] of a custom tool: its file and digest
 * @property {{name: string, value: string}[]} [grants] all that the module was given: files, hosts, keys of config
 * @property {object} [args] the arguments of the call
 * @property {Record<string, string>} [shown] the JSON of each argument that is not a string: show this to the person, because a JavaScript number does not keep all digits
 * @property {{op: string, mount?: string, path: string}[]} [paths]
 * @property {string} [diff] the change to a file, unified
 * @property {boolean} [unchanged] the file has the content that the call would write
 * @property {string} [rule] the setting because of which the person is asked
 * @property {{says: string, yaml: string}} [lasting] the rule that the answer keep saves for this project in this browser: show all of it before the person gives that answer
 * @property {string} [why] why the person is asked, in plain words
 */

/** All answers. One that is not among a request's answers counts for this call only, as on the command line. */
const known = ['yes', 'no', 'session', 'always', 'never', 'keep']

/** Returns what approve gave as the answer to a request. Throws E_USAGE if it is none. */
function answered(decision, request) {
  if (decision === null || decision === undefined) return { answer: 'nobody' }
  const { answer, reason, text } = decision
  const words = [reason, text].every((s) => ['undefined', 'string'].includes(typeof s))
  if (!words || !known.includes(answer)) throw new GolemError({ code: 'E_USAGE', message: `approve must give {answer, reason?, text?}, in which answer is one of ${request.answers.join(', ')}` })
  return { answer, reason, text }
}

/** A run or conversation: iterate over it for its events, and await result. */
export class Run {
  #post
  #options
  #queue = [] // lines of events; they are parsed when they are taken, so that many at once do not keep the page busy
  #taken = 0 // so many of them were taken
  #wakes = [] // functions that wake the loops that wait for events
  #over = false
  #ended = false // end was called
  #fault = null // why it could not begin
  #gone = new AbortController()
  #open = new Map() // AbortControllers of open questions, by request id
  #loans = new Map() // AbortControllers of open calls of functions of the page, by number

  /** Called by golem.run, chat, resume and call. lend gets the functions {take, finish, fail} that handle the worker's messages. */
  constructor(post, options, lend) {
    this.#post = post
    this.#options = options
    /** A promise of how it ended: {run, status, exit, text, output, error, denied, failed}. Rejects only if it could not begin or golem has stopped. */
    this.result = new Promise((resolve, reject) => {
      const last = (then) => (value) => {
        this.#over = true
        if (then === reject) this.#fault = value
        this.#gone.abort()
        this.#wake()
        then(value)
      }
      lend({ take: (m) => this.#take(m), finish: last(resolve), fail: last(reject) })
    })
    this.result.catch(() => {}) // a page need not await it: no unhandled rejection
  }

  #wake() {
    for (const wake of this.#wakes.splice(0)) wake()
  }

  #take(m) {
    if (m.events) {
      this.#queue = [...this.#queue.slice(this.#taken), ...m.events]
      this.#taken = 0
      this.#wake()
    } else if (m.artifact) {
      try {
        this.#options.artifact(m.artifact)
      } catch (e) {
        reportError(e) // as of a listener; the run goes on
      }
    } else if (m.ask) {
      this.#answer(m.ask)
    } else if (m.lend) {
      this.#call(m.lend)
    } else if (m.unlend) {
      this.#loans.get(m.unlend)?.abort()
    } else {
      this.#open.get(m.withdrawn)?.abort()
    }
  }

  /** Calls a function of the page; its signal aborts when the call has ended or the run is cancelled. */
  async #call(asked) {
    const { n } = asked
    const stop = new AbortController()
    const signal = AbortSignal.any([this.#gone.signal, stop.signal])
    const post = (said) => signal.aborted || this.#post({ lent: { n, ...said } })
    this.#loans.set(n, stop)
    try {
      const { serve } = await this.#options.lender()
      if (!signal.aborted) await serve(this.#options.provided, asked, post, signal)
    } catch (e) {
      post({ error: { message: `golem-provide.js cannot be loaded: ${e.message}`, code: 'E_PLATFORM', hint: 'put all files of one version of golem side by side' } })
    }
    this.#loans.delete(n)
  }

  /** Asks the person a question with the option approve, and posts the answer with its id, unless the question was withdrawn. */
  async #answer(request) {
    const withdrawn = new AbortController()
    const signal = AbortSignal.any([this.#gone.signal, withdrawn.signal])
    this.#open.set(request.id, withdrawn)
    let decision
    try {
      decision = answered(await this.#options.approve(request, signal), request)
    } catch (e) { // an approver that breaks is a denial
      if (!signal.aborted) reportError(e)
      decision = { answer: 'failed' }
    }
    this.#open.delete(request.id)
    if (!withdrawn.signal.aborted) this.#post({ answer: { ...decision, id: request.id } })
  }

  /** Ends the run: model, tools and children stop, and the trace is completed. */
  cancel() {
    if (this.#over) return
    this.#gone.abort()
    this.#post({ cancel: true })
  }

  /** Ends the current exchange of a conversation; the conversation goes on. */
  stop() {
    this.#post({ stop: true })
  }

  /**
   * Sends the person's next message in a conversation, with files. While an exchange runs, the message reaches the model before its
   * next request; with after, and if it is a command, it waits for the end of the exchange. After the end of the conversation, or
   * after end(), it throws E_USAGE.
   * @param {string} text
   * @param {{attachments?: {name: string, data: ArrayBuffer | ArrayBufferView}[], after?: boolean}} [more]
   */
  send(text, { attachments = [], after = false } = {}) {
    if (this.#over || this.#ended) throw new GolemError({ code: 'E_USAGE', message: 'the conversation has ended', hint: 'go on with it with golem.resume' })
    this.#post({ say: String(text), after, attachments })
  }

  /** Sets what workers may do without a question, also while an exchange runs: 'ask', 'edits' or 'plan'. The event permission says that it holds. */
  permission(name) {
    this.#post({ permission: String(name) })
  }

  /** Ends a conversation. */
  end() {
    this.#ended = true
    this.#post({ end: true })
  }

  /** Yields the events; if several loops iterate, each event goes to one of them. Leaving a loop early cancels the run. If result rejects, the loop throws the same error. */
  async *[Symbol.asyncIterator]() {
    try {
      for (;;) {
        while (this.#taken < this.#queue.length) {
          const e = JSON.parse(this.#queue[this.#taken++])
          yield e.golem === 'trace' ? { type: 'trace', ...e } : e
        }
        if (this.#fault) throw this.#fault
        if (this.#over) return
        await new Promise((resolve) => this.#wakes.push(resolve))
      }
    } finally {
      this.cancel()
    }
  }
}
