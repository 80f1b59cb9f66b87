// globals.js gives a script its arguments and what a script for Node expects to be there. What the script prints, and its exit code, are calls that
// package script answers.
import './text.js'
import * as fs from './fs.js'
import os from './os.js'
import path from './path.js'
import * as url from './url.js'

// URL has what scripts need to find files beside them: new URL('a.json', import.meta.url).
globalThis.URL ??= class {
  constructor(to, base = '') {
    const from = String(base).replace(/^file:\/\//, '')
    this.pathname = path.resolve(path.dirname(from), String(to).replace(/^file:\/\//, ''))
    this.href = 'file://' + this.pathname
  }
  toString() { return this.href }
}

const call = golem.call
const {args, file} = JSON.parse(golem.config('script'))

const shown = (value) => {
  if (typeof value === 'string') return value
  if (value instanceof Error) return value.stack ? `${value}\n${value.stack}`.trimEnd() : String(value)
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    return String(value)
  }
}
const most = 1 << 21 // characters of one text: the host keeps less
const piece = 1 << 16
const write = (value) => {
  const text = String(value)
  for (let at = 0; at < Math.min(text.length, most);) {
    const high = text.charCodeAt(at + piece - 1)
    const end = at + piece - (high >= 0xd800 && high < 0xdc00 ? 1 : 0)
    call('output', {text: text.slice(at, end)})
    at = end
  }
  return true
}
const print = (...values) => write(values.map(shown).join(' ') + '\n')
globalThis.console = {log: print, info: print, debug: print, warn: print, error: print, table: print}

const stream = {write, isTTY: false, on: () => stream}
globalThis.process = {
  argv: ['golem', file, ...args], env: {}, platform: 'golem', versions: {}, exitCode: undefined, stdout: stream, stderr: stream,
  cwd: () => '/',
  exit(code = process.exitCode ?? 0) {
    call('exit', {code: Number(code) || 0})
    throw new Error(`process.exit(${code})`)
  },
  on: () => process,
}
globalThis.__filename = file
globalThis.__dirname = path.dirname(file)
globalThis.global = globalThis
globalThis.module = {exports: {}}
globalThis.exports = globalThis.module.exports

const packages = {fs, os, path, url, process, 'fs/promises': fs.promises}
globalThis.require = (name) => {
  const found = packages[String(name).replace(/^node:/, '')]
  if (!found) throw new Error(`require(${JSON.stringify(name)}): a script of a skill has only the packages ${Object.keys(packages).join(', ')}`)
  return found
}
globalThis.require.main = globalThis.module
// It has no clock to wait for: what should run later runs next.
globalThis.setTimeout = (f, _wait, ...rest) => void Promise.resolve().then(() => f(...rest))
