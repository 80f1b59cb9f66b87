// The editor. It is loaded when a file is opened for the first time. It is in a shadow root,
// where its styles do not need an inline style element, which the page's content security
// policy forbids.
import { EditorState } from '@codemirror/state'
import { EditorView, keymap, lineNumbers, highlightActiveLine, drawSelection } from '@codemirror/view'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { bracketMatching, defaultHighlightStyle, HighlightStyle, indentUnit, syntaxHighlighting } from '@codemirror/language'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'
import { lintGutter, setDiagnostics } from '@codemirror/lint'
import { yaml, yamlFrontmatter } from '@codemirror/lang-yaml'
import { markdown } from '@codemirror/lang-markdown'
import { json } from '@codemirror/lang-json'
import { javascript } from '@codemirror/lang-javascript'
import { tags } from '@lezer/highlight'
import { completing } from './complete.js'

function language(path) {
  if (path.endsWith('.worker')) return yamlFrontmatter({ content: markdown() })
  if (/\.ya?ml$/.test(path)) return yaml()
  if (/\.jsonl?$/.test(path)) return json()
  if (/\.(md|markdown)$/.test(path)) return markdown()
  if (/\.m?[jt]s$/.test(path)) return javascript({ typescript: /ts$/.test(path) })
  return []
}

// The colours are variables of the page, so that they fit both themes.
const theme = EditorView.theme({
  '&': { height: '100%', color: 'var(--ink)', backgroundColor: 'var(--raised)', fontSize: '14px' },
  '.cm-content': { fontFamily: 'var(--mono)', caretColor: 'var(--ink)', padding: '12px 0' },
  '.cm-gutters': { backgroundColor: 'var(--raised)', color: 'var(--ink-2)', border: '0' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--sunken)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': { backgroundColor: 'var(--accent-soft) !important' },
  // The library's own marks are images with data: URLs, which the page's policy refuses.
  '.cm-lint-marker': { borderRadius: '50%' },
  '.cm-lint-marker-error': { content: 'normal', backgroundColor: 'var(--bad)' },
  '.cm-lint-marker-warning, .cm-lint-marker-info': { content: 'normal', backgroundColor: 'var(--warn)' },
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--bad)' },
  '.cm-lintRange-warning, .cm-lintRange-info, .cm-lintRange-hint': { backgroundImage: 'none', textDecoration: 'underline wavy var(--warn)' },
  '.cm-tooltip': { backgroundColor: 'var(--raised)', color: 'var(--ink)', border: '1px solid var(--line)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--accent)', color: 'var(--accent-ink)' },
  '.cm-completionDetail': { color: 'inherit' },
  '.cm-completionInfo': { maxWidth: '320px' },
  '.cm-panels': { backgroundColor: 'var(--sunken)', color: 'var(--ink)' },
  '.cm-textfield, .cm-button': { fontSize: '14px', color: 'var(--ink)', backgroundColor: 'var(--raised)', backgroundImage: 'none', border: '1px solid var(--line)', borderRadius: '6px' },
  '.cm-button:active, .cm-button:hover': { backgroundColor: 'var(--sunken)', backgroundImage: 'none', borderColor: 'var(--ink-2)' },
  '.cm-panel.cm-search [name=close]': { color: 'var(--ink)' },
})

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName), tags.heading], color: 'var(--accent)', fontWeight: '600' },
  { tag: [tags.string, tags.monospace], color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: 'var(--warn)' },
  { tag: [tags.comment, tags.meta, tags.processingInstruction], color: 'var(--ink-2)' },
  { tag: tags.strong, fontWeight: '700' },
  { tag: tags.emphasis, fontStyle: 'italic' },
])

/** Opens a text in an editor inside box, and returns its methods; call destroy at the end. known resolves to the project's names for completion; with crlf, lines end with CRLF. */
export function open(box, text, path, { changed, save, known, crlf }) {
  const host = document.createElement('div')
  host.style.height = '100%'
  box.append(host)
  const root = host.attachShadow({ mode: 'open' })
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(), lintGutter(), history(), drawSelection(), bracketMatching(), highlightActiveLine(), highlightSelectionMatches(), search({ top: true }),
        EditorState.lineSeparator.of(crlf ? '\r\n' : '\n'), EditorState.tabSize.of(2), indentUnit.of('  '), EditorView.lineWrapping,
        syntaxHighlighting(colours), syntaxHighlighting(defaultHighlightStyle, { fallback: true }), theme, language(path), completing(path, known),
        EditorView.contentAttributes.of({ 'aria-label': `text of ${path}`, tabindex: '0' }),
        keymap.of([{ key: 'Mod-s', run: () => { save(); return true }, preventDefault: true }, ...defaultKeymap, ...historyKeymap, ...searchKeymap, indentWithTab]),
        EditorView.updateListener.of((u) => {
          if (u.docChanged) changed(u.state.sliceDoc())
        }),
      ],
    }),
  })
  return {
    /** Shows faults at their lines. */
    faults(list) {
      const { doc } = view.state
      const marks = list.filter((f) => f.where.line <= doc.lines).map((f) => {
        const line = doc.line(Math.max(1, f.where.line ?? 1))
        const from = Math.min(line.to, line.from + Math.max(0, (f.where.column ?? 1) - 1))
        return { from, to: Math.max(from, line.to), severity: f.severity === 'warning' ? 'warning' : 'error', message: `${f.code}: ${f.message}${f.hint ? ` (${f.hint})` : ''}` }
      })
      view.dispatch(setDiagnostics(view.state, marks.sort((a, b) => a.from - b.from)))
    },
    /** Moves the cursor to a line, and scrolls the line to the middle. */
    show(line) {
      const at = view.state.doc.line(Math.min(Math.max(1, line), view.state.doc.lines)).from
      view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: 'center' }) })
      view.focus()
    },
    destroy() {
      view.destroy()
      host.remove()
    },
  }
}
