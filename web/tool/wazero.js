// The worker that golem-wazero.wasm runs in: cmd/wasm/wazero. web/build puts
// Go's wasm_exec.js before it. The first message brings the program; calls that
// come before it listens wait.
onmessageerror = () => postMessage({ broke: true })
postMessage({ here: true }) // or golem starts another worker

onmessage = ({ data }) => {
  const early = []
  onmessage = (m) => early.push(m.data)
  globalThis.golemListens = (receive) => {
    onmessage = (m) => receive(m.data)
    early.forEach((m) => receive(m))
  }
  const go = new Go()
  WebAssembly.instantiate(data.program, go.importObject)
    .then((instance) => {
      globalThis.golemMemory = () => instance.exports.mem.buffer.byteLength
      return go.run(instance)
    })
    .then(() => postMessage({ broke: true }), () => postMessage({ broke: true }))
}
