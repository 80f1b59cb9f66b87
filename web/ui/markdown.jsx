// Model output as a page can show it without trusting it: Markdown, sanitised,
// nothing fetched, nothing followed without a click (SECURITY 15).
import { marked } from 'marked'
import DOMPurify from 'dompurify'
import { useLayoutEffect, useRef } from 'preact/hooks'

const allowed = {
  ALLOWED_TAGS: ['p', 'br', 'strong', 'em', 'del', 'code', 'pre', 'blockquote', 'ul', 'ol', 'li', 'h1', 'h2', 'h3', 'h4',
    'h5', 'h6', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'hr', 'a', 'img', 'input'],
  ALLOWED_ATTR: ['href', 'src', 'alt', 'align', 'start', 'type', 'checked', 'disabled'],
  // Sanitising happens in a document that loads nothing.
  RETURN_DOM_FRAGMENT: true,
}

/** The text as a fragment that is safe to put into the page. */
export function render(text) {
  const html = marked.parse(text, { async: false, gfm: true, breaks: false })
  const fragment = DOMPurify.sanitize(html, allowed)
  for (const img of fragment.querySelectorAll('img')) img.replaceWith(outside(img.getAttribute('src'), img.getAttribute('alt') || 'image', 'image'))
  for (const a of fragment.querySelectorAll('a')) a.replaceWith(outside(a.getAttribute('href'), a.textContent, 'link'))
  for (const box of fragment.querySelectorAll('input')) {
    if (box.type !== 'checkbox') box.remove()
    else box.setAttribute('aria-label', 'task')
  }
  for (const h of fragment.querySelectorAll('h1, h2, h3, h4, h5, h6')) {
    // A model's headings must not take a place in the page's own outline.
    const p = document.createElement('p')
    p.className = 'md-heading'
    p.append(...h.childNodes)
    h.replaceWith(p)
  }
  for (const pre of fragment.querySelectorAll('pre, table')) pre.tabIndex = 0
  return fragment
}

/** A link that shows where it goes; images become links too. */
function outside(address, text, kind) {
  let url = null
  try {
    url = new URL(address ?? '')
  } catch {
    // Relative addresses lead nowhere from a model's text.
  }
  if (!url || !['https:', 'http:', 'mailto:'].includes(url.protocol)) {
    const span = document.createElement('span')
    span.textContent = text || address || ''
    return span
  }
  const a = document.createElement('a')
  a.href = url.href
  a.target = '_blank'
  a.rel = 'noopener noreferrer nofollow'
  a.referrerPolicy = 'no-referrer'
  a.title = `opens ${url.href} in a new tab`
  a.textContent = kind === 'image' ? `[image: ${text}]` : text || url.href
  const host = url.protocol === 'mailto:' ? url.pathname : url.host
  if (!a.textContent.includes(host)) {
    const tell = document.createElement('span')
    tell.className = 'md-host'
    tell.textContent = ` (${host})`
    a.append(tell)
  }
  return a
}

/** @param {{text: string}} props */
export function Markdown({ text }) {
  const box = useRef(null)
  useLayoutEffect(() => {
    box.current.replaceChildren(render(text))
  }, [text])
  return <div class="md" ref={box} />
}
