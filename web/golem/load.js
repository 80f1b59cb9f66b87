// Loads golem.wasm, compressed or not.
import { GolemError } from './error.js'

/** Returns the response if its status is a success, and else throws E_PLATFORM with its URL. */
export function ok(response) {
  if (!response.ok) throw new GolemError({ code: 'E_PLATFORM', message: `${response.url} cannot be read (${response.status})`, hint: 'is the whole of web/dist on the server?' })
  return response
}

/** Loads golem.wasm and compiles it, while it loads or from the cache of sw.js. It loads golem.wasm.gz if the server has it, and decompresses it unless the server or sw.js did. */
export async function compiled(base, progress, signal) {
  progress?.('loading golem')
  const module = await kept(base)
  if (module) return module
  let response = await fetch(new URL('golem.wasm.gz', base), { signal }).catch(() => null)
  if (!response?.ok) response = ok(await fetch(new URL('golem.wasm', base), { signal }))
  if (response.headers.has('Golem-Unpacked')) return WebAssembly.compileStreaming(response) // by sw.js
  const length = response.headers.has('Content-Encoding') ? 0 : Number(response.headers.get('Content-Length'))
  const { packed, stream } = await looked(response.body, (got) => length && progress?.(`loading golem, ${Math.floor((100 * got) / length)} %`))
  return WebAssembly.compileStreaming(new Response(packed ? stream.pipeThrough(new DecompressionStream('gzip')) : stream, { headers: { 'Content-Type': 'application/wasm' } }))
}

/**
 * Compiles golem.wasm from what sw.js has in its cache, or returns null if it has none of this build.
 * The browser needs a third of the time that it needs for a response of sw.js, which goes from process to
 * process. Scripts of the origin can write to the cache, so the module must have the digest of this build.
 */
async function kept(base) {
  if (!globalThis.navigator?.serviceWorker?.controller) return null // a first start, or a page without sw.js
  try {
    for (const cacheName of (await caches.keys()).reverse()) {
      const found = cacheName.startsWith('golem ') && (await caches.match(new URL('golem.wasm.gz', base), { cacheName }))
      if (!found || found.headers.get('Golem-Unpacked') !== MODULE) continue
      const bytes = await found.arrayBuffer()
      const both = Promise.all([crypto.subtle.digest('SHA-256', bytes), WebAssembly.compile(bytes)]) // each has a copy
      bytes.transfer?.(0) // frees it now
      const [sum, module] = await both
      if ([...new Uint8Array(sum, 0, 16)].map((b) => b.toString(16).padStart(2, '0')).join('') === MODULE) return module
    }
  } catch {
    // the browser refuses the cache, for example in a private window
  }
  return null
}

/** Returns body as a stream, and whether it is compressed. The first bytes show that, because some servers decompress .gz themselves. told gets the number of bytes so far. */
async function looked(body, told) {
  const reader = body.getReader()
  let head = new Uint8Array()
  let got = 0
  const more = async () => {
    const { done, value } = await reader.read()
    if (!done) told((got += value.length))
    return done ? null : value
  }
  for (let next; head.length < 2 && (next = await more()); ) head = new Uint8Array([...head, ...next])
  const stream = new ReadableStream({
    start: (to) => to.enqueue(head),
    async pull(to) {
      const next = await more()
      if (next) to.enqueue(next)
      else to.close()
    },
    cancel: (why) => reader.cancel(why),
  })
  return { packed: head[0] === 0x1f && head[1] === 0x8b, stream }
}
