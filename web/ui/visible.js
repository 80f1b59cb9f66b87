// Characters that a person does not see, or that change the order of others, become escapes such
// as \u202e wherever the page shows a text (SECURITY 9). Importing this file makes Preact do it
// with each text, title and label that it draws, so that no view can forget it.
import { options } from 'preact'

const hidden = /(?![\n\t ])[\p{C}\p{Z}\p{DI}\u2800\ufffc]/gu
const hiddenInProse = /(?![\n\t\p{Zs}\u200c\u200d\ufe0e\ufe0f])[\p{C}\p{Z}\p{DI}\u2800\ufffc]/gu
const stacked = /(?<=[\p{Mn}\p{Me}]{4})[\p{Mn}\p{Me}]/gu // such marks draw over other lines

const escaped = (c) => `\\u${c.codePointAt(0).toString(16).padStart(4, '0')}`
const unusual = /[^\n\t -~]/ // most texts have only the others

/** Returns a text in which control, bidirectional and invisible characters, and unusual spaces, are escapes. It is for all that a person decides on. */
export const visible = (s) => String(s ?? '').replace(hidden, escaped).replace(stacked, escaped)

/** Does the same for prose, as core/ui's Safe does: what joins emoji and letters stays, and an unusual space becomes a space. */
export const prose = (s) => (unusual.test(s) ? s.replaceAll('\r\n', '\n').replace(/(?![\u00a0\u3000])\p{Zs}/gu, ' ').replace(hiddenInProse, escaped).replace(stacked, escaped) : s)

const spoken = ['title', 'aria-label', 'alt', 'placeholder', 'label']

const before = options.vnode
options.vnode = (node) => {
  if (node.type === null) {
    if (typeof node.props === 'string') node.props = prose(node.props)
  } else if (typeof node.type === 'string') {
    for (const name of spoken) if (typeof node.props[name] === 'string') node.props[name] = prose(node.props[name])
  }
  before?.(node)
}
