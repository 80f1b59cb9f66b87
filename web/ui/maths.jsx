// Makes MathML elements from TeX, with temml. It is loaded with the first formula. From temml's
// tree it takes elements and attributes of a fixed set, so that no text of a model becomes
// another element (SECURITY 15).
import { h } from 'preact'
import temml from 'temml'

const elements = new Set('math mrow mi mn mo mtext mspace ms mfrac msqrt mroot msub msup msubsup munder mover munderover mmultiscripts mprescripts mtable mtr mtd mpadded mphantom menclose mstyle merror none'.split(' '))
const attributes = new Set('display displaystyle scriptlevel mathvariant stretchy fence separator form lspace rspace largeop movablelimits symmetric minsize maxsize accent accentunder width height depth voffset linethickness columnalign rowspacing columnspacing columnlines rowlines frame notation side columnspan rowspan'.split(' '))
const classes = /^tml-(left|right|jot|med-pad|small|thin-pad)$/

function element(node) {
  if (node.text !== undefined) return node.text
  const inner = (node.children ?? []).map(element)
  if (!elements.has(node.type)) return inner // a fragment
  const given = Object.entries(node.attributes ?? {}).filter(([name, value]) => attributes.has(name) && ['string', 'number', 'boolean'].includes(typeof value))
  const names = (node.classes ?? []).filter((c) => classes.test(c)).join(' ')
  return h(node.type, { ...Object.fromEntries(given.map(([name, value]) => [name, String(value)])), ...(names && { class: names }) }, inner)
}

/** Returns a formula as elements. Throws if temml does not know all of it. */
export const formula = (tex, display) => element(temml.__renderToMathMLTree(tex, { displayMode: display, throwOnError: true, trust: false, maxExpand: 500, maxSize: [50, 50] }))
