// Marks the parts of a block of code with the grammars that the editor has. It is loaded with
// the first block of a language that it knows.
import { classHighlighter, highlightTree } from '@lezer/highlight'
import { parser as javascript } from '@lezer/javascript'
import { parser as json } from '@lezer/json'
import { parser as yaml } from '@lezer/yaml'
import { parser as html } from '@lezer/html'
import { parser as css } from '@lezer/css'
import { parser as markdown } from '@lezer/markdown'

const ts = javascript.configure({ dialect: 'ts' })
const tsx = javascript.configure({ dialect: 'jsx ts' })
const parsers = {
  js: javascript.configure({ dialect: 'jsx' }), ts, tsx, json, yaml, html, css, markdown,
}

const kept = new Map() // the last results, by language and text
const most = 40

/** Returns the parts of a text that have a colour, in order: [from, to, classes]. language is one of code.jsx. */
export function parts(text, language) {
  const key = `${language}\n${text}`
  let found = kept.get(key)
  if (found) return found
  found = []
  highlightTree(parsers[language].parse(text), classHighlighter, (from, to, classes) => found.push([from, to, classes]))
  if (kept.size >= most) kept.delete(kept.keys().next().value)
  kept.set(key, found)
  return found
}
