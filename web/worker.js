// The worker that golem.wasm runs in. It is started from a blob URL, so that it
// inherits the page's content security policy; build.go puts Go's wasm_exec.js
// and opfs.js before it.

// golemTurn resolves once JavaScript has had its turn: messages are taken then.
// A timer would wait for milliseconds.
globalThis.golemTurn = (() => {
  const { port1, port2 } = new MessageChannel()
  const waiting = []
  port1.onmessage = () => waiting.shift()()
  return () => new Promise((resolve) => {
    waiting.push(resolve)
    port2.postMessage(0)
  })
})()

onmessage = async ({ data }) => {
  if (!data.wasm) return
  onmessage = null
  globalThis.golemTools = data.tools
  const go = new Go()
  try {
    const { instance } = await WebAssembly.instantiate(data.wasm, go.importObject).then((r) => (r instanceof WebAssembly.Instance ? { instance: r } : r))
    globalThis.golemMemory = () => instance.exports.mem
    go.run(instance).then(() => postMessage({ fatal: 'golem has ended' }), (e) => postMessage({ fatal: String(e) }))
    onmessage = (m) => globalThis.golemReceive(m.data)
  } catch (e) {
    postMessage({ fatal: String(e) })
  }
}
