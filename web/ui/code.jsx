// A block of code with its colours, and a formula: what a message has besides prose. What
// draws them is loaded when it is needed; until then, and where it does not know them, the
// source is shown.
import { useEffect, useState } from 'preact/hooks'
import { Copy } from './copy.jsx'

const longest = 50_000 // characters of a block that gets colours
const named = { javascript: 'js', mjs: 'js', jsx: 'js', typescript: 'ts', yml: 'yaml', worker: 'yaml', jsonl: 'json', json5: 'json', htm: 'html', xml: 'html', svg: 'html', md: 'markdown' }
const known = new Set(['js', 'ts', 'tsx', 'json', 'yaml', 'html', 'css', 'markdown'])

/** Returns the language of a block by the word after its fence; '' if it gets no colours. */
function languageOf(info) {
  const word = info.toLowerCase()
  const language = Object.hasOwn(named, word) ? named[word] : word
  return known.has(language) ? language : ''
}

/** Returns a text from begin to end as nodes, with the classes of parts. */
function coloured(text, begin, end, parts) {
  const out = []
  let at = begin
  for (const [from, to, classes] of parts) {
    if (to <= at) continue
    if (from >= end) break
    const f = Math.max(from, at)
    if (f > at) out.push(text.slice(at, f))
    at = Math.min(to, end)
    out.push(<span class={classes}>{text.slice(f, at)}</span>)
  }
  out.push(text.slice(at, end))
  return out
}

/** @param {{text: string, info?: string, closed?: boolean, begin?: number, end?: number}} props info: the word after the fence; closed: the block is complete; begin, end: the part of the text that is drawn, if it is drawn in several parts */
export function Code({ text, info = '', closed, begin = 0, end = text.length }) {
  const [parts, setParts] = useState(null)
  const language = closed && text.length <= longest ? languageOf(info) : ''
  useEffect(() => {
    let gone = false
    if (language) import('./highlight.js').then((m) => gone || setParts(m.parts(text, language)), () => {}) // without it the text has no colours
    return () => { gone = true }
  }, [text, language])
  const inner = parts && language ? coloured(text, begin, end, parts) : text.slice(begin, end)
  return (
    <>
    {/^mermaid$/i.test(info) && !begin && <p class="small muted">A diagram in the language Mermaid. golem draws no diagrams: this is its source.</p>}
    <div class={end < text.length ? 'code goes-on' : 'code'} data-lang={begin ? undefined : info || undefined}>
      <pre tabIndex={0}><code>{inner}</code></pre>
      {begin === 0 && <Copy text={() => text} name="this code" />}
    </div>
    </>
  )
}

const sources = 4_000 // characters; a longer formula is shown as its source

/** A formula. source is how it was written, with its delimiters. */
export function Formula({ tex, source, display }) {
  const [state, setState] = useState(null)
  useEffect(() => {
    let gone = false
    const told = (s) => gone || setState(s)
    if (tex.length > sources) told({ why: 'too long to be drawn' })
    else import('./maths.jsx').then((m) => {
      try {
        told({ made: m.formula(tex, display) })
      } catch {
        told({ why: 'TeX that golem cannot draw' })
      }
    }, () => told({ why: 'the part that draws formulas cannot be loaded' }))
    return () => { gone = true }
  }, [tex])
  return <span class={display ? 'math block' : 'math'} title={state?.why ?? source}>{state?.made ?? source}</span>
}
