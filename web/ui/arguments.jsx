// The arguments of a call. All are shown complete; long ones scroll.
import { visible } from './diff.jsx'
import { count } from './usage.js'
import { Icon } from './icons.jsx'

/** The order in which arguments with these names are shown: providers send them in any order. core/ui/brief.go has the same list. */
const argumentOrder = ['path', 'from', 'to', 'worker', 'command', 'pattern', 'input', 'old', 'new', 'content']
const rank = (name) => (argumentOrder.includes(name) ? argumentOrder.indexOf(name) : argumentOrder.length)

/** Returns the entries of args in that order; other names follow in alphabetical order. */
export const ordered = (args) => Object.entries(args).sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : a > b ? 1 : 0))

/** @param {{args: any, exact?: Record<string, string>, closed: boolean}} props exact: the JSON of arguments, whose numbers have all digits; closed: long arguments are folded, because a diff shows what they do */
export function Arguments({ args, exact, closed }) {
  const entries = args && typeof args === 'object' ? ordered(args) : [['value', args]]
  return (
    <div class="stack">
      {entries.map(([name, v]) => {
        const text = typeof v === 'string' ? v : exact?.[name] ?? JSON.stringify(v, null, 2)
        const long = text.length > 120 || text.includes('\n')
        const label = visible(name)
        if (!long) return <dl class="facts" key={name}><dt class="mono">{label}</dt><dd class="mono">{visible(text)}</dd></dl>
        return (
          <details class="call" key={name} open={!closed}>
            <summary><span class="chev"><Icon name="chevron" /></span><strong class="mono">{label}</strong><span class="small muted">{count(text.length, 'character')}</span></summary>
            <div class="detail"><pre class="block" tabIndex={0} role="region" aria-label={`argument ${label}`}>{visible(text)}</pre></div>
          </details>
        )
      })}
    </div>
  )
}
