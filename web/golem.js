/**
 * golem in a web page: runs LLM workers in this tab, with files in the browser's
 * own storage and without a backend. Only this module talks to the web worker in
 * which golem.wasm runs.
 *
 *   import { createGolem } from './golem.js'
 *   const golem = await createGolem()
 *   const there = (await golem.list()).some((p) => p.name === 'hello')
 *   if (!there) await golem.create('hello', { 'main.worker': '---\nmodel: openai:gpt-5-mini\n---\nGreet.' })
 *   const run = golem.run('hello', 'Ada', { env: { OPENAI_API_KEY }, approve: async (request) => ({ answer: 'no' }) })
 *   for await (const event of run) console.log(event.type)
 *   console.log((await run.result).text)
 *
 * Leaving the loop over a run cancels the run.
 *
 * It needs https or localhost. Beside it must be golem.wasm (or golem.wasm.gz) and
 * golem-worker.js; for custom tools golem-tool-….js, or in browsers without JavaScript
 * Promise Integration golem-wazero-….js and golem-wazero-….wasm (or .gz); for functions of the
 * page and the model device: golem-provide-….js. Everything it throws is a GolemError with a
 * stable code.
 * @module
 */
import { Batch } from './golem/batch.js'
import { GolemError } from './golem/error.js'
import { Golem } from './golem/golem.js'
import { checked, Link } from './golem/link.js'
import { compiled, ok } from './golem/load.js'
import { Run } from './golem/run.js'

export { Batch, Golem, GolemError, Run }

/**
 * Starts golem. Resolves when it is ready for the first run.
 * @param {{base?: string|URL, progress?: (text: string) => void, signal?: AbortSignal}} [options]
 *   base: the URL of the directory of golem.wasm and golem-worker.js, with a slash at its end; default: that of this module.
 * @returns {Promise<Golem>}
 */
export async function createGolem(options = {}) {
  const { progress, signal } = options
  checked(signal)
  let link, url
  const abort = () => link?.end('it was cancelled')
  signal?.addEventListener('abort', abort)
  try {
    const base = new URL(options.base ?? './', import.meta.url)
    const [script, wasm] = await Promise.all([
      fetch(new URL('golem-worker.js', base), { signal }).then(ok).then((r) => r.text()),
      compiled(base, progress, signal),
    ])
    progress?.('starting golem')
    url = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }))
    checked(signal)
    link = new Link(new Worker(url, { name: 'golem' }))
    link.begin(wasm, base.href)
    await link.started
    return new Golem(link, await link.ask('hello'))
  } catch (e) {
    checked(signal)
    if (e instanceof GolemError) throw e
    throw new GolemError({ code: 'E_PLATFORM', message: `golem cannot be loaded: ${e.message}`, hint: 'check the connection and reload the page' })
  } finally {
    signal?.removeEventListener('abort', abort)
    if (url) URL.revokeObjectURL(url)
  }
}
