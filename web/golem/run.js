/**
 * @typedef {object} RunOptions
 * @property {string} [model] provider:name; default the project's own
 * @property {string} [approval] interactive, approve_all, auto_deny
 * @property {string} [entry] another worker than the project's entry
 * @property {number} [maxDepth]
 * @property {number} [maxTurns] the same as limits.turns
 * @property {Record<string, unknown>} [modelSettings] settings of the models for the run, e.g. {temperature: 0.2, max_output_tokens: 4000}
 * @property {Record<string, string|number>} [limits] limits of the run, e.g. {turns: 20, cost: 0.5, tool_timeout: '1m', tool_output: '10KB'}
 * @property {string} [resume] goes on with this kept conversation instead of beginning one; '' is the newest
 * @property {number} [at] with resume: goes on before the person's message of this number, as a branch
 * @property {boolean} [strict] any denied call or failed worker makes the exit code 1
 * @property {boolean} [trust] yes, for this run, to what the project's files say beyond its sandbox
 * @property {string} [config] the person's own configuration, the text of a config.yaml
 * @property {Record<string, string>} [env] keys and addresses, e.g. OPENAI_API_KEY; kept in no file
 * @property {Record<string, string>} [secrets] what the person keeps under names, for modules that a project gives {secret: NAME}; kept in no file
 * @property {{name: string, data: ArrayBuffer|ArrayBufferView}[]} [attachments]
 * @property {(request: Request, signal: AbortSignal) => Promise<{answer: 'yes'|'no'|'session'|'always'|'never', reason?: string, text?: string}|null>} [approve]
 *   asked before a side effect, and before a run for what the project's files say beyond its sandbox; null says that
 *   nobody is there; without it whatever would ask is denied; signal aborts when the question is
 *   withdrawn or the run is cancelled: then no answer counts any more
 * @property {(artifact: {name: string, data: string}) => void} [artifact]
 *   given whole prompts, inputs and outputs as JSON, named by call: 0.2.prompt.json
 * @property {AbortSignal} [signal] ends the run, as Run.cancel does
 * @property {boolean} [trace] false keeps no trace in the project
 * @property {boolean} [prompts] keeps each worker's messages beside the trace, to be read by golem.prompts
 */

/**
 * A question to the person. One is open at a time; the answer is bound to its id.
 * @typedef {object} Request
 * @property {string} id
 * @property {'tool'|'input'|'turns'|'trust'} kind a call of a tool; a text for a worker that asks, which is text beside answer 'yes'; whether to go on past limits.turns; what a project's files say beyond its sandbox
 * @property {string[]} answers those that count: yes and no, for a call also session, never and maybe always and keep
 * @property {'low'|'medium'|'high'} risk
 * @property {string} [call] the trace id of the call or worker run
 * @property {string[]} [workerPath] IDs from the root
 * @property {string} [title] of kinds other than tool: the question
 * @property {{path: string, value: string, means?: string, where?: string}[]} [lines] what a yes covers
 * @property {string} [tool] of a call: its name
 * @property {string} [type] tool_call, file_write or command
 * @property {string} [description]
 * @property {string} [module] of a custom tool: its file and digest
 * @property {{name: string, value: string}[]} [grants] all that the module was given: files, hosts, keys of config
 * @property {object} [args] what will run
 * @property {{op: string, mount?: string, path: string}[]} [paths]
 * @property {string} [diff] the change to a file, unified
 * @property {boolean} [unchanged] the file has the content that the call would write
 * @property {string} [rule] the setting that asks
 * @property {{says: string, yaml: string}} [lasting] the rule that the answer keep saves for this project in this browser: show it whole before that answer is given
 * @property {string} [why] why the person is asked, in plain words
 */

/** A run or conversation under way: iterate it for its events, await result. */
export class Run {
  #post
  #options
  #queue = []
  #wakes = [] // of loops that wait
  #over = false
  #fault = null // why it could not begin
  #gone = new AbortController()
  #open = new Map() // questions that wait, by request id
  #loans = new Map() // calls of functions of the page, by number

  /** Made by golem.run, chat, resume and call. lend gets what the worker's messages do to it. */
  constructor(post, options, lend) {
    this.#post = post
    this.#options = options
    /** How it ended: {run, status, exit, text, output, error, denied, failed}. Rejects only if it could not begin. */
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
    this.result.catch(() => {}) // whoever wants it awaits it
  }

  #wake() {
    for (const wake of this.#wakes.splice(0)) wake()
  }

  #take(m) {
    if (m.events) {
      this.#queue.push(...m.events.map((line) => JSON.parse(line)))
      this.#wake()
    } else if (m.artifact) {
      this.#options.artifact(m.artifact)
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

  /** Every question has an id and an answer of its own; one that was withdrawn takes none. */
  async #answer(request) {
    let decision = { answer: 'no' } // a front end that breaks is a denial
    const withdrawn = new AbortController()
    this.#open.set(request.id, withdrawn)
    try {
      decision = await this.#options.approve(request, AbortSignal.any([this.#gone.signal, withdrawn.signal]))
    } catch {
      // It is told where it broke.
    }
    this.#open.delete(request.id)
    if (withdrawn.signal.aborted) return
    const { answer, reason, text } = decision ?? { answer: 'nobody' }
    try {
      this.#post({ answer: { answer, reason, text, id: request.id } })
    } catch { // what it gave is no text
      this.#post({ answer: { answer: 'no', id: request.id } })
    }
  }

  /** Ends it: model, tools and children stop, the trace ends properly. */
  cancel() {
    if (this.#over) return
    this.#gone.abort()
    this.#post({ cancel: true })
  }

  /** Ends the exchange of a conversation that is under way; the conversation goes on. */
  stop() {
    this.#post({ stop: true })
  }

  /** Says something in a conversation. */
  send(text) {
    this.#post({ say: String(text) })
  }

  /** Ends a conversation. */
  end() {
    this.#post({ end: true })
  }

  /** Its events, each once, whichever loop takes it. Leaving the loop early cancels it; one that could not begin throws what result rejects with. */
  async *[Symbol.asyncIterator]() {
    try {
      for (;;) {
        while (this.#queue.length) yield this.#queue.shift()
        if (this.#fault) throw this.#fault
        if (this.#over) return
        await new Promise((resolve) => this.#wakes.push(resolve))
      }
    } finally {
      this.cancel()
    }
  }
}
