// The service worker, which keeps the page's files so that it opens without a network. It keeps all
// files of a build together, so that a page never gets files of two builds.
const version = VERSION
const files = FILES
const later = LATER // files that few people need: they are kept after the first request
const mine = `golem ${registration.scope} ` // an origin may have several copies of the page
const name = mine + version

addEventListener('install', (event) => {
  event.waitUntil(
    caches.open(name).then(async (cache) => {
      await cache.addAll(['./', ...files].map((f) => new Request(f, { cache: 'no-cache' })))
      await unpack(cache, 'golem.wasm.gz').catch(() => {}) // if it fails, for example for lack of room, the file stays compressed
    }).then(() => skipWaiting()),
  )
})

/** Replaces a compressed module in the cache by the decompressed one. A page then compiles it directly from the response, without parts of it in its own memory. */
async function unpack(cache, file) {
  const [begin, whole] = (await cache.match(file)).body.tee()
  const reader = begin.getReader()
  const first = (await reader.read()).value?.[0]
  reader.cancel()
  if (first !== 0x1f && first !== 0) throw new Error('neither packed nor a module')
  const body = first ? whole.pipeThrough(new DecompressionStream('gzip')) : whole // some servers decompress .gz themselves
  await cache.put(file, new Response(body, { headers: { 'Content-Type': 'application/wasm', 'Golem-Unpacked': '1' } }))
}

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
  if (request.method !== 'GET' || url.origin !== location.origin) return
  event.respondWith(
    caches.open(name).then((cache) => cache.match(request, { ignoreSearch: true })).then((kept) => kept ?? other(request, url)),
  )
})

/** Answers a request for a file that is not in this build's cache: one of later, or a part of the earlier build that an open page uses. */
async function other(request, url) {
  if (!later.some((f) => new URL(f, registration.scope).href === url.href)) {
    return (await caches.match(request, { ignoreSearch: true })) ?? fetch(request)
  }
  const response = await fetch(request)
  if (response.ok) await (await caches.open(name)).put(request, response.clone()).catch(() => {}) // the storage is full
  return response
}
