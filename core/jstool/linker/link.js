// The linker reads the sources of a tool, takes the types off, finds what they import, and
// makes schemas of the types of exported functions (SPEC §6). It runs inside golem's
// JavaScript engine, as a tool of its own: make jsengine bundles it with @babel/parser.
import {parse} from '@babel/parser'
import {erase} from './erase.js'
import {describe} from './describe.js'
import {SourceError} from './place.js'

export const tools = [{name: 'link', description: 'Links the sources of a tool.', inputSchema: {type: 'object'}}]

const known = /\.(m?[jt]s|json)$/
const suffixes = ['.js', '.ts', '.mjs', '.mts', '.json']

// link gets {entry} and asks golem for the files. It returns {error} if a file is wrong, and
// otherwise {archive}. Each file is read and parsed once.
export function link({entry}) {
  const files = new Files()
  const modules = new Map([[entry, null]])
  try {
    for (const name of modules.keys()) { // also those that are found meanwhile
      const m = moduleOf(name, files)
      modules.set(name, m)
      for (const found of Object.values(m.imports)) if (!modules.has(found)) modules.set(found, null)
    }
    const out = {}
    for (const [name, m] of modules) out[name] = m.code
    const main = modules.get(entry)
    const described = exportsTools(main.ast) ? null : describe(entry, modules)
    return {archive: {entry, files: out, ...(described ? {tools: described} : {})}}
  } catch (e) {
    if (e instanceof SourceError) return {error: {file: e.file, line: e.line, column: e.column, message: e.message, hint: e.hint}}
    throw e
  }
}

/** Files are the files of the tool that golem was asked for. */
class Files {
  #texts = new Map()

  /** Asks golem for those of the files that are not known yet. */
  read(names) {
    names = names.filter((name) => !this.#texts.has(name))
    if (!names.length) return
    const {files} = golem.call('read', {names})
    for (const name of names) this.#texts.set(name, files[name])
  }

  /** Returns the text of a file that was read; null if it is not there. */
  text(name) { return this.#texts.get(name) }
}

const parsed = (source, typed) => parse(source, {sourceType: 'module', plugins: typed ? ['typescript', 'decorators'] : ['decorators'], attachComment: true, errorRecovery: false})

/** Reports whether a source that is not JavaScript is TypeScript. */
function isTyped(source) {
  try {
    return Boolean(parsed(source, true))
  } catch {
    return false
  }
}

// moduleOf reads and parses a file, and finds the files that it imports.
function moduleOf(name, files) {
  files.read([name])
  const source = files.text(name)
  if (name.endsWith('.json')) {
    try {
      JSON.parse(source)
    } catch (e) {
      throw new SourceError(name, 1, 1, `the file is not JSON: ${e.message}`)
    }
    return {code: source, imports: {}, ast: null, source}
  }
  const typed = /\.m?ts$/.test(name)
  let ast
  try {
    ast = parsed(source, typed)
  } catch (e) {
    const at = e.loc ?? {line: 1, column: 0}
    throw new SourceError(name, at.line, at.column + 1, `the source cannot be parsed: ${String(e.message).replace(/ \(\d+:\d+\)$/, '')}`, !typed && isTyped(source) ? 'types need a file that ends in .ts' : '')
  }
  const m = {ast, source, imports: {}, code: ''}
  const edits = erase(name, source, ast.program, typed)
  for (const node of imported(name, ast.program, edits)) {
    const found = find(name, node, files)
    m.imports[node.value] = found
    edits.replace(node.start, node.end, JSON.stringify(relative(name, found)))
  }
  m.code = edits.text()
  return m
}

// imported returns the string nodes of the imports and exports that are left in a file, and
// refuses those that golem cannot follow.
function imported(name, program, edits) {
  const out = []
  walk(program, (node) => {
    switch (node.type) {
      case 'ImportDeclaration':
      case 'ExportNamedDeclaration':
      case 'ExportAllDeclaration':
        if (node.source && !edits.erased(node)) out.push(node.source)
        return
      case 'ImportExpression':
        refuse(name, node)
        return
      case 'CallExpression':
        if (node.callee.type === 'Import') refuse(name, node)
    }
  })
  for (const node of out) {
    if (!/^\.\.?\//.test(node.value)) {
      throw at(name, node, `import ${JSON.stringify(node.value)}: a tool imports only files below its own folder`, 'copy what you need into the tool folder and import it as "./NAME.js"; golem.files, golem.http and golem.call are there without an import')
    }
  }
  return out
}

const refuse = (name, node) => {
  throw at(name, node, 'import(…) while the tool runs is not possible', 'use an import at the beginning of the file')
}

// find returns the file that an import names.
function find(from, node, files) {
  const base = join(from, node.value)
  if (base === null) throw at(from, node, `import ${JSON.stringify(node.value)} leads out of the tool folder`, 'import only files below it')
  const names = known.test(base) ? [base] : suffixes.map((s) => base + s)
  if (base.endsWith('.js')) names.push(base.slice(0, -3) + '.ts') // as the TypeScript compiler takes it
  files.read(names)
  const name = names.find((n) => files.text(n) !== null)
  if (name === undefined) throw at(from, node, `import ${JSON.stringify(node.value)}: there is no such file`, 'the path is relative to this file')
  return name
}

// join resolves a relative path; null if it leaves the folder.
function join(from, path) {
  const parts = from.split('/').slice(0, -1)
  for (const part of path.split('/')) {
    if (part === '..') {
      if (!parts.length) return null
      parts.pop()
    } else if (part !== '.' && part !== '') parts.push(part)
  }
  return parts.join('/')
}

// relative writes an import of one file in another.
function relative(from, to) {
  return './' + '../'.repeat(from.split('/').length - 1) + to
}

function exportsTools(ast) {
  return ast.program.body.some((node) => node.type === 'ExportNamedDeclaration' &&
    (node.declaration?.type === 'VariableDeclaration' && node.declaration.declarations.some((d) => d.id.name === 'tools') ||
      node.specifiers.some((s) => (s.exported.name ?? s.exported.value) === 'tools')))
}

export function walk(node, visit) {
  visit(node)
  for (const key in node) {
    if (key === 'loc' || key.endsWith('Comments') || key === 'extra') continue
    const value = node[key]
    if (Array.isArray(value)) {
      for (const v of value) if (v && typeof v.type === 'string') walk(v, visit)
    } else if (value && typeof value.type === 'string') walk(value, visit)
  }
}

const at = (file, node, message, hint) => new SourceError(file, node.loc.start.line, node.loc.start.column + 1, message, hint)
