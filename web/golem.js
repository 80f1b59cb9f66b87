/**
 * golem in a web page: runs LLM workers in this tab, files in the browser's
 * own storage, no backend. This module is the only thing that speaks to the
 * worker that golem.wasm runs in.
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
 * It needs https or localhost, and golem.wasm (or golem.wasm.gz), golem-worker.js
 * and, for custom tools, golem-tool.js, for functions of the page and device: golem-provide.js beside it, in browsers without JavaScript
 * Promise Integration golem-wazero.js and golem-wazero.wasm (or .gz). Everything it throws is a GolemError with a stable code.
 * @module
 */
import { GolemError } from './golem/error.js'
import { Golem } from './golem/golem.js'
import { checked, Link } from './golem/link.js'
import { compiled, ok } from './golem/load.js'
import { Run } from './golem/run.js'

export { Golem, GolemError, Run }

/**
 * Starts golem. Resolves when it is ready for the first run.
 * @param {{base?: string|URL, progress?: (text: string) => void, signal?: AbortSignal}} [options]
 *   base: where golem.wasm and golem-worker.js lie, with a slash at its end; default: beside this module.
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
