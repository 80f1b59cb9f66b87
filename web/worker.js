// The worker that golem.wasm runs in. It is started from a blob URL, so that it
// inherits the page's content security policy; build.go puts Go's wasm_exec.js
// and opfs.js before it.
onmessage = async ({ data }) => {
  if (!data.wasm) return
  onmessage = null
  const go = new Go()
  // What a page's console needs is told to the page.
  try {
    const { instance } = await WebAssembly.instantiate(data.wasm, go.importObject).then((r) => (r instanceof WebAssembly.Instance ? { instance: r } : r))
    go.run(instance).then(() => postMessage({ fatal: 'golem has ended' }), (e) => postMessage({ fatal: String(e) }))
    onmessage = (m) => globalThis.golemReceive(m.data)
  } catch (e) {
    postMessage({ fatal: String(e) })
  }
}
