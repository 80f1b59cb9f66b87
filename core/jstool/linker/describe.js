// The description of tools from the types of exported functions: TypeScript's own, or those
// of JSDoc comments (S0-15, S0-16).

import {wrong} from './place.js'
import {Types} from './types.js'
import {comment} from './jsdoc.js'

// describe returns the tools of a file, or null if no exported function has types.
export function describe(entry, modules) {
  const m = modules.get(entry)
  const types = new Types(entry, modules)
  const out = []
  for (const {name, f, doc} of functions(m.ast.program)) {
    const tool = describeFunction(entry, types, name, f, doc)
    if (tool) out.push(tool)
  }
  return out.length ? out : null
}

// functions returns the exported functions of a file, in order.
function functions(program) {
  const out = []
  const byName = new Map()
  for (const node of program.body) {
    const d = node.type === 'ExportNamedDeclaration' ? node.declaration : node
    if (d?.type === 'FunctionDeclaration' && d.id) byName.set(d.id.name, {f: d, doc: comment(node)})
    if (d?.type === 'VariableDeclaration') {
      for (const v of d.declarations) if (v.id.type === 'Identifier' && /^(ArrowFunction|Function)Expression$/.test(v.init?.type)) byName.set(v.id.name, {f: v.init, doc: comment(node)})
    }
  }
  for (const node of program.body) {
    if (node.type !== 'ExportNamedDeclaration' || node.source) continue
    const d = node.declaration
    const names = d?.type === 'FunctionDeclaration' ? [d.id.name] : d?.type === 'VariableDeclaration' ? d.declarations.map((v) => v.id.name) : []
    for (const n of names) if (byName.has(n)) out.push({name: n, ...byName.get(n)})
    for (const s of node.specifiers) if (byName.has(s.local.name)) out.push({name: s.exported.name, ...byName.get(s.local.name)})
  }
  return out
}

// describeFunction returns the description of one function; null if it has no types at all.
function describeFunction(file, types, name, f, doc) {
  const params = f.params.filter((p) => !(p.type === 'Identifier' && p.name === 'this')).map((p, i) => parameter(file, types, p, i, doc))
  const typed = params.filter((p) => p.schema)
  if (!doc && !typed.length && (params.length || !f.returnType)) return null
  if (params.length && !typed.length && !(doc && doc.params.length)) return null
  const missing = params.find((p) => !p.schema)
  if (missing) throw wrong(file, missing.node, `the parameter ${missing.name} of ${name} has no type`, `write its type, or @param {TYPE} ${missing.name} in the comment above ${name}`)
  const tool = {name, description: doc?.text || undefined}
  const only = params.length === 1 ? params[0] : null
  if (only && only.schema.type === 'object' && only.schema.properties) {
    tool.inputSchema = closed({...only.schema, description: undefined})
  } else {
    const properties = {}, required = []
    for (const p of params) {
      properties[p.name] = {...closed(p.schema), ...(p.text ? {description: p.text} : {}), ...(p.default === undefined ? {} : {default: p.default})}
      if (!p.optional) required.push(p.name)
    }
    tool.inputSchema = {type: 'object', properties, required, additionalProperties: false}
    if (params.length) tool.positional = params.map((p) => p.name)
  }
  const result = f.returnType ? types.of(f.returnType.typeAnnotation, file) : doc?.returns ? types.ofText(doc.returns, file, f) : null
  if (result && Object.keys(result).length && result.type !== 'string' && result.type !== 'null') tool.outputSchema = result
  return tool
}

// parameter reads one parameter of a function.
function parameter(file, types, node, index, doc) {
  let target = node, fallback, optional = false
  if (node.type === 'AssignmentPattern') [target, fallback, optional] = [node.left, literal(node.right), true]
  if (node.type === 'RestElement') throw wrong(file, node, 'a tool has no rest parameter', 'take a list: (items: string[])')
  optional ||= !!target.optional
  const name = target.type === 'Identifier' ? target.name : doc?.params[index]?.name ?? `arg${index + 1}`
  const said = doc?.params.find((p) => p.name === name)
  let schema = null
  if (target.typeAnnotation) {
    schema = types.of(target.typeAnnotation.typeAnnotation, file)
    if (types.allowsUndefined(target.typeAnnotation.typeAnnotation)) optional = true
  } else if (said?.type) {
    schema = types.ofText(said.type, file, node)
    optional ||= said.optional
    const fields = doc.params.filter((p) => p.name.startsWith(name + '.'))
    if (fields.length) schema = object(types, file, node, fields, name)
  }
  if (schema && doc && schema.properties) {
    for (const p of doc.params) {
      const field = p.name.startsWith(name + '.') ? p.name.slice(name.length + 1) : target.type === 'ObjectPattern' ? p.name : ''
      if (p.text && schema.properties[field] && !schema.properties[field].description) schema.properties[field] = {...schema.properties[field], description: p.text}
    }
  }
  return {node, name, schema, optional, text: said?.text, default: fallback ?? said?.default}
}

// object makes the schema of an object whose fields JSDoc names: @param {string} args.name
function object(types, file, node, fields, prefix) {
  const properties = {}, required = []
  for (const f of fields) {
    const name = f.name.slice(prefix.length + 1)
    if (name.includes('.') || !f.type) continue
    properties[name] = {...types.ofText(f.type, file, node), ...(f.text ? {description: f.text} : {}), ...(f.default === undefined ? {} : {default: f.default})}
    if (!f.optional) required.push(name)
  }
  return {type: 'object', properties, required}
}

// closed refuses fields that an object does not name, in it and in its parts.
function closed(schema) {
  if (Array.isArray(schema)) return schema.map(closed)
  if (!schema || typeof schema !== 'object') return schema
  const out = {}
  for (const [k, v] of Object.entries(schema)) out[k] = k === 'properties' || k === '$defs' ? Object.fromEntries(Object.entries(v).map(([n, s]) => [n, closed(s)])) : ['items', 'anyOf', 'allOf', 'prefixItems'].includes(k) ? closed(v) : v
  if (out.type === 'object' && out.properties && out.additionalProperties === undefined) out.additionalProperties = false
  return out
}

// literal returns the value of a literal; undefined if it is none.
function literal(node) {
  switch (node.type) {
    case 'StringLiteral':
    case 'NumericLiteral':
    case 'BooleanLiteral':
      return node.value
    case 'NullLiteral':
      return null
    case 'UnaryExpression':
      return node.operator === '-' && node.argument.type === 'NumericLiteral' ? -node.argument.value : undefined
    case 'ArrayExpression': {
      const all = node.elements.map((e) => e && literal(e))
      return all.includes(undefined) ? undefined : all
    }
    case 'ObjectExpression':
      return node.properties.length ? undefined : {}
  }
}
