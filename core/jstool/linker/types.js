// Types are made into JSON Schemas.
import {parse} from '@babel/parser'
import {wrong, SourceError} from './place.js'
import {typedefs} from './jsdoc.js'

const simple = {TSStringKeyword: {type: 'string'}, TSNumberKeyword: {type: 'number'}, TSBooleanKeyword: {type: 'boolean'}, TSNullKeyword: {type: 'null'}, TSAnyKeyword: {}, TSUnknownKeyword: {}, TSObjectKeyword: {type: 'object'}, TSVoidKeyword: {}, TSUndefinedKeyword: {}}

export class Types {
  #modules
  #names = new Map() // by file: the types that a file declares or imports
  #open = [] // the names that are being resolved
  constructor(entry, modules) { this.#modules = modules }

  // of returns the schema of a type in a file.
  of(node, file) {
    if (simple[node.type]) return {...simple[node.type]}
    switch (node.type) {
      case 'TSParenthesizedType':
      case 'TSOptionalType':
        return this.of(node.typeAnnotation, file)
      case 'TSNamedTupleMember':
        return this.of(node.elementType, file)
      case 'TSTypeOperator':
        if (node.operator === 'readonly') return this.of(node.typeAnnotation, file)
        break
      case 'TSLiteralType':
        return {const: this.#literal(node.literal, file)}
      case 'TSArrayType':
        return {type: 'array', items: this.of(node.elementType, file)}
      case 'TSTupleType':
        return {type: 'array', prefixItems: node.elementTypes.map((t) => this.of(t, file)), minItems: node.elementTypes.filter((t) => t.type !== 'TSOptionalType' && !t.optional).length, maxItems: node.elementTypes.length}
      case 'TSTypeLiteral':
        return this.#object(node.members, file)
      case 'TSUnionType':
        return this.#union(node, file)
      case 'TSIntersectionType':
        return node.types.map((t) => this.of(t, file)).reduce((a, b) => merged(a, b))
      case 'TSTypeReference':
        return this.#reference(node, file)
    }
    throw wrong(file, node, 'golem makes no schema of this type', 'use string, number, boolean, null, lists, objects, unions of them, Record, Partial, Pick or Omit; or export tools with inputSchema')
  }

  // ofText returns the schema of a type in a JSDoc comment.
  ofText(text, file, near) {
    text = text.trim()
    if (text.endsWith('=')) text = text.slice(0, -1)
    const source = text.replace(/^\*$/, 'any').replace(/^\?(.+)$/, '($1) | null').replace(/^!/, '').replace(/\.</g, '<').replace(/\bObject</g, 'Record<').replace(/^Object$/, 'object').replace(/\bString\b/g, 'string').replace(/\bNumber\b/g, 'number').replace(/\bBoolean\b/g, 'boolean').replace(/\binteger\b/g, 'Integer')
    let ast
    try {
      ast = parse(`type T = ${source}`, {sourceType: 'module', plugins: ['typescript']})
    } catch {
      throw wrong(file, near, `the type {${text}} of a comment cannot be read`, 'write it as in TypeScript: {string}, {number[]}, {{name: string}}')
    }
    const node = ast.program.body[0].typeAnnotation
    try {
      return this.of(node, file)
    } catch (e) {
      if (e instanceof SourceError && e.file === file) throw wrong(file, near, e.message, e.hint)
      throw e
    }
  }

  allowsUndefined(node) {
    return node.type === 'TSUndefinedKeyword' || node.type === 'TSUnionType' && node.types.some((t) => this.allowsUndefined(t))
  }

  #literal(node, file) {
    if (node.type === 'UnaryExpression' && node.operator === '-') return -node.argument.value
    if (node.type === 'TemplateLiteral' && !node.expressions.length) return node.quasis[0].value.cooked
    if (['StringLiteral', 'NumericLiteral', 'BooleanLiteral'].includes(node.type)) return node.value
    throw wrong(file, node, 'golem makes no schema of this literal', 'use a string, a number or a boolean')
  }

  #object(members, file) {
    const properties = {}, required = []
    let additionalProperties
    for (const m of members) {
      if (m.type === 'TSIndexSignature') {
        additionalProperties = this.of(m.typeAnnotation.typeAnnotation, file)
        continue
      }
      if (m.type !== 'TSPropertySignature' || m.computed || !m.typeAnnotation) throw wrong(file, m, 'golem makes no schema of this member', 'an object for a tool has fields with types')
      const name = m.key.name ?? String(m.key.value)
      properties[name] = this.of(m.typeAnnotation.typeAnnotation, file)
      const text = says(m)
      if (text) properties[name].description = text
      if (!m.optional && !this.allowsUndefined(m.typeAnnotation.typeAnnotation)) required.push(name)
    }
    return {type: 'object', properties, ...(required.length ? {required} : {}), ...(additionalProperties ? {additionalProperties} : {})}
  }

