// Types are replaced by blanks, so that every line and column stays where it is in the
// source. Only types that can be erased are allowed, as with Node's own support of TypeScript.
import {wrong} from './place.js'

// Edits collects changes of a text.
class Edits {
  #source
  #changes = []
  #erased = new Set()
  constructor(source) { this.#source = source }
  blank(start, end, first = '') {
    const old = this.#source.slice(start, end)
    const blanks = old.replace(/[^\r\n\u2028\u2029]/g, ' ')
    this.replace(start, end, first + blanks.slice(first.length))
  }
  replace(start, end, text) { if (end > start) this.#changes.push({start, end, text}) }
  erase(node) {
    this.#erased.add(node)
    this.blank(node.start, node.end)
  }
  erased(node) { return this.#erased.has(node) }
  text() {
    let out = '', last = 0
    for (const c of this.#changes.sort((a, b) => a.start - b.start || b.end - a.end)) {
      if (c.start < last) continue // inside an erased part
      out += this.#source.slice(last, c.start) + c.text
      last = c.end
    }
    return out + this.#source.slice(last)
  }
}

// Statements and class members that are types as a whole.
const whole = new Set(['TSInterfaceDeclaration', 'TSTypeAliasDeclaration', 'TSDeclareFunction', 'TSDeclareMethod', 'TSIndexSignature', 'TSTypeAnnotation', 'TSTypeParameterDeclaration', 'TSTypeParameterInstantiation', 'TSNamespaceExportDeclaration'])

const refused = {
  TSEnumDeclaration: ['an enum is code that golem does not write', 'use an object, or a union such as "a" | "b"'],
  TSModuleDeclaration: ['a namespace is code that golem does not write', 'use a file of its own and import it'],
  TSParameterProperty: ['a parameter property is code that golem does not write', 'declare the field and assign it in the constructor'],
  TSImportEqualsDeclaration: ['import = is not possible in a tool', 'use import … from'],
  TSExportAssignment: ['export = is not possible in a tool', 'use export'],
  Decorator: ['decorators are not possible in a tool', 'call the function directly'],
}

// erase returns the edits that take the types off a file.
export function erase(file, source, program, typed) {
  const edits = new Edits(source)
  const used = typed ? values(program) : null
  const visit = (node, parent) => {
    if (node.declare || whole.has(node.type) || node.exportKind === 'type' && node.type !== 'ExportSpecifier' || node.importKind === 'type' && node.type === 'ImportDeclaration') return edits.erase(node)
    if (refused[node.type]) throw wrong(file, node, ...refused[node.type])
    switch (node.type) {
      case 'ExportNamedDeclaration':
      case 'ExportDefaultDeclaration':
        if (node.declaration && (node.declaration.declare || whole.has(node.declaration.type))) return edits.erase(node)
        specifiers(node, (s) => s.exportKind === 'type')
        break
      case 'ImportDeclaration':
        if (used) specifiers(node, (s) => s.importKind === 'type' || !used.has(s.local.name))
        break
      case 'Identifier':
      case 'ObjectPattern':
      case 'ArrayPattern':
        if (node.optional) question(node.typeAnnotation ? node.typeAnnotation.start : node.end, node.start)
        break
      case 'TSAsExpression':
      case 'TSSatisfiesExpression':
        edits.blank(closed(node), node.end, parent.type === 'ExpressionStatement' && source[parent.end - 1] !== ';' ? ';' : '')
        return visit(node.expression, node)
      case 'TSNonNullExpression':
      case 'TSInstantiationExpression':
        edits.blank(closed(node), node.end)
        return visit(node.expression, node)
      case 'TSTypeAssertion':
        edits.blank(node.start, source.indexOf('>', node.typeAnnotation.end) + 1)
        return visit(node.expression, node)
      case 'ClassDeclaration':
      case 'ClassExpression':
        if (node.abstract) word('abstract', node.start, node.body.start)
        if (node.implements?.length) edits.blank(source.lastIndexOf('implements', node.implements[0].start), node.implements.at(-1).end)
        break
      case 'ClassProperty':
      case 'ClassMethod':
      case 'ClassPrivateMethod':
      case 'ClassPrivateProperty':
      case 'ClassAccessorProperty':
        if (node.abstract) return edits.erase(node)
        for (const w of ['public', 'private', 'protected', 'readonly', 'override']) {
          if (node.accessibility === w || node[w]) word(w, node.start, node.key.start)
        }
        if (node.optional || node.definite) question(node.typeAnnotation?.start ?? source.length, node.key.end - 1, node.optional ? '?' : '!')
        break
      case 'VariableDeclarator':
        if (node.definite) question(node.id.typeAnnotation.start, node.id.start, '!')
        break
      case 'FunctionDeclaration':
      case 'FunctionExpression':
      case 'ArrowFunctionExpression':
      case 'ObjectMethod':
        self(node)
    }
    if (node.type.startsWith('Class') && node.params) self(node)
    for (const key in node) {
      if (key === 'loc' || key.endsWith('Comments') || key === 'extra' || key === 'implements') continue
      const value = node[key]
      for (const child of Array.isArray(value) ? value : [value]) if (child && typeof child.type === 'string' && !edits.erased(child)) visit(child, node)
    }
  }
  // specifiers erases names of an import or export; the whole statement if none is left.
  const specifiers = (node, isType) => {
    const all = node.specifiers ?? []
    const gone = all.filter(isType)
    if (!gone.length) return
    if (gone.length === all.length) return edits.erase(node)
    for (const s of gone) {
      let end = s.end
      const comma = /^\s*,/.exec(source.slice(end))
      if (comma) end += comma[0].length
      edits.blank(s.start, end)
    }
  }
  // closed returns the end of a node's expression with the parentheses around it.
  const closed = (node) => {
    let end = node.expression.end
    for (let at = end; at < node.end;) {
      const blank = /^(?:\s+|\/\*[\s\S]*?\*\/|\/\/[^\n]*)/.exec(source.slice(at, node.end))
      if (blank) at += blank[0].length
      else if (source[at] === ')') end = ++at
      else break
    }
    return end
  }
  // question blanks the ? or ! before a type.
  const question = (end, start, mark = '?') => {
    const i = source.lastIndexOf(mark, end === source.length ? source.indexOf(mark, start) : end)
    if (i >= start) edits.blank(i, i + 1)
  }
  const word = (text, start, end) => {
    const i = source.slice(start, end).search(new RegExp(`\\b${text}\\b`))
    if (i >= 0) edits.blank(start + i, start + i + text.length)
  }
  // self erases a parameter that is called this.
  const self = (node) => {
    const first = node.params[0]
    if (first?.type !== 'Identifier' || first.name !== 'this') return
    const comma = /^\s*,/.exec(source.slice(first.end))
    edits.blank(first.start, first.end + (comma ? comma[0].length : 0))
  }
  for (const node of program.body) visit(node, program)
  return edits
}

// values returns the names that a file uses as values.
function values(program) {
  const out = new Set()
  const visit = (node) => {
    if (node.type.startsWith('TS') && !node.expression || node.type === 'ImportDeclaration') return
    if (node.type === 'Identifier' || node.type === 'JSXIdentifier') out.add(node.name)
    if (node.type === 'ExportSpecifier' && node.exportKind === 'type') return
    for (const key in node) {
      if (key === 'loc' || key.endsWith('Comments') || key === 'extra' || key === 'typeAnnotation' || key === 'typeParameters' || key === 'typeArguments' || key === 'returnType' || key === 'implements') continue
      const value = node[key]
      for (const child of Array.isArray(value) ? value : [value]) if (child && typeof child.type === 'string') visit(child)
    }
  }
  visit(program)
  return out
}
