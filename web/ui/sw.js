// The service worker, which keeps the page's files so that it opens without a network. It keeps all
// files of a build together, so that a page never gets files of two builds. Scripts of the page's
// origin can write to the cache, but not to this file, which a browser takes only from the network.
// Therefore this file has the digests, and no file leaves the cache without a comparison.
const version = VERSION
const sums = SUMS // the first half of the SHA-256 of each file; of a compressed module also that of the module
const later = LATER // files that few people need: they are kept after the first request
const mine = `golem ${registration.scope} ` // an origin may have several copies of the page
const name = mine + version

/** The headers of a file's response that are kept. Others could lead the page elsewhere. */
const protecting = ['Content-Security-Policy', 'Cross-Origin-Embedder-Policy', 'Cross-Origin-Opener-Policy', 'Cross-Origin-Resource-Policy', 'Permissions-Policy', 'Referrer-Policy', 'X-Frame-Options']

const types = { css: 'text/css', gz: 'application/gzip', html: 'text/html', js: 'text/javascript', json: 'application/json', svg: 'image/svg+xml', webmanifest: 'application/manifest+json', zip: 'application/zip' }

addEventListener('install', (event) => {
  event.waitUntil(
    caches.open(name).then(async (cache) => {
      await Promise.all(Object.keys(sums).filter((f) => !later.includes(f)).map(async (f) => {
        const made = await genuine(f, await fetch(new Request(f === 'index.html' ? './' : f, { cache: 'no-cache' }))) // some servers redirect index.html
        if (!made) throw new Error(`${f} is not that of this build`)
        await cache.put(f, made)
      }))
      await unpack(cache, 'golem.wasm.gz').catch(() => {}) // if it fails, for example for lack of room, the file stays compressed
    }).then(() => skipWaiting()),
  )
})

/** Returns a response with the file, if its content has one of the digests for which right is true, else null. Its type does not come from the cache. */
async function genuine(file, response, right = (sum) => sums[file].includes(sum.slice(0, 32))) {
  if (!response.ok) return null
  const body = await response.arrayBuffer()
  const sum = [...new Uint8Array(await crypto.subtle.digest('SHA-256', body))].map((b) => b.toString(16).padStart(2, '0')).join('')
  if (!right(sum)) return null
  const headers = new Headers({ 'X-Content-Type-Options': 'nosniff', 'Content-Type': types[file.split('.').at(-1)] ?? 'application/octet-stream' })
  for (const h of protecting) if (response.headers.has(h)) headers.set(h, response.headers.get(h))
  if (new Uint8Array(body, 0, 4).join() === '0,97,115,109') { // decompressed, here or by a server
    headers.set('Content-Type', 'application/wasm')
    headers.set('Golem-Unpacked', sum.slice(0, 32)) // for web/golem/load.js
  }
  return new Response(body, { headers })
}

/** Replaces a compressed module in the cache by the decompressed one. A page then compiles it directly from the response, without parts of it in its own memory. */
async function unpack(cache, file) {
  const kept = await cache.match(file)
  if (kept.headers.has('Golem-Unpacked')) return
  const made = await genuine(file, plain(kept))
  if (made) await cache.put(file, made)
}

/** Returns the response with the decompressed module, if the module is compressed. */
const plain = (kept) => kept.headers.get('Content-Type') === types.gz ? new Response(kept.body.pipeThrough(new DecompressionStream('gzip')), { headers: kept.headers }) : kept

addEventListener('activate', (event) => {
  event.waitUntil(
    caches.keys()
      // The last build stays, because an open page may still load parts of it.
      .then((all) => Promise.all(all.filter((n) => n.startsWith(mine) && n !== name).slice(0, -1).map((n) => caches.delete(n))))
      .then(() => clients.claim()),
  )
})

addEventListener('fetch', (event) => {
  const { request } = event
  const url = new URL(request.url)
  if (request.method !== 'GET' || !url.href.startsWith(registration.scope)) return
  const file = url.pathname.slice(new URL(registration.scope).pathname.length) || 'index.html'
  if (Object.hasOwn(sums, file)) event.respondWith(ofThisBuild(request, file))
  else if (digested.test(file)) event.respondWith(ofEarlierBuild(request, file))
})

/** Answers with a file of this build: from the cache, or from the network if the cache lacks it or has another content. */
async function ofThisBuild(request, file) {
  const cache = await caches.open(name)
  const kept = await cache.match(file)
  const good = kept && await genuine(file, kept)
  if (good) return good
  if (kept) await cache.delete(file)
  const response = await fetch(request)
  const fresh = response.ok && await genuine(file, response.clone())
  if (fresh) await cache.put(file, fresh).catch(() => {}) // the storage is full
  return response
}

/** Names with a digest of the content, of a compressed program that of the program: parts that a page loads later. */
const digested = /-([0-9a-f]{20})\.[\w.]+$/

/** Answers a request of an open page of an earlier build. The digest in the name must be that of the content. */
async function ofEarlierBuild(request, file) {
  const [, begin] = digested.exec(file)
  for (const n of (await caches.keys()).filter((n) => n.startsWith(mine))) {
    const kept = await caches.match(new URL(file, registration.scope), { cacheName: n })
    const begins = (sum) => sum.startsWith(begin)
    const good = kept && ((await genuine(file, kept.clone(), begins)) ?? (await genuine(file, plain(kept), begins).catch(() => null))) // it may not be compressed
    if (good) return good
  }
  return fetch(request)
}