  #union(node, file) {
    const parts = node.types.filter((t) => t.type !== 'TSUndefinedKeyword').map((t) => this.of(t, file))
    if (parts.length === 1) return parts[0]
    if (parts.every((p) => 'const' in p || p.type === 'null')) {
      const values = parts.map((p) => (p.type === 'null' ? null : p.const))
      const kinds = new Set(values.map((v) => (v === null ? 'null' : typeof v)))
      return {...(kinds.size === 1 ? {type: [...kinds][0]} : {}), enum: values}
    }
    if (parts.every((p) => typeof p.type === 'string' && Object.keys(p).length === 1)) return {type: [...new Set(parts.map((p) => p.type))]}
    return {anyOf: parts}
  }

  #reference(node, file) {
    const name = node.typeName.name
    const args = (node.typeParameters ?? node.typeArguments)?.params ?? []
    switch (name) {
      case 'Array':
      case 'ReadonlyArray':
        return args.length ? {type: 'array', items: this.of(args[0], file)} : {type: 'array'}
      case 'Promise':
      case 'Readonly':
      case 'NonNullable':
        if (args.length === 1) return this.of(args[0], file)
        break
      case 'Record':
        if (args.length === 2) return this.#record(args, file)
        break
      case 'Partial':
      case 'Required':
        if (args.length === 1) {
          const {required, ...rest} = this.of(args[0], file)
          return name === 'Partial' ? rest : {...rest, required: Object.keys(rest.properties ?? {})}
        }
        break
      case 'Pick':
      case 'Omit':
        if (args.length === 2) return this.#part(name, args, file)
        break
      case 'Integer':
        return {type: 'integer'}
      case 'Object':
      case 'object':
        return {type: 'object'}
    }
    const declared = name && this.#declared(name, file)
    if (!declared) throw wrong(file, node, `the type ${name ?? 'with a dot'} is not declared in this tool`, 'declare it as an interface or a type, or import it from a file of the tool')
    const key = `${declared.file}#${name}`
    if (this.#open.includes(key)) throw wrong(file, node, `the type ${name} contains itself`, 'export tools with inputSchema for such a type')
    this.#open.push(key)
    try {
      return declared.schema()
    } finally {
      this.#open.pop()
    }
  }

  #record([key, value], file) {
    const names = this.of(key, file)
    if (names.enum) return {type: 'object', properties: Object.fromEntries(names.enum.map((n) => [n, this.of(value, file)])), required: names.enum}
    return {type: 'object', additionalProperties: this.of(value, file)}
  }

  #part(kind, [of, names], file) {
    const schema = this.of(of, file), keys = this.of(names, file)
    const chosen = (n) => (keys.enum ?? [keys.const]).includes(n) === (kind === 'Pick')
    return {...schema, properties: Object.fromEntries(Object.entries(schema.properties ?? {}).filter(([n]) => chosen(n))), ...(schema.required ? {required: schema.required.filter(chosen)} : {})}
  }

  // declared returns the declaration of a name, in its file or in one that it imports from.
  #declared(name, file) {
    let names = this.#names.get(file)
    if (!names) this.#names.set(file, names = this.#declarations(file))
    return names.get(name)
  }

  #declarations(file) {
    const out = new Map()
    const m = this.#modules.get(file)
    if (!m?.ast) return out
    for (const node of m.ast.program.body) {
      const d = node.type === 'ExportNamedDeclaration' ? node.declaration ?? node : node
      if (d.type === 'TSInterfaceDeclaration') {
        out.set(d.id.name, {file, schema: () => (d.extends ?? []).map((e) => this.#reference({...e, typeName: e.expression, type: 'TSTypeReference'}, file)).reduceRight((a, b) => merged(b, a), this.#object(d.body.body, file))})
      } else if (d.type === 'TSTypeAliasDeclaration') {
        out.set(d.id.name, {file, schema: () => this.of(d.typeAnnotation, file)})
      } else if (d.type === 'ImportDeclaration' && m.imports[d.source.value]) {
        for (const s of d.specifiers) if (s.type === 'ImportSpecifier') this.#lend(out, s.local.name, s.imported.name, m.imports[d.source.value])
      }
    }
    for (const t of typedefs(m.ast)) {
      out.set(t.name, {file, schema: () => {
        if (!t.properties.length) return this.ofText(t.type, file, m.ast.program)
        const properties = {}, required = []
        for (const p of t.properties) {
          properties[p.name] = {...this.ofText(p.type || '*', file, m.ast.program), ...(p.text ? {description: p.text} : {})}
          if (!p.optional) required.push(p.name)
        }
        return {type: 'object', properties, ...(required.length ? {required} : {})}
      }})
    }
    return out
  }

  #lend(out, local, imported, from) {
    const types = this
    out.set(local, {get file() { return types.#declared(imported, from)?.file ?? from }, schema: () => {
      const d = this.#declared(imported, from)
      if (!d) throw new SourceError(from, 1, 1, `the type ${imported} is not declared here`)
      return d.schema()
    }})
  }
}

// merged returns a schema that has the fields of two objects.
function merged(a, b) {
  if (a.type !== 'object' || b.type !== 'object') return {allOf: [a, b]}
  const required = [...new Set([...(a.required ?? []), ...(b.required ?? [])])]
  return {...a, ...b, properties: {...a.properties, ...b.properties}, ...(required.length ? {required} : {})}
}

// says returns the text of a comment before a field.
function says(node) {
  const last = node.leadingComments?.at(-1)
  if (!last) return ''
  return last.value.replace(/^\*/, '').split(/\r?\n/).map((l) => l.replace(/^\s*\*? ?/, '')).join(' ').trim()
}
