// Calls the tool count of the Go module as a page without golem would: on the browser's engine,
// in the window itself, with a minimal WASI, and without guard, limits or grants.
globalThis.plainCommand = async (bytes, calls) => {
  const args = ['words.wasm', 'call', 'count'].map((a) => new TextEncoder().encode(a + '\0'))
  const done = new Error('it has ended')
  const times = []
  let begun = performance.now()
  const module = await WebAssembly.compile(bytes)
  for (let i = 0; i < calls; i++) {
    const stdin = new TextEncoder().encode('{"text":"to be or not to be"}')
    const decoder = new TextDecoder()
    let memory, read = 0, output = '', code = -1
    const view = () => new DataView(memory.buffer)
    const number = (at, n) => (view().setUint32(at, n, true), 0)
    const buffers = (at, n) => Array.from({ length: n }, (_, i) => new Uint8Array(memory.buffer, view().getUint32(at + 8 * i, true), view().getUint32(at + 8 * i + 4, true)))
    const wasi = {
      sched_yield: () => 0,
      proc_exit: (c) => { code = c; throw done },
      args_sizes_get: (n, size) => number(n, args.length) || number(size, args.reduce((sum, a) => sum + a.length, 0)),
      args_get: (list, at) => {
        for (const [i, a] of args.entries()) {
          number(list + 4 * i, at)
          new Uint8Array(memory.buffer).set(a, at)
          at += a.length
        }
        return 0
      },
      environ_sizes_get: (n, size) => number(n, 0) || number(size, 0),
      environ_get: () => 0,
      clock_time_get: (_id, _precision, at) => (view().setBigUint64(at, BigInt(Date.now()) * 1_000_000n, true), 0),
      random_get: (at, n) => (crypto.getRandomValues(new Uint8Array(memory.buffer, at, n)), 0),
      poll_oneoff: () => 52,
      fd_close: () => 0,
      fd_fdstat_get: (fd, at) => (fd > 2 ? 8 : (new Uint8Array(memory.buffer, at, 24).fill(0), 0)),
      fd_fdstat_set_flags: () => 0,
      fd_prestat_get: () => 8,
      fd_prestat_dir_name: () => 8,
      fd_read: (_fd, at, n, size) => {
        let total = 0
        for (const b of buffers(at, n)) {
          const part = stdin.subarray(read, read + b.length)
          b.set(part)
          read += part.length
          total += part.length
        }
        return number(size, total)
      },
      fd_write: (fd, at, n, size) => {
        let total = 0
        for (const b of buffers(at, n)) {
          output += decoder.decode(b)
          total += b.length
        }
        return number(size, total)
      },
    }
    const none = new Proxy({}, { get: () => () => { throw new Error('not offered') } })
    const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: wasi, 'extism:host/env': none, 'extism:host/user': none })
    memory = instance.exports.memory
    try {
      instance.exports._start()
      code = 0
    } catch (e) {
      if (e !== done) throw e
    }
    if (code !== 0 || !output.includes('"words":6')) throw new Error('wrong: ' + code + ' ' + output)
    times.push(performance.now() - begun)
    begun = performance.now()
  }
  return times.join(' ')
}
