// A worker for many inputs, as golem batch.

/** A batch that runs: iterate over it for events of progress, and await result. */
export class Batch {
  #run

  constructor(run) {
    this.#run = run
    /** A promise of how it ended: {batch, out, status, exit, summary, text, staged, shared, error}. Rejects if it could not begin or golem has stopped. */
    this.result = run.result
  }

  /** Stops the batch, as Ctrl+C. golem.batch with its name goes on where it was. */
  stop() {
    this.#run.cancel()
  }

  /** Yields {type: 'batch', batch, counts, failures, ended, ms, rate, left_ms, cost, line}. Leaving the loop early stops the batch. */
  [Symbol.asyncIterator]() {
    return this.#run[Symbol.asyncIterator]()
  }
}

/** Returns inputs as the web worker takes them: where they are, and their content. */
export function inputsOf(inputs) {
  if (inputs === undefined) return {}
  if (typeof inputs === 'string') return { inputs: { path: inputs } }
  const { name, data } = Array.isArray(inputs) ? { name: '-', data: inputs.map((one) => JSON.stringify(one)).join('\n') } : inputs
  return { inputs: { name }, bytes: typeof data === 'string' ? new TextEncoder().encode(data) : data }
}

/** Returns the methods for the batches of a project. @param {(options: object, more: object) => Batch} start */
export function batchesOf(link, name, start) {
  const ask = (action, batch, { signal, ...how } = {}, more = {}) => link.ask('batches', { ...how, ...more, project: name, action, batch }, { signal })
  return {
    list: (how) => ask('list', '', how),
    show: (batch, how) => ask('show', batch, how),
    /** @param {{status?: string, code?: string, item?: string, from?: number, most?: number}} [how] most: at most 1,000 */
    items: (batch, how) => ask('items', batch, how),
    results: (batch, how) => ask('results', batch, how),
    trace: (batch, item, how) => ask('trace', batch, how, { item }),
    questions: (batch, how) => ask('questions', batch, how),
    covers: (batch, question, when = null, how = {}) => ask('covers', batch, how, { question, when }),
    answer: (batch, answer, { signal } = {}) => ask('answer', batch, { signal }, { ...answer, rule: answer.when !== undefined }),
    cancel: (batch, how) => ask('cancel', batch, how),
    remove: (batch, how) => ask('remove', batch, how),
    retry: (batch, { failed = false, ...options } = {}) => start({ ...options, name: batch }, { again: true, failed }),
  }
}
