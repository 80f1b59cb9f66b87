// The usage of a run, as the trace has it: tokens as the provider bills them, and US dollars
// if the price is known.

/** @typedef {{in: number, out: number, cached?: number, written?: number, estimated?: boolean, cost_usd?: number, cost_partial?: boolean}} Usage */

// The amounts of dollars in a trace are multiples of 1/unit.
const unit = 1e12

/** Returns the sum of two usages. Dollars are exact up to some thousand. */
export function plus(a, b) {
  const sum = { in: (a?.in ?? 0) + (b?.in ?? 0), out: (a?.out ?? 0) + (b?.out ?? 0), estimated: a?.estimated || b?.estimated }
  const money = Math.round((a?.cost_usd ?? 0) * unit) + Math.round((b?.cost_usd ?? 0) * unit)
  return { ...sum, cost_usd: money / unit, cost_partial: a?.cost_partial || b?.cost_partial }
}

/** Formats the tokens of a usage: ~1.2k tokens, with ~ if they are estimated. */
export function tokens(u) {
  const n = (u?.in ?? 0) + (u?.out ?? 0)
  if (!n) return ''
  const text = n < 1000 ? String(n) : n < 100_000 ? `${(n / 1000).toFixed(1)}k` : `${Math.round(n / 1000)}k`
  return `${u.estimated ? '~' : ''}${text} tokens`
}

/** Formats an amount of dollars, as the command line does: $12.30, $0.0042, $0.000031. */
export function dollars(amount) {
  const n = Math.round(amount * unit)
  const places = n >= unit || n <= 0 ? 2 : n >= unit / 1000 ? 4 : 12 - String(n).length + 2
  const step = 10 ** (12 - Math.min(places, 12))
  const [whole, rest = ''] = ((Math.round(n / step) * step) / unit).toFixed(12).split('.')
  return `$${whole}.${rest.replace(/0+$/, '').padEnd(2, '0')}`
}

/** Formats the cost of a usage; '' if it is not known or zero. */
export function cost(u) {
  if (!(u?.cost_usd > 0 && u.cost_usd < 1e9)) return '' // a trace file can have any value
  return `${u.cost_partial ? 'at least ' : ''}${u.estimated ? '~' : ''}${dollars(u.cost_usd)}`
}

/** Formats tokens and cost on one line. */
export function spent(u) {
  return [tokens(u), cost(u)].filter(Boolean).join(' · ')
}

/** Formats the tokens of a turn's reasoning: ~320 tokens. */
export const thinking = (r) => (r?.tokens > 0 ? `${r.estimated ? '~' : ''}${count(r.tokens, 'token')}` : '')

/** Formats a number with a noun: 1 file, 2 files. */
export const count = (n, one, many = `${one}s`) => `${n.toLocaleString()} ${n === 1 ? one : many}`
