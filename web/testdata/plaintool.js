// Calls the calculator's tool add as a page without golem would: on the browser's engine, in
// the window itself, without guard, limits or grants.
globalThis.plainTool = async (bytes, calls) => {
  const times = []
  let begun = performance.now()
  const module = await WebAssembly.compile(bytes)
  for (let i = 0; i < calls; i++) {
    const input = new TextEncoder().encode(JSON.stringify({ params: { name: 'add', arguments: { a: 2, b: 3 } } }))
    const memory = new DataView(new ArrayBuffer(1 << 16))
    let top = 8, output = ''
    const view = new DataView(input.buffer)
    const env = {
      input_length: () => BigInt(input.length), input_load_u8: (at) => view.getUint8(Number(at)), input_load_u64: (at) => view.getBigUint64(Number(at), true),
      alloc: (n) => { const at = top; top += Number(n) + 7 & ~7; return BigInt(at) },
      store_u8: (at, v) => memory.setUint8(Number(at), v), store_u64: (at, v) => memory.setBigUint64(Number(at), v, true),
      output_set: (at, n) => { output = new TextDecoder().decode(new Uint8Array(memory.buffer, Number(at), Number(n))) },
      error_set: () => { throw new Error('it failed') },
    }
    const instance = new WebAssembly.Instance(module, { 'extism:host/env': env })
    if (instance.exports.call() !== 0 || !JSON.stringify(JSON.parse(output)).includes('5')) throw new Error('wrong: ' + output)
    times.push(performance.now() - begun)
    begun = performance.now()
  }
  return times.join(' ')
}
