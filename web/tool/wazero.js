// The web worker in which golem-wazero.wasm (cmd/wasm/wazero) runs. web/build puts Go's
// wasm_exec.js before it. The first message has the program. Messages that come before the
// program is ready wait.
onmessageerror = () => postMessage({ broke: true })
postMessage({ here: true }) // without this message golem starts another worker

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
