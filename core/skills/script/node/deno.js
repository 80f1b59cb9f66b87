// The part of Deno's global object that scripts of skills use.
import * as fs from './fs.js'
import path from './path.js'

class NotFound extends Error {}
class AlreadyExists extends Error {}
class PermissionDenied extends Error {}
const errors = {NotFound, AlreadyExists, PermissionDenied}

// found calls a function of fs, and throws the error of Deno where there is no such file.
function found(f, ...args) {
  try {
    return f(...args)
  } catch (e) {
    if (e && e.code === 'ENOENT') throw Object.assign(new NotFound(e.message), {name: 'NotFound', code: 'ENOENT'})
    throw e
  }
}

const stat = (file) => {
  const {size, isFile, isDirectory} = found(fs.statSync, file)
  return {size, isFile: isFile(), isDirectory: isDirectory(), isSymlink: false}
}
const entries = (dir) => found(fs.readdirSync, dir, {withFileTypes: true}).map((e) => ({name: e.name, isFile: e.isFile(), isDirectory: e.isDirectory(), isSymlink: false}))
const write = (file, data, options) => (options && options.append ? fs.appendFileSync(file, data) : fs.writeFileSync(file, data))

const sync = {
  readTextFile: (file) => found(fs.readFileSync, file, 'utf8'),
  readFile: (file) => found(fs.readFileSync, file),
  writeTextFile: write, writeFile: write, stat, lstat: stat,
  mkdir: (dir) => fs.mkdirSync(dir),
  remove: (file, options) => found(fs.rmSync, file, options),
  copyFile: (from, to) => fs.writeFileSync(to, found(fs.readFileSync, from)),
  realPath: (file) => path.resolve(file),
}

const {process} = globalThis
const out = {
  write: async (bytes) => out.writeSync(bytes),
  writeSync(bytes) {
    process.stdout.write(new TextDecoder().decode(bytes))
    return bytes.length
  },
  isTerminal: () => false,
}

export const Deno = {
  args: process.argv.slice(2), errors, build: {os: 'golem', arch: 'wasm32'}, version: {deno: '', v8: '', typescript: ''}, pid: 1, noColor: true,
  exit: (code) => process.exit(code),
  cwd: () => '/',
  env: {get: () => undefined, has: () => false, toObject: () => ({})},
  stdout: out, stderr: out,
  stdin: {isTerminal: () => false, readSync: () => null, read: async () => null},
  async *readDir(dir) { yield* entries(dir) },
  readDirSync: entries,
  Command: class {
    constructor(name) {
      throw new PermissionDenied(`Deno.Command(${JSON.stringify(name)}): a script of a skill starts no programs`)
    }
  },
}
for (const [name, f] of Object.entries(sync)) {
  Deno[name + 'Sync'] = f
  Deno[name] = async (...args) => f(...args)
}
