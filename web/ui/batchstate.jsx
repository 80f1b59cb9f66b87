// How far a batch is, in a word and a sign.
import { count } from './usage.js'

/** Says how far a batch is: {word, mark}. */
export function stateOf(b, runs) {
  const { open, parked, failed, cancelled } = b.counts
  if (b.error) return { word: b.error.code, mark: 'error' }
  if (runs) return { word: 'runs', mark: 'running' }
  if (b.running) return { word: 'runs in another tab', mark: 'running' }
  if (open) return { word: `stopped: ${count(open, 'item')} left`, mark: 'asking' }
  if (parked) return { word: `${count(parked, 'item')} ${parked === 1 ? 'waits' : 'wait'} for you`, mark: 'asking' }
  if (failed) return { word: `done, ${failed} failed`, mark: 'error' }
  return cancelled ? { word: `done, ${cancelled} cancelled`, mark: 'not_run' } : { word: 'done', mark: 'ok' }
}

const signs = { ok: '✓', error: '✗', asking: '?', needs_input: '?' }

/** The mark of a state; with label screen readers read it. */
export const Mark = ({ of, label }) => <span class={`mark ${of}`} {...(label ? { role: 'img', 'aria-label': label } : { 'aria-hidden': true })}>{signs[of]}</span>
