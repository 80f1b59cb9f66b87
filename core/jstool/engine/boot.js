// boot.js runs once, when make jsengine builds the engine: each instance of a tool begins with
// the memory that it leaves. It offers the object golem and a console. The function that it
// returns runs in each instance, before a tool's own code: it reads the archive, and turns what
// a function of the tool returns into the result of a call.
(() => {
  'use strict'
  const {parse, stringify} = JSON
  const toBytes = (data) => (data instanceof Uint8Array ? data : String(data))

  // text decodes UTF-8; a wrong byte becomes U+FFFD, as TextDecoder does it.
  const text = (bytes) => {
    let out = '', part = []
    for (let i = 0; i < bytes.length;) {
      const b = bytes[i++]
      let c = b, more = 0, least = 0
      if (b >= 0xf0 && b < 0xf5) [c, more, least] = [b & 7, 3, 0x10000]
      else if (b >= 0xe0) [c, more, least] = b < 0xf0 ? [b & 15, 2, 0x800] : [0xfffd, 0, 0]
      else if (b >= 0xc2) [c, more, least] = [b & 31, 1, 0x80]
      else if (b >= 0x80) c = 0xfffd
      for (; more > 0; more--) {
        const next = bytes[i]
        const value = (c << 6) | (next & 63)
        if ((next & 0xc0) !== 0x80 || (more === 1 ? value < least || (value >> 11) === 27 || value > 0x10ffff : false)) {
          c = 0xfffd
          break
        }
        c = value
        i++
      }
      part.push(c)
      if (part.length === 4096) {
        out += String.fromCodePoint(...part)
        part = []
      }
    }
    return out + String.fromCodePoint(...part)
  }

  // shown returns a value as console.log shows it.
  const shown = (v) => {
    if (typeof v === 'string') return v
    if (v instanceof Error) return v.stack ? `${v}\n${v.stack}`.trimEnd() : String(v)
    if (typeof v === 'object' && v !== null || typeof v === 'function') {
      try {
        const s = stringify(v)
        if (s !== undefined) return s
      } catch {}
    }
    return typeof v === 'symbol' || typeof v === 'bigint' ? v.toString() : String(v)
  }

  // result returns the answer of a call in the form of MCP.
  const result = (name, value) => {
    if (value === undefined) return {content: []}
    if (typeof value === 'string') return {content: [{type: 'text', text: value}]}
    if (value !== null && typeof value === 'object' && typeof value.toJSON !== 'function' && Array.isArray(value.content) && value.content.every((c) => c && typeof c.type === 'string')) return value
    let data, copy
    try {
      data = stringify(value)
      if (data !== undefined) copy = parse(data)
    } catch (e) {
      if (e instanceof RangeError && e.message.endsWith('nested too deep for JSON')) throw new RangeError(`${name} returned data that is nested too deep: a result may have 512 levels`)
      throw e
    }
    if (data === undefined || typeof value === 'bigint') throw new TypeError(`${name} returned a ${typeof value}, which is no JSON: return a string, a number, a boolean, a list or an object`)
    return {content: [], structuredContent: copy}
  }

  // run imports the tool, and returns its description or what its function returned, as JSON.
  const run = async (archive, asked, input) => {
    const ns = await import(archive.entry)
    if (asked === 'describe') return stringify({tools: archive.tools ?? ns.tools ?? []})
    const {name, arguments: args} = parse(input).params
    const how = (archive.tools ?? []).find((t) => t.name === name)
    const f = ns[name] ?? (ns.default && ns.default[name])
    if (typeof f !== 'function') throw new TypeError(`${archive.entry} exports no function ${name}`)
    const value = how && how.positional ? f(...how.positional.map((p) => args[p])) : f(args)
    return stringify(result(name, await value))
  }

  return (host) => {
    Object.defineProperty(Math, 'random', {value: host.random, writable: true, configurable: true})
    const log = (level) => (...values) => host.log(level, values.map(shown).join(' '))
    globalThis.console = {log: log(0), info: log(0), debug: log(0), warn: log(1), error: log(2)}
    globalThis.golem = Object.freeze({
      // call calls a tool or worker that the running worker may call, and returns its result.
      call(name, args = {}) {
        const answer = host.call(String(name), stringify(args))
        let value
        try {
          value = parse(answer)
        } catch {
          return answer
        }
        if (value && typeof value === 'object' && value.error && typeof value.error.code === 'string') {
          const e = new Error(`${value.error.code}: ${value.error.message}`)
          e.code = value.error.code
          if (value.error.hint) e.hint = value.error.hint
          throw e
        }
        return value
      },
      config: (key) => host.config(String(key)),
      log: log(0),
      http({url, method = 'GET', headers = {}, body} = {}) {
        const [status, answered, bytes] = host.http(stringify({url, method, headers}), body === undefined ? undefined : toBytes(body))
        return {status, headers: answered ? parse(answered) : {}, bytes, get text() { return text(bytes) }, json: () => parse(text(bytes))}
      },
      files: Object.freeze({
        read: (path) => text(host.read(String(path))),
        readBytes: (path) => host.read(String(path)),
        write: (path, data) => host.write(String(path), toBytes(data)),
        list: (path = '.') => host.list(String(path)).sort(),
        info(path) {
          const found = host.info(String(path))
          return found && {kind: found[0], size: found[1]}
        },
        exists: (path) => host.info(String(path)) !== undefined,
        makeDirectory: (path) => host.makeDirectory(String(path)),
        remove: (path) => host.remove(String(path)),
      }),
    })
    return (asked, input) => {
      const archive = parse(host.archive())
      const files = archive.files
      Object.defineProperty(globalThis, '\x01source', {
        value: (name) => {
          if (archive.compiled && name === archive.entry) return null
          if (Object.hasOwn(files, name)) return name.endsWith('.json') ? `export default ${files[name]}` : files[name]
          throw new ReferenceError(`there is no file ${name} in this tool`)
        },
      })
      return run(archive, asked, input)
    }
  }
})()
