// Completion in a project's YAML: keys and fixed values from the JSON Schemas in schemas/,
// and names from the project.
import { autocompletion } from '@codemirror/autocomplete'
import { ITEM, placeIn } from './yamlplace.js'

const schemas = new Map() // name → promise of the schema

function schemaOf(name) {
  if (!schemas.has(name)) {
    schemas.set(name, fetch(`schemas/${name}.schema.json`).then((r) => r.json()).catch(() => {
      schemas.delete(name) // the next call tries again
      return null
    }))
  }
  return schemas.get(name)
}

/** Returns the name of the schema for a file, '' if there is none. */
export function schemaFor(path, text = '') {
  const name = path.split('/').at(-1)
  if (name.endsWith('.worker')) return 'worker'
  if (!/\.ya?ml$/.test(name)) return ''
  if (/^(project|llm-do|golem-forge\.config)\.ya?ml$/.test(path)) return 'project'
  if (/^lib\.ya?ml$/.test(name)) return 'lib'
  if (/\.tools\.ya?ml$/.test(name)) return 'tools'
  if (/^\s*script:/m.test(text)) return 'script'
  return /(^|\/)workers\//.test(path) ? 'worker' : ''
}

/** Returns the YAML of a file before and after a position; null if the position is not in YAML. */
function yamlAt(path, text, at) {
  if (!path.endsWith('.worker')) return [text.slice(0, at), text.slice(at)]
  const begin = /^---[ \t]*\r?\n/.exec(text)?.[0].length
  if (!begin) return null
  const end = text.slice(begin - 1).search(/\n---[ \t]*(\r?\n|$)/)
  const stop = end < 0 ? text.length : begin + end
  return at < begin || at > stop ? null : [text.slice(begin, at), text.slice(at, stop)]
}

/** Returns a list of the schemas that a schema consists of, with references and oneOf, anyOf and allOf resolved. */
function kinds(root, node, depth = 0) {
  if (!node || typeof node !== 'object' || depth > 8) return []
  const { $ref, oneOf, anyOf, allOf, ...own } = node
  const of = $ref?.startsWith('#/') ? kinds(root, $ref.slice(2).split('/').reduce((n, part) => n?.[part], root), depth + 1) : []
  return [own, ...of, ...[oneOf, anyOf, allOf].flatMap((all) => (all ?? []).flatMap((n) => kinds(root, n, depth + 1)))]
}

const below = (root, all, name) => all.flatMap((s) => kinds(root, name === ITEM ? s.items : s.properties?.[name] ?? (typeof s.additionalProperties === 'object' ? s.additionalProperties : null)))

/** Returns the names of the project that are possible as a value, or as keys, at a path. */
function names(path, known) {
  const [last, up] = [path.at(-1), path.at(-2)]
  const name = last === ITEM ? up : last
  if (name === 'model' || name === 'models') return known.models
  if (['allow_workers', 'allowed_workers', 'entry', 'worker'].includes(name) || (name === 'workers' && path.includes('imports'))) return known.workers
  if (name === 'tool' || (name === 'tools' && path.includes('custom'))) return known.tools
  if (name === 'tools' && path.includes('imports')) return known.modules.map((m) => `./${m.replace(/\.wasm$/, '')}`)
  if (name === 'module') return known.modules
  if (['root', 'source', 'restrict'].includes(name)) return known.folders
  if (/_ref$/.test(name ?? '')) return known.files
  return []
}

function keysOf(path, known) {
  const [last, up] = [path.at(-1), path.at(-2)]
  if (last === 'tool_rules' || (last === 'tools' && up === 'approval')) return known.tools
  if (last === 'modules' && up === 'custom') return known.modules.map((m) => m.split('/').at(-1).replace(/\.wasm$/, ''))
  if (last === 'workers' && path.length === 1) return known.workers
  return []
}

/** Returns the completions for a place: {label, type, detail, info, apply}. */
export function offers(root, place, known) {
  const all = place.path.reduce((now, name) => below(root, now, name), kinds(root, root))
  const out = new Map()
  const put = (label, rest) => !out.has(label) && out.set(label, { label, ...rest })
  if (place.value) {
    for (const n of names(place.path, known)) put(n, { type: 'reference', detail: 'of the project' })
    for (const s of all) {
      for (const v of s.enum ?? ('const' in s ? [s.const] : [])) put(String(v), { type: 'value' })
      if (s.type === 'boolean') for (const v of ['true', 'false']) put(v, { type: 'value' })
    }
  }
  if (place.key) {
    for (const n of keysOf(place.path, known)) if (!place.present.has(n)) put(n, { type: 'reference', detail: 'of the project', apply: `${n}: ` })
    for (const s of all) {
      for (const [name, p] of Object.entries(s.properties ?? {})) {
        if (place.present.has(name)) continue
        const of = kinds(root, p)
        put(name, { type: 'key', detail: [...new Set(of.map((k) => k.type ?? (k.enum ? k.enum.join(' | ') : '')).flat().filter(Boolean))].slice(0, 3).join(', '), info: of.find((k) => k.description)?.description, apply: `${name}: ` })
      }
    }
  }
  return [...out.values()]
}

/** Returns the editor's completion extension for a file. known resolves to {workers, tools, modules, models, files, folders} of the project. */
export function completing(path, known) {
  const source = async (context) => {
    const text = context.state.sliceDoc()
    const name = schemaFor(path, text)
    const yaml = name && yamlAt(path, text, context.pos)
    const place = yaml && placeIn(yaml[0].replaceAll('\r', ''), yaml[1].replaceAll('\r', ''))
    if (!place || (!place.word && !context.explicit && !/[:,[{] $|\n *$/.test(yaml[0]))) return null
    const [schema, has] = await Promise.all([schemaOf(name), known()])
    if (!schema || context.aborted) return null
    const options = offers(schema, place, has)
    return options.length ? { from: context.pos - place.word.length, options, validFor: /^[\w./:-]*$/ } : null
  }
  return autocompletion({ override: [source], icons: false, activateOnTyping: true })
}
